from __future__ import annotations

from dataclasses import replace

import pytest

from proband.model import (
    Accepted,
    Agreement,
    AnyOf,
    Breadth,
    Field,
    Filter,
    Lane,
    QueryPlan,
    RefusalKind,
    Refused,
    Scale,
    Searched,
    Signals,
    Variant,
    WordMatch,
)
from proband.search.gate import Gate, decide

PLAN = QueryPlan("gout", (Variant("gout", (Lane.DENSE,)),), (), (), Filter())
STORY = replace(PLAN, breadth=Breadth.BROAD)
RECRUITING = Filter((AnyOf(Field.STATUS, ("RECRUITING",)),))
WEAK = Signals(score=0.39, words=(WordMatch("gout", 1.0, 0.31), WordMatch("attack", 0.7, 0.72)))
STRONG = replace(WEAK, score=0.45)
GATE = Gate(0.45)


def refused(
    signals: Signals | None,
    plan: QueryPlan = PLAN,
    gate: Gate = GATE,
    passages: int = 1483,
    documents: int | None = 83,
) -> Refused:
    decision = decide(plan, signals, gate, lambda: Searched(1, plan, passages, documents))
    assert isinstance(decision, Refused)
    return decision


def accepted(signals: Signals, plan: QueryPlan = PLAN, gate: Gate = GATE) -> Accepted:
    def not_counted() -> Searched:
        raise AssertionError("what is accepted needs no count")

    decision = decide(plan, signals, gate, not_counted)
    assert isinstance(decision, Accepted)
    return decision


def test_a_score_below_the_threshold_is_too_weak_and_one_that_reaches_it_is_enough() -> None:
    assert refused(WEAK).kind is RefusalKind.TOO_WEAK
    assert accepted(STRONG) == Accepted(STRONG, 0.45, "")


def test_weakness_is_said_with_both_figures_and_the_words_that_nothing_answers() -> None:
    assert refused(WEAK).reason == (
        "Nothing near enough was found in the 83 documents searched: the study that answers most of the "
        "question answers 0.39 of it, an answer needs 0.45; it has nothing like gout outside its exclusion criteria."
    )


def test_a_first_document_that_says_the_opposite_is_no_answer_however_near_it_is() -> None:
    opposite = replace(STRONG, score=0.99, polarity=Agreement.OPPOSES)
    assert refused(opposite).kind is RefusalKind.TOO_WEAK
    assert "says the opposite" in refused(opposite).reason
    accepted(opposite, gate=Gate(uncertified="no calibration"))


def test_without_a_threshold_nothing_is_too_weak_and_the_reason_is_kept() -> None:
    decision = accepted(WEAK, gate=Gate(uncertified="no calibration"))
    assert (decision.threshold, decision.uncertified) == (None, "no calibration")


@pytest.mark.parametrize(
    "signals", [replace(WEAK, score=None), replace(WEAK, scale=Scale.COSINE)], ids=["none", "other"]
)
def test_a_threshold_meets_only_scores_of_its_own_scale(signals: Signals) -> None:
    accepted(signals)


def test_a_broad_question_is_refused_only_when_nothing_was_found() -> None:
    accepted(replace(WEAK, absent=("X1",), exact=(0, 1)), STORY)
    assert refused(None, STORY).kind is RefusalKind.NOT_THERE


def test_nothing_found_is_not_there_and_nothing_let_through_does_not_fit() -> None:
    plan = replace(PLAN, where=RECRUITING)
    assert refused(None, plan).kind is RefusalKind.NOT_THERE
    nothing = refused(None, plan, passages=0, documents=0)
    assert nothing.kind is RefusalKind.NOTHING_FITS
    assert nothing.reason == (
        "No document passes the filter (only where status: recruiting), "
        "so there was nothing to search."
    )


def test_the_kinds_have_different_words() -> None:
    reasons = {
        refused(WEAK).reason,
        refused(None).reason,
        refused(None, passages=0, documents=0).reason,
        refused(replace(STRONG, absent=("NCT00000000",), exact=(0, 1))).reason,
    }
    assert len(reasons) == 4


def test_what_was_asked_exactly_and_stands_nowhere_is_named() -> None:
    decision = refused(replace(STRONG, absent=("NCT00000000",), exact=(0, 1)))
    assert decision.kind is RefusalKind.NOT_THERE
    assert decision.reason == '"NCT00000000" was not found in the 83 documents searched.'


def test_of_several_exact_things_one_that_stands_somewhere_is_enough() -> None:
    accepted(replace(STRONG, absent=("NCT00000000",), exact=(1, 2)))


def test_what_was_only_looked_up_and_found_needs_no_score() -> None:
    accepted(replace(WEAK, looked_up=True, exact=(1, 1)))


def test_passages_are_counted_where_documents_are_too_many_to_count() -> None:
    assert (
        "in the 354,582 passages searched:"
        in refused(WEAK, passages=354_582, documents=None).reason
    )


def test_a_phrase_in_a_large_corpus_is_said_to_be_read_for_in_the_nearest_passages_alone() -> None:
    absent = Signals(exact=(0, 1), absent=("to have",))
    plan = replace(PLAN, phrases=("to have",))
    large = refused(absent, plan, passages=354_582, documents=None)
    assert large.reason == (
        '"to have" was not found in the 354,582 passages searched; '
        "for a quoted phrase the 1,000 passages nearest to its words were read."
    )
    small = refused(absent, plan, passages=1000)
    assert small.reason == '"to have" was not found in the 83 documents searched.'


def test_a_number_that_is_looked_up_alone_is_named_when_it_is_not_there() -> None:
    asked = QueryPlan("NCT99999999", (), (), (), Filter())
    assert refused(None, asked).reason == (
        '"NCT99999999" was not found in the 83 documents searched.'
    )
