"""Dates as a source writes them: what is not said is not made up, and what is unclear covers all that it may mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from proband.model import FOREVER
from proband.records.mapping import DateOrder, SourceRules, TableMapping

UNDATED = (FOREVER, -FOREVER)
"""The days of a row without a date: no span of days holds it."""

_EPOCH = date(1970, 1, 1).toordinal()
_ISO = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_YEAR_LAST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})")
_MONTH_YEAR = re.compile(r"(\d{1,2})[./-](\d{4})")
_NAMED = re.compile(r"(?:(\d{1,2})\.?\s+)?([A-Za-z]{3,9})\.?,?\s+(\d{4})")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


class Precision(IntEnum):
    """How exactly a moment is known."""

    YEAR = 1
    MONTH = 2
    DAY = 3
    TIME = 4


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or time that a row states.

    Args:
        text: how it is shown; never more exact than it was written.
        first_day, last_day: the days that it may mean, since 1970-01-01, where it is local.
        precision: how exactly it is known.
        unclear: why it covers more than it says; "" where it does not.
    """

    text: str
    first_day: int
    last_day: int
    precision: Precision
    unclear: str = ""


def moment(
    value: str, rules: SourceRules, table: TableMapping, values: Mapping[str, str]
) -> Moment | None:
    """What a value says of when; None for a date that stands for "not known", and for what is no date.

    Args:
        value: canonical text, or a date as a person wrote it.
        rules: the order of day and month, the zone, and the dates that stand for "not known".
        table: its own zone, and the column that holds a row's zone.
        values: the row's values, for that column.
    """
    written = " ".join(value.split())
    if written[:10] in rules.unknown_dates:
        return None
    if found := _ISO.fullmatch(written):
        zone = _zone(values.get(table.zone_column, "")) or _zone(table.zone or rules.zone)
        return _iso(found, zone)
    return _written(written, rules.date_order)


def days_of(
    value: str, rules: SourceRules, table: TableMapping, values: Mapping[str, str]
) -> tuple[int, int]:
    """The first and the last day that a date may mean; `UNDATED` for none."""
    found = moment(value, rules, table, values) if value else None
    return (found.first_day, found.last_day) if found else UNDATED


def _iso(found: re.Match[str], zone: ZoneInfo | None) -> Moment | None:
    year, month, day, hour, minute, second, offset = found.groups()
    if month is None:
        return _months(int(year), 1, 12, year, Precision.YEAR)
    if day is None:
        return _months(int(year), int(month), int(month), f"{year}-{month}", Precision.MONTH)
    try:
        if hour is None:
            return _day(date(int(year), int(month), int(day)), f"{year}-{month}-{day}")
        parts = (year, month, day, hour, minute, second or "0")
        at = datetime(*map(int, parts))  # type: ignore[arg-type]  # six numbers
    except ValueError:
        return None
    return _instant(at, offset, zone) if offset else _local(at, zone)


def _instant(at: datetime, offset: str, zone: ZoneInfo | None) -> Moment:
    """An instant, shown where the row is."""
    known = datetime.fromisoformat(f"{at.isoformat()}{'+00:00' if offset == 'Z' else offset}")
    shown = known.astimezone(zone or UTC)
    name = zone.key if zone else "UTC"
    return _timed(shown.replace(tzinfo=None), f" {name}")


def _local(at: datetime, zone: ZoneInfo | None) -> Moment:
    """A time as a clock on the wall showed it. Where the clock was changed it stays, and is said to be unclear."""
    if zone is None:
        return _timed(at)
    first, second = (at.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return _timed(at)
    exists = first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == at
    why = (
        "either of two hours, the clock was set back"
        if exists
        else "the clock was set forward over it"
    )
    return _timed(at, f" ({why})", why)


def _timed(at: datetime, behind: str = "", unclear: str = "") -> Moment:
    shown = f"{at:%Y-%m-%d %H:%M:%S}" if at.second else f"{at:%Y-%m-%d %H:%M}"
    # %Y drops leading zeros of early years.
    shown = f"{at.year:04d}{shown[len(str(at.year)) :]}" if at.year < 1000 else shown
    day = at.toordinal() - _EPOCH
    return Moment(shown + behind, day, day, Precision.TIME, unclear)


def _written(text: str, order: DateOrder) -> Moment | None:
    """A date as a person writes it in a text column."""
    try:
        if found := _YEAR_LAST.fullmatch(text):
            return _year_last(text, (int(found[1]), int(found[2]), int(found[3])), order)
        if found := _MONTH_YEAR.fullmatch(text):
            return _months(int(found[2]), int(found[1]), int(found[1]), text, Precision.MONTH)
        if (found := _NAMED.fullmatch(text)) and (month := _month(found[2])):
            if found[1]:
                return _day(date(int(found[3]), month, int(found[1])), text)
            return _months(int(found[3]), month, month, text, Precision.MONTH)
    except ValueError:
        return None
    return None


def _year_last(text: str, parts: tuple[int, int, int], order: DateOrder) -> Moment | None:
    """`03/04/2025`: by the declared order, else both days that it may be."""
    a, b, year = parts
    if order is DateOrder.DMY:
        return _day(date(year, b, a), text)
    if order is DateOrder.MDY:
        return _day(date(year, a, b), text)
    possible = {day for month, on in ((a, b), (b, a)) if (day := _real(year, month, on))}
    if not possible:
        return None
    days = sorted(day.toordinal() - _EPOCH for day in possible)
    unclear = "day and month may change places" if len(days) > 1 else ""
    shown = f"{text} ({unclear})" if unclear else text
    return Moment(shown, days[0], days[-1], Precision.DAY, unclear)


def _real(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _day(day: date, text: str) -> Moment:
    number = day.toordinal() - _EPOCH
    return Moment(text, number, number, Precision.DAY)


def _months(year: int, first: int, last: int, text: str, precision: Precision) -> Moment | None:
    start = _real(year, first, 1)
    after = _real(year + last // 12, last % 12 + 1, 1)
    if not (start and after):
        return None
    end = after - timedelta(days=1)
    return Moment(text, start.toordinal() - _EPOCH, end.toordinal() - _EPOCH, precision)


def _month(name: str) -> int:
    """1 to 12; 0 for what is no English month."""
    written = "sep" if name.lower() == "sept" else name.lower()
    found = [number for number, month in enumerate(_MONTHS, 1) if month.startswith(written)]
    return found[0] if len(found) == 1 else 0


@lru_cache(maxsize=512)
def _zone(name: str) -> ZoneInfo | None:
    """The zone of this IANA name; None for none, and for a name that is not known here."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
