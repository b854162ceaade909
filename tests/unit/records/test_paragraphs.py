"""Paragraphs of a clean text: where they are cut, joined, and what heading they stand under."""

from __future__ import annotations

import pytest

from proband.records.cleaning import clean
from proband.records.paragraphs import is_heading, paragraphs

LONG = "Seen on the ward round, feels better, eats well and walks with one stick."


def cut(value: str, form: str = "") -> list[tuple[str, str]]:
    return [(one.heading, one.reading.text) for one in paragraphs(clean(value, form).reading)]


def test_blank_lines_cut_and_long_paragraphs_stay_whole() -> None:
    assert cut(f"{LONG}\n\n{LONG * 50}") == [("", LONG), ("", LONG * 50)]


def test_short_paragraphs_in_a_row_are_one() -> None:
    assert cut(f"No fever.\n\nSkin warm.\n\n{LONG}\n\nMood bright.") == [
        ("", "No fever.\nSkin warm."),
        ("", LONG),
        ("", "Mood bright."),
    ]


def test_a_heading_goes_with_what_follows_until_the_next() -> None:
    value = (
        f"FAMILY HISTORY:\nMother had breast cancer.\n\n{LONG}\nAssessment\n\n{LONG}\n\nPLAN: rest."
    )
    assert cut(value) == [
        ("FAMILY HISTORY", "FAMILY HISTORY:\nMother had breast cancer."),
        ("FAMILY HISTORY", LONG),
        ("Assessment", f"Assessment\n{LONG}"),
        ("PLAN", "PLAN: rest."),
    ]


def test_every_paragraph_slices_the_value() -> None:
    value = f"<h3>Plan</h3><p>{LONG}</p>\n<p>Bed&nbsp;rest</p>"
    found = paragraphs(clean(value).reading)
    assert [one.reading.text for one in found] == [f"Plan\n{LONG}", "Bed rest"]
    assert found[1].reading.span.of(value) == "Bed&nbsp;rest"


def test_nothing_gives_no_paragraphs() -> None:
    assert cut("") == []
    assert cut(" \n\n \t ") == []


@pytest.mark.parametrize(
    "line", ["FAMILY HISTORY:", "Assessment", "Plan:", "ALLERGIES", "Past medical history"]
)
def test_headings(line: str) -> None:
    assert is_heading(line)


@pytest.mark.parametrize(
    "line", ["No fever", "HIV POSITIVE 2014", "Denies pain.", "BP: 120/80", LONG]
)
def test_findings_are_no_headings(line: str) -> None:
    assert not is_heading(line)
