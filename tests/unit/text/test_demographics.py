from __future__ import annotations

import math

import pytest

from proband.text.demographics import Demographics, demographics


@pytest.mark.parametrize(
    ("narrative", "years", "sex"),
    [
        ("Patient is a 45-year-old man with", 45, "MALE"),
        ("48 M with a h/o HTN", 48, "MALE"),
        ("74F hx of CAD", 74, "FEMALE"),
        ("A 32 yo woman who presents", 32, "FEMALE"),
        ("70 y/o with COPD", 70, None),
        ("Pt is a 22yo F otherwise healthy with a 5 yr history", 22, "FEMALE"),
        ("A 57-year old farmer. He was diagnosed a year ago", 57, "MALE"),
        ("a 41 year man who plays", 41, "MALE"),
        ("Female, aged 36, first seizure at age 13", 36, "FEMALE"),
        ("A 60-year-old African American gentleman", 60, "MALE"),
        ("HER2 positive breast cancer for 3 years", None, None),
        ("treated for 2 years, 6 months ago", None, None),
        ("aged 7 months", None, None),
        ("is 999 years old", None, None),
        ("", None, None),
    ],
)
def test_age_and_sex_are_read(narrative: str, years: int | None, sex: str | None) -> None:
    read = demographics(narrative)
    assert read.age_days == (None if years is None else math.ceil(years * 365.25))
    assert read.sex == sex


@pytest.mark.parametrize(
    ("narrative", "days"),
    [("A 3-day-old girl", 3), ("2-week-old", 14), ("5 months old male", 153), ("6 mo old", 183)],
)
def test_the_ages_of_infants_are_days(narrative: str, days: int) -> None:
    assert demographics(narrative).age_days == days


def test_only_the_opening_is_read() -> None:
    assert demographics("x " * 300 + "45-year-old man") == Demographics(None, None)
