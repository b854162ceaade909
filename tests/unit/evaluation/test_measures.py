"""Every expected value is worked out by hand from the measure's definition."""

from __future__ import annotations

from math import log2

import pytest

from judged import judged
from proband.evaluation.collection import Measure
from proband.evaluation.measures import score

POOL = judged({"1": {"A": 2, "B": 1, "C": 0}}, relevant=2, against={"1": {"B"}})


def test_gain_is_the_grade_and_the_discount_the_logarithm_of_the_rank() -> None:
    scores = score({"1": ["B", "A"]}, POOL)
    assert scores.mean(Measure.NDCG) == pytest.approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)))


def test_unjudged_documents_count_as_wrong_unless_condensed() -> None:
    scores = score({"1": ["X", "A", "B"]}, POOL)
    ideal = 2 + 1 / log2(3)
    assert scores.mean(Measure.NDCG) == pytest.approx((2 / log2(3) + 1 / 2) / ideal)
    assert scores.mean(Measure.CONDENSED) == pytest.approx(1)


def test_only_what_answers_counts_for_recall_and_for_the_first_rank() -> None:
    scores = score({"1": ["B", "C", "A"]}, POOL)
    assert scores.mean(Measure.RECALL) == 1
    assert scores.mean(Measure.MRR) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("ranked", "share"), [(["A", "B"], 1), (["B", "A"], 0), (["A"], 1), (["B"], 0), ([], 0)]
)
def test_an_answer_has_to_stand_before_what_is_against_it(ranked: list[str], share: float) -> None:
    assert score({"1": ranked}, POOL).mean(Measure.PAIRS) == share


def test_a_topic_that_found_nothing_is_zero_and_one_that_was_not_asked_is_left_out() -> None:
    collection = judged({"1": {"A": 1}, "2": {"B": 1}, "3": {"C": 1}})
    scores = score({"1": ["A"], "2": []}, collection)
    assert scores.by_topic[Measure.NDCG] == {"1": 1, "2": 0}
    assert scores.topics == 2


def test_topics_without_an_answer_are_not_scored() -> None:
    collection = judged({"1": {"A": 1}, "2": {"B": 0}})
    assert score({"1": ["A"], "2": ["B"]}, collection).topics == 1


def test_a_measure_without_topics_has_no_mean() -> None:
    assert score({"1": ["A"]}, judged({"1": {"A": 1}})).mean(Measure.PAIRS) is None
