"""Dates of rows: precision, sentinels, order of day and month, zones and clock changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from proband.records.dates import UNDATED, Precision, days_of, moment
from proband.records.mapping import DateOrder, SourceRules, TableMapping

RULES = SourceRules("h", "sqlite://", zone="Africa/Nairobi")
TABLE = TableMapping("visits", zone_column="site_tz")


def days(first: str, last: str | None = None) -> tuple[int, int]:
    epoch = date(1970, 1, 1)
    return (
        (date.fromisoformat(first) - epoch).days,
        (date.fromisoformat(last or first) - epoch).days,
    )


@pytest.mark.parametrize(
    ("written", "shown", "span", "precision"),
    [
        ("2024-03-05", "2024-03-05", days("2024-03-05"), Precision.DAY),
        ("2024-03-05T10:15:00", "2024-03-05 10:15", days("2024-03-05"), Precision.TIME),
        ("2024-03-05T10:15:30", "2024-03-05 10:15:30", days("2024-03-05"), Precision.TIME),
        ("2019", "2019", days("2019-01-01", "2019-12-31"), Precision.YEAR),
        ("2020-02", "2020-02", days("2020-02-01", "2020-02-29"), Precision.MONTH),
        ("Mar 2020", "Mar 2020", days("2020-03-01", "2020-03-31"), Precision.MONTH),
        ("12/2020", "12/2020", days("2020-12-01", "2020-12-31"), Precision.MONTH),
        ("5 March 2020", "5 March 2020", days("2020-03-05"), Precision.DAY),
        ("25/12/2024", "25/12/2024", days("2024-12-25"), Precision.DAY),
    ],
)
def test_a_date_is_never_more_exact_than_it_was_written(
    written: str, shown: str, span: tuple[int, int], precision: Precision
) -> None:
    found = moment(written, RULES, TABLE, {})
    assert found is not None
    assert (found.text, (found.first_day, found.last_day), found.precision) == (
        shown,
        span,
        precision,
    )


@pytest.mark.parametrize("written", ["1900-01-01", "9999-12-31", "1900-01-01T00:00:00"])
def test_a_date_that_stands_for_not_known_is_none(written: str) -> None:
    assert moment(written, RULES, TABLE, {}) is None
    assert days_of(written, RULES, TABLE, {}) == UNDATED


@pytest.mark.parametrize("written", ["2024-02-30", "spring 2019", "13/13/2024", "soon", "2024-13"])
def test_what_is_no_date_is_none(written: str) -> None:
    assert moment(written, RULES, TABLE, {}) is None


def test_an_undeclared_order_of_day_and_month_covers_both_days_and_says_so() -> None:
    found = moment("03/04/2025", RULES, TABLE, {})
    assert found is not None
    assert (found.first_day, found.last_day) == days("2025-03-04", "2025-04-03")
    assert "change places" in found.unclear


@pytest.mark.parametrize(
    ("order", "day"), [(DateOrder.DMY, "2025-04-03"), (DateOrder.MDY, "2025-03-04")]
)
def test_a_declared_order_is_followed(order: DateOrder, day: str) -> None:
    found = moment("03/04/2025", replace(RULES, date_order=order), TABLE, {})
    assert found is not None
    assert (found.first_day, found.last_day) == days(day)


def test_an_instant_is_shown_in_the_zone_of_its_row() -> None:
    found = moment("2024-03-05T22:30:00+00:00", RULES, TABLE, {"site_tz": "Asia/Tokyo"})
    assert found is not None
    assert found.text == "2024-03-06 07:30 Asia/Tokyo"
    assert (found.first_day, found.last_day) == days("2024-03-06")


def test_an_instant_without_a_known_zone_stays_in_utc() -> None:
    found = moment("2024-03-05T22:30:00+00:00", replace(RULES, zone=""), TABLE, {"site_tz": "?"})
    assert found is not None
    assert found.text == "2024-03-05 22:30 UTC"


@pytest.mark.parametrize(
    ("written", "why"),
    [("2024-10-27T02:30:00", "two hours"), ("2024-03-31T02:30:00", "set forward")],
)
def test_a_time_inside_a_clock_change_is_kept_as_written_and_said_to_be_unclear(
    written: str, why: str
) -> None:
    found = moment(written, RULES, TABLE, {"site_tz": "Europe/Berlin"})
    assert found is not None
    assert found.text.startswith(written.replace("T", " ")[:16])
    assert why in found.unclear
