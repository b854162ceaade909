"""Age limits as the registry writes them, in days.

A limit counts completed units (ClinicalTrials.gov protocol definitions, "Age Limits"): "65 Years" as the upper limit
still takes who is 65 and a half. So a lower limit is the first day of that age and an upper limit the last day of it.
A year is 365.25 days, a month a twelfth of that.
"""

from __future__ import annotations

import math
import re

from proband.model import FOREVER

UNIT_DAYS = {
    "year": 365.25,
    "month": 365.25 / 12,
    "week": 7.0,
    "day": 1.0,
    "hour": 1 / 24,
    "minute": 1 / 1440,
}

_AGE = re.compile(r"(\d{1,6})(?:\.(\d{1,9}))?\s*(year|month|week|day|hour|minute)s?", re.IGNORECASE)


def first_day(age: str | None) -> int | None:
    """The first day of life at which one has this age: "18 Years" is 6,574. No or unreadable age ("N/A"): None."""
    limit = _limit(age)
    return None if limit is None else min(math.floor(limit[0]), FOREVER)


def reached(age: str | None) -> int | None:
    """The first whole day at which a person has this age: 66 years are 24,107, one day after 65 has passed.

    A limit's day may be the one in which the birthday falls; a person's may not, or 66 would still count as 65.
    """
    limit = _limit(age)
    return None if limit is None else min(math.ceil(limit[0]), FOREVER)


def last_day(age: str | None) -> int | None:
    """The last day of life at which one still has this age: "65 Years" is 24,106. No or unreadable age: None."""
    limit = _limit(age)
    return None if limit is None else min(math.ceil(limit[1]) - 1, FOREVER)


def _limit(age: str | None) -> tuple[float, float] | None:
    """Begin and end of the stated age in days; the end is where the next whole (or tenth of a) unit begins."""
    match = _AGE.fullmatch((age or "").strip())
    if match is None:
        return None
    whole, decimals, unit = match.groups(default="")
    days = UNIT_DAYS[unit.lower()]
    step = 10 ** -len(decimals)
    number = float(f"{whole}.{decimals or 0}")
    return number * days, (number + step) * days
