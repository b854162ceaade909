"""What a text asserts: values, places, headings, and time on hostile text."""

from __future__ import annotations

import time

import pytest

from proband.text.assertion import (
    Certainty,
    Experiencer,
    Polarity,
    TimeStatus,
    assertions,
)


def spans(text: str, heading: str = "") -> list[str]:
    return [one.span.of(text) for one in assertions(text, heading)]


def test_a_denied_list_is_one_span_an_item_with_its_cue() -> None:
    text = "Seen today. No fever, cough or rash."
    assert spans(text) == ["fever", "cough", "rash"]
    assert {one.cue.of(text) for one in assertions(text)} == {"No"}
    assert {one.polarity for one in assertions(text)} == {Polarity.NEGATED}


def test_what_is_simply_asserted_has_no_span() -> None:
    assert assertions("Cough for two days. Temp 38.5, on amoxicillin 500 mg.") == ()
    assert assertions("") == ()


def test_values_of_all_kinds_stand_together() -> None:
    (one,) = assertions("Brother with possible epilepsy.")[-1:]
    assert (one.experiencer, one.certainty) == (Experiencer.FAMILY, Certainty.UNCERTAIN)
    assert (one.polarity, one.time) == (Polarity.AFFIRMED, TimeStatus.CURRENT)


def test_a_heading_says_of_whom_and_when() -> None:
    assert {one.experiencer for one in assertions("Stroke. Gout.", "Family history")} == {
        Experiencer.FAMILY
    }
    assert {one.time for one in assertions("Stroke.", "PMH:")} == {TimeStatus.HISTORICAL}
    assert assertions("Stroke.", "Plan") == ()


def test_a_double_denial_is_uncertain() -> None:
    (one,) = assertions("Cannot exclude a fracture.")
    assert (one.polarity, one.certainty) == (Polarity.AFFIRMED, Certainty.UNCERTAIN)


def test_words_of_one_language_are_not_taken_for_another() -> None:
    assert assertions("Hali ni nzuri leo.") == ()
    assert assertions("Noch Husten.") == ()


@pytest.mark.parametrize(
    "piece", ["no ", "if ", "if a, ", "( no ", "no ) ", "mother ", "? ", "a ", "in 2014 "]
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    started = time.process_time()
    assertions(piece * (100_000 // len(piece)))
    assert time.process_time() - started < 6.0


@pytest.mark.parametrize(
    "text", ["İİ no fever", "no \ud800 fever", "\x00no\x00fever", "?", ".", ":", "no", "(-)"]
)
def test_odd_text_is_read_in_order(text: str) -> None:
    found = assertions(text)
    ends = [0, *(one.span.end for one in found)]
    assert all(one.span.start >= end for one, end in zip(found, ends, strict=False))
    assert ends[-1] <= len(text)
