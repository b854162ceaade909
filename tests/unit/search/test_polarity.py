from __future__ import annotations

import pytest

from proband.model import Agreement, SectionKind
from proband.search.polarity import agreement, asks_for_exclusion

INCLUDED, EXCLUDED = SectionKind.INCLUSION_CRITERION, SectionKind.EXCLUSION_CRITERION


@pytest.mark.parametrize(
    ("question", "passage", "expected"),
    [
        ("HER2-negative breast cancer", "HER2 negative disease", Agreement.AGREES),
        ("HER2-negative breast cancer", "HER2-positive disease", Agreement.OPPOSES),
        ("HER2-negative breast cancer", "breast cancer of any type", Agreement.SILENT),
        ("obese adults without diabetes", "Adults without diabetes", Agreement.AGREES),
        ("obese adults without diabetes", "diabetes for a year", Agreement.OPPOSES),
        ("adults with diabetes", "no diabetes", Agreement.SILENT),
        ("adults with diabetes", "diabetes for a year", Agreement.SILENT),
        ("has never smoked", "Smoked every day", Agreement.OPPOSES),
        ("not treated, but diabetes", "diabetes, insulin", Agreement.SILENT),
    ],
)
def test_only_what_the_question_denies_or_both_sign_is_compared(
    question: str, passage: str, expected: Agreement
) -> None:
    assert agreement(question, [(INCLUDED, passage)]) is expected


def test_an_exclusion_criterion_states_the_opposite_of_its_words() -> None:
    assert agreement("adults without diabetes", [(EXCLUDED, "Diabetes")]) is Agreement.AGREES
    assert agreement("HER2-positive", [(EXCLUDED, "HER2-positive")]) is Agreement.OPPOSES


def test_a_question_about_exclusions_takes_their_words_as_they_are() -> None:
    question = "studies that exclude HER2-positive disease"
    assert asks_for_exclusion(question)
    assert agreement(question, [(EXCLUDED, "HER2-positive")]) is Agreement.AGREES


def test_one_passage_that_agrees_is_enough() -> None:
    lines = [(INCLUDED, "Cohort A: HER2-positive"), (INCLUDED, "Cohort B: HER2-negative")]
    assert agreement("HER2-negative", lines) is Agreement.AGREES
    assert agreement("HER2-negative", lines[:1]) is Agreement.OPPOSES
