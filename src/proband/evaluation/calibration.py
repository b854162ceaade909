"""Risk control: the loosest threshold whose share of unanswerable questions answered is bounded.

The thresholds are tested from the strictest to the loosest, and the last one before the first failure is taken; because
the number of questions answered only grows on that way, the bound holds with the stated confidence although the
threshold was chosen on the same questions (Angelopoulos, Bates, Candes, Jordan and Lei, "Learn then Test", 2021:
fixed sequence testing). The bound is that of Clopper and Pearson, "The use of confidence or fiducial limits illustrated
in the case of the binomial", Biometrika 1934.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from proband.model import Accepted, Agreement, Breadth, Decision, RefusalKind, Scale
from proband.search.certificate import Certificate, CurvePoint, Figures, MadeWith

ALWAYS, NEVER = math.inf, -math.inf
"""Scores of a question that is answered whatever the threshold, and of one that is refused whatever it is."""

DIGITS = 4
"""Of a threshold: scores of the same texts on other processors agree to about so many."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A labelled question with the score of its best document."""

    id: str
    score: float
    answerable: bool


def certify(
    weighed: Sequence[Weighed],
    risk: float,
    confidence: float,
    questions: str,
    not_weighed: int,
    made_with: MadeWith,
    scale: Scale = Scale.COVERAGE,
) -> Certificate:
    """The threshold that the calibration half chooses, and what it does to both halves."""
    chosen, held_out = halves(weighed)
    points = curve(chosen, confidence)
    threshold = choose(points, risk)
    return Certificate(
        threshold=threshold,
        scale=scale,
        risk=risk,
        confidence=confidence,
        calibration=figures(chosen, threshold, confidence),
        held_out=figures(held_out, threshold, confidence),
        curve=points,
        questions=questions,
        not_weighed=not_weighed,
        made_with=made_with,
    )


def weight(decision: Decision, breadth: Breadth) -> float | None:
    """The score that a threshold is compared with; None for a question that none applies to."""
    if breadth is Breadth.BROAD:
        return None
    if not isinstance(decision, Accepted) and decision.kind is not RefusalKind.TOO_WEAK:
        return NEVER
    signals = decision.signals
    if signals.looked_up or signals.score is None:
        return ALWAYS
    return NEVER if signals.polarity is Agreement.OPPOSES else signals.score


def halves(weighed: Sequence[Weighed]) -> tuple[list[Weighed], list[Weighed]]:
    """The calibration half and the held-out half, by the hash of the id: adding questions moves no other one."""
    chosen = [one for one in weighed if is_held_out(one.id) is False]
    return chosen, [one for one in weighed if is_held_out(one.id)]


def is_held_out(question: str) -> bool:
    """Whether the question of this id has no part in choosing the threshold."""
    return hashlib.sha256(question.encode()).digest()[0] % 2 == 1


def upper_bound(failures: int, of: int, confidence: float) -> float:
    """The share that is not exceeded with this confidence when `failures` of `of` were seen (Clopper-Pearson).

    The p at which so few failures have the probability 1 - confidence, by bisection. Error below 1e-12.
    """
    if failures >= of:
        return 1.0
    low, high = failures / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(failures, of, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(failures: int, of: int, share: float) -> float:
    """The probability of at most so many failures, binomial."""
    if share >= 1:
        return 0.0
    terms = (
        math.lgamma(of + 1)
        - math.lgamma(k + 1)
        - math.lgamma(of - k + 1)
        + (k * math.log(share) if k else 0.0)
        + (of - k) * math.log1p(-share)
        for k in range(failures + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


def figures(weighed: Sequence[Weighed], threshold: float | None, confidence: float) -> Figures:
    """What the threshold does to these questions; without one all of them are answered."""
    needed = NEVER if threshold is None else threshold

    def is_answered(one: Weighed) -> bool:
        return one.score >= needed and one.score != NEVER

    none = [one for one in weighed if not one.answerable]
    some = [one for one in weighed if one.answerable]
    answered = sum(map(is_answered, none))
    refused = len(some) - sum(map(is_answered, some))
    return Figures(
        unanswerable=len(none),
        answered=answered,
        answerable=len(some),
        refused=refused,
        risk=_share(answered, len(none)),
        risk_bound=upper_bound(answered, len(none), confidence),
        false_refusals=_share(refused, len(some)),
        coverage=_share(answered + len(some) - refused, len(weighed)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def curve(weighed: Sequence[Weighed], confidence: float) -> tuple[CurvePoint, ...]:
    """The points of the risk-coverage curve, from the strictest threshold to the loosest, one a distinct score."""
    scores = {_rounded(one.score) for one in weighed if math.isfinite(one.score)}
    return tuple(_point(weighed, score, confidence) for score in sorted(scores, reverse=True))


def _rounded(score: float) -> float:
    return float(math.floor(score * 10**DIGITS) / 10**DIGITS)


def _point(weighed: Sequence[Weighed], threshold: float, confidence: float) -> CurvePoint:
    at = figures(weighed, threshold, confidence)
    return CurvePoint(threshold, at.risk, at.risk_bound, at.false_refusals, at.coverage)


def choose(points: Sequence[CurvePoint], risk: float) -> float | None:
    """The loosest threshold up to which every one keeps the bound; None when the strictest does not.

    Between two scores every threshold does the same to these questions, so the middle is taken: as far from the score
    that must not be answered as from the one that must.
    """
    chosen = None
    for point in points:
        if point.risk_bound > risk:
            middle = _rounded((chosen + point.threshold) / 2) if chosen else point.threshold
            return middle if middle > point.threshold else chosen
        chosen = point.threshold
    return chosen
