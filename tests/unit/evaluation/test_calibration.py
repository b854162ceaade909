from __future__ import annotations

import math
from fractions import Fraction

import pytest

from proband.evaluation.calibration import (
    ALWAYS,
    NEVER,
    Weighed,
    certify,
    choose,
    curve,
    figures,
    halves,
    is_held_out,
    upper_bound,
    weight,
)
from proband.model import (
    Accepted,
    Agreement,
    Breadth,
    Filter,
    QueryPlan,
    RefusalKind,
    Refused,
    Searched,
    Signals,
)
from proband.search.certificate import MadeWith

MADE = MadeWith("m", "r", "a", "c", "1", 83, 1483)
WHERE = Searched(1, QueryPlan("q", (), (), (), Filter()), 5, 1)


def questions(no_answer: list[float], answered: list[float]) -> list[Weighed]:
    return [
        *(Weighed(f"n{number}", score, False) for number, score in enumerate(no_answer)),
        *(Weighed(f"a{number}", score, True) for number, score in enumerate(answered)),
    ]


@pytest.mark.parametrize(
    ("failures", "of", "bound"),
    [  # one-sided 95%, as in tables of the Clopper-Pearson limit
        (0, 10, 0.2589),
        (0, 20, 0.1391),
        (1, 20, 0.2161),
        (2, 20, 0.2826),
        (0, 29, 0.0981),
        (20, 20, 1.0),
        (0, 0, 1.0),
    ],
)
def test_bound_has_the_published_values(failures: int, of: int, bound: float) -> None:
    assert upper_bound(failures, of, 0.95) == pytest.approx(bound, abs=5e-5)


def test_at_the_bound_so_few_failures_have_the_probability_that_confidence_leaves() -> None:
    share = Fraction(upper_bound(6, 116, 0.95))
    tail = sum(math.comb(116, k) * share**k * (1 - share) ** (116 - k) for k in range(7))
    assert float(tail) == pytest.approx(0.05, abs=1e-9)
    assert 0.099 < share < 0.1


def test_bound_of_a_thousand_questions_is_finite_and_above_the_share() -> None:
    assert 0.5 < upper_bound(500, 1000, 0.95) < 0.53


def test_figures_count_what_reaches_the_threshold() -> None:
    found = figures(questions([0.1, 0.5, NEVER], [0.2, 0.5, 0.9, ALWAYS]), 0.5, 0.95)
    assert (found.unanswerable, found.answered) == (3, 1)
    assert (found.answerable, found.refused) == (4, 1)
    assert (found.risk, found.false_refusals) == (pytest.approx(1 / 3), 0.25)
    assert found.coverage == pytest.approx(4 / 7)


def test_without_a_threshold_only_what_was_not_found_is_refused() -> None:
    found = figures(questions([0.1, NEVER], [0.2, NEVER]), None, 0.95)
    assert (found.answered, found.refused) == (1, 1)


def test_the_curve_goes_from_strict_to_loose_and_risk_and_coverage_only_grow() -> None:
    points = curve(questions([0.1, 0.3, 0.3, 0.52], [0.2, 0.51, 0.9, ALWAYS]), 0.95)
    assert [point.threshold for point in points] == [0.9, 0.52, 0.51, 0.3, 0.2, 0.1]
    assert [point.risk for point in points] == [0, 0.25, 0.25, 0.75, 0.75, 1]
    coverage = [point.coverage for point in points]
    assert coverage == sorted(coverage)


def test_the_loosest_threshold_that_keeps_the_bound_is_chosen() -> None:
    asked = questions([0.3 + n / 1000 for n in range(60)], [0.2, 0.32, 0.353, 0.4, 0.9])
    points = curve(asked, 0.95)
    threshold = choose(points, 0.1)
    assert threshold == 0.3585  # half way to 0.358, which is too loose
    assert figures(asked, threshold, 0.95).risk_bound <= 0.1
    assert figures(asked, 0.358, 0.95).risk_bound > 0.1


def test_with_too_few_questions_no_threshold_is_chosen() -> None:
    assert choose(curve(questions([0.1] * 28, [0.9]), 0.95), 0.1) is None
    assert choose(curve(questions([0.1] * 29, [0.9]), 0.95), 0.1) == 0.5


def test_no_point_after_the_first_failure_is_taken() -> None:
    points = curve(questions([0.9, 0.1] * 40, [0.5]), 0.95)
    assert choose(points, 0.1) is None


def test_about_half_of_the_questions_is_held_out_whatever_the_others_are() -> None:
    asked = [Weighed(f"question-{n}", 0.5, True) for n in range(1000)]
    chosen, held_out = halves(asked)
    assert 450 < len(held_out) < 550
    assert len(chosen) + len(held_out) == 1000
    assert [one.id for one in held_out] == [one.id for one in asked if is_held_out(one.id)]


def test_certificate_holds_the_figures_of_both_halves() -> None:
    asked = questions([n / 1000 for n in range(200)], [0.5 + n / 1000 for n in range(100)])
    found = certify(asked, 0.1, 0.95, "digest", 3, MADE)
    assert found.threshold is not None
    assert found.calibration.risk_bound <= 0.1
    assert found.calibration.unanswerable + found.held_out.unanswerable == 200
    assert (found.questions, found.not_weighed, found.made_with) == ("digest", 3, MADE)


@pytest.mark.parametrize(
    ("decision", "breadth", "score"),
    [
        (Accepted(Signals(score=0.4)), Breadth.POINTED, 0.4),
        (Accepted(Signals(score=0.4)), Breadth.BROAD, None),
        (Accepted(Signals(score=0.4, looked_up=True)), Breadth.POINTED, ALWAYS),
        (Accepted(Signals()), Breadth.POINTED, ALWAYS),
        (
            Accepted(Signals(score=0.4, polarity=Agreement.OPPOSES)),
            Breadth.POINTED,
            NEVER,
        ),
        (
            Refused(RefusalKind.TOO_WEAK, "weak", WHERE, Signals(score=0.3)),
            Breadth.POINTED,
            0.3,
        ),
        (
            Refused(RefusalKind.NOT_THERE, "none", WHERE, Signals(score=0.3)),
            Breadth.POINTED,
            NEVER,
        ),
    ],
)
def test_a_question_weighs_what_a_threshold_would_be_compared_with(
    decision: Accepted | Refused, breadth: Breadth, score: float | None
) -> None:
    assert weight(decision, breadth) == score
