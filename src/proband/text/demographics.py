"""Age and sex of the patient that a narrative describes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from proband.text.fold import fold

OPENING = 400
"""Characters in which a narrative introduces its patient: all 75 topics of TREC 2021 state the age there."""

OLDEST_DAYS = 130 * 365.25
_DAYS = {"d": 1.0, "w": 7.0, "m": 30.4375, "y": 365.25}
_PERSON = r"(?:man|woman|male|female|boy|girl|gentleman|lady|infant|child|patient)"
_AGE = re.compile(
    r"(?<![\w.-])(?P<number>\d{1,3})"
    r"(?:[\s-]*(?P<unit>days?|weeks?|wks?|months?|mos?|years?|yrs?|y)"
    rf"(?:[\s-]*old\b|[/.]?o\b|(?=[\s-]+(?:\w+[\s-]+)?{_PERSON}\b))"
    rf"|\s?(?=(?-i:[MF])\b)|(?=\s+{_PERSON}\b))"
    r"|\bage[ds]?:?\s+(?:of\s+)?(?P<aged>\d{1,3})\b(?!\s*(?:days?|weeks?|months?)\b)",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"\b(?P<female>woman|female|girl|lady|pregnant)\b|\b(?P<male>man|male|boy|gentleman)\b"
    r"|\d\s?(?:years?[\s-]*old|y[/.]?o\.?)?\s*(?-i:(?P<f>F)|(?P<m>M))\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?P<female>she|hers?)\b|\b(?P<male>he|his|him)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Demographics:
    """What a narrative says of its patient; None where it says nothing. Sex in the registry's words.

    `age_days` is the first whole day at which one has the stated age.
    """

    age_days: int | None
    sex: Literal["FEMALE", "MALE"] | None


def demographics(narrative: str) -> Demographics:
    """Age and sex as the opening of the narrative states them; the first mention is the patient's."""
    opening = fold(narrative[:OPENING])
    return Demographics(_age_days(opening), _sex(opening))


def _age_days(opening: str) -> int | None:
    match = _AGE.search(opening)
    if match is None:
        return None
    unit = (match["unit"] or "y")[0].lower()
    days = int(match["number"] or match["aged"]) * _DAYS[unit]
    return math.ceil(days) if days <= OLDEST_DAYS else None


def _sex(opening: str) -> Literal["FEMALE", "MALE"] | None:
    match = _NOUN.search(opening) or _PRONOUN.search(opening)
    if match is None:
        return None
    named = match.groupdict()
    return "FEMALE" if named["female"] or named.get("f") else "MALE"
