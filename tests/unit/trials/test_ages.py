"""Age limits in days: completed units, a lower limit's first day, an upper limit's last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.model import FOREVER
from proband.trials.ages import first_day, last_day, reached

UNITS = st.sampled_from(["Years", "Months", "Weeks", "Days", "Hours", "Minutes"])


@pytest.mark.parametrize(
    ("age", "day"),
    [
        ("18 Years", 6574),
        ("1 Year", 365),
        ("6 Months", 182),
        ("2 Weeks", 14),
        ("1 Day", 1),
        ("36 Hours", 1),
        ("90 Minutes", 0),
        ("0 Years", 0),
        ("0.5 Years", 182),
        (" 18 years ", 6574),
    ],
)
def test_lower_limit_is_the_first_day_of_that_age(age: str, day: int) -> None:
    assert first_day(age) == day


@pytest.mark.parametrize(
    ("age", "day"),
    [
        ("65 Years", 24106),
        ("17 Years", 6574),
        ("6 Months", 213),
        ("5 Days", 5),
        ("48 Hours", 2),
        ("1 Minute", 0),
        ("18.5 Years", 6793),
        ("0.0833333 Years", 30),
    ],
)
def test_upper_limit_is_the_last_day_of_that_age(age: str, day: int) -> None:
    assert last_day(age) == day


def test_somebody_of_65_and_a_half_fits_an_upper_limit_of_65_years() -> None:
    assert int(65.5 * 365.25) <= (last_day("65 Years") or 0) < int(66 * 365.25) + 1


@pytest.mark.parametrize("age", ["N/A", "", None, "adult", "-3 Years", "18", "18 Yearlings"])
def test_unreadable_age_is_no_limit(age: str | None) -> None:
    assert (first_day(age), last_day(age)) == (None, None)


def test_absurd_age_stays_within_what_an_index_can_hold() -> None:
    assert first_day("999999 Years") == 365249634
    assert last_day("999999 Years") <= FOREVER  # type: ignore[operator]


@given(st.integers(0, 200), UNITS)
def test_every_age_begins_before_it_ends(number: int, unit: str) -> None:
    first, last = first_day(f"{number} {unit}"), last_day(f"{number} {unit}")
    assert first is not None
    assert last is not None
    assert first <= last


@given(st.integers(0, 120), st.sampled_from(["Years", "Months", "Weeks", "Days"]))
def test_one_age_ends_where_the_next_begins(number: int, unit: str) -> None:
    last, following = last_day(f"{number} {unit}"), first_day(f"{number + 1} {unit}")
    assert last is not None
    assert following is not None
    assert 0 <= following - last <= 1


@given(
    st.integers(0, 120), st.integers(0, 120), st.sampled_from(["Years", "Months", "Weeks", "Days"])
)
def test_a_person_fits_exactly_the_limits_of_completed_units(
    age: int, limit: int, unit: str
) -> None:
    days, lower, upper = (
        reached(f"{age} {unit}"),
        first_day(f"{limit} {unit}"),
        last_day(f"{limit} {unit}"),
    )
    assert days is not None
    assert lower is not None
    assert upper is not None
    assert (lower <= days) == (limit <= age)
    assert (days <= upper) == (age <= limit)
