"""Accept or refuse: the last stage, pure over what was found.

Absence is an answer: that the filter lets nothing through, that something is not there, and that what is nearest is too
weak are different values with different words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proband.model import (
    Accepted,
    Agreement,
    Breadth,
    Decision,
    Filter,
    QueryPlan,
    RefusalKind,
    Refused,
    Scale,
    Searched,
    Signals,
    WordMatch,
)
from proband.search.explain import conditions
from proband.search.recall import PHRASE_DEPTH
from proband.search.signals import NEAR


@dataclass(frozen=True, slots=True)
class Gate:
    """What the score of a pointed question has to reach.

    Args:
        threshold: None: nothing is refused for being weak.
        uncertified: why the threshold has no bound, or why there is none; empty when it is certified.
    """

    threshold: float | None = None
    scale: Scale = Scale.COVERAGE
    uncertified: str = ""


def decide(
    plan: QueryPlan,
    signals: Signals | None,
    gate: Gate,
    searched: Callable[[], Searched],
) -> Decision:
    """Accepts or refuses what was found for `plan`.

    Args:
        signals: of the best document; None when nothing was found.
        searched: counts where it was looked for; asked only when nothing was found or the answer is no.
    """
    kind = _refusal(plan, signals, gate)
    seen = signals or Signals()
    if kind is None:
        return Accepted(seen, gate.threshold, gate.uncertified)
    where = searched()
    if where.passages == 0:
        kind = RefusalKind.NOTHING_FITS
    reason = _reason(kind, seen, gate, where)
    return Refused(kind, reason, where, seen, gate.threshold, gate.uncertified)


def _refusal(plan: QueryPlan, signals: Signals | None, gate: Gate) -> RefusalKind | None:
    """Broad questions are refused only when empty; what was looked up and found needs no score.

    Of several things that were asked for exactly, one that stands somewhere is enough.
    """
    if signals is None:
        return RefusalKind.NOT_THERE
    if plan.breadth is Breadth.BROAD:
        return None
    if signals.absent and len(signals.absent) == signals.exact[1]:
        return RefusalKind.NOT_THERE
    if signals.looked_up or is_enough(signals, gate):
        return None
    return RefusalKind.TOO_WEAK


def is_enough(signals: Signals, gate: Gate) -> bool:
    """Whether the score reaches the threshold and no passage opposes; without a threshold nothing is too weak.

    A score cannot see that all words are near and one is denied: polarity is a condition beside it (decision 016).
    """
    if gate.threshold is None or signals.score is None or signals.scale is not gate.scale:
        return True
    return signals.score >= gate.threshold and signals.polarity is not Agreement.OPPOSES


def _reason(kind: RefusalKind, signals: Signals, gate: Gate, where: Searched) -> str:
    match kind:
        case RefusalKind.NOTHING_FITS:
            return f"No document passes the filter{_where(where.plan.where)}, so there was nothing to search."
        case RefusalKind.NOT_THERE if signals.absent:
            names = " and ".join(f'"{text}"' for text in signals.absent)
            return f"{names} was not found in the {_documents(where)}{_looked_through(where)}."
        case RefusalKind.NOT_THERE if not where.plan.variants:
            return f'"{where.plan.standalone}" was not found in the {_documents(where)}.'
        case RefusalKind.NOT_THERE:
            return f"Nothing was found in the {_documents(where)}."
        case RefusalKind.TOO_WEAK:
            return f"Nothing near enough was found in the {_documents(where)}: {_weakness(signals, gate)}"


def _documents(where: Searched) -> str:
    known = where.documents is not None
    count, noun = (where.documents, "document") if known else (where.passages, "passage")
    return f"{count:,} {noun}{'' if count == 1 else 's'} searched{_where(where.plan.where)}"


def _where(where: Filter) -> str:
    return f" (only where {'; '.join(conditions(where))})" if where.conditions else ""


def _looked_through(where: Searched) -> str:
    """A phrase of everyday words can stand in more passages than are read for it."""
    if not where.plan.phrases or where.passages <= PHRASE_DEPTH:
        return ""
    return f"; for a quoted phrase the {PHRASE_DEPTH:,} passages nearest to its words were read"


def _weakness(signals: Signals, gate: Gate) -> str:
    if signals.polarity is Agreement.OPPOSES:
        return "the first one says the opposite of what the question denies or calls positive or negative."
    said = (
        f"the study that answers most of the question answers {signals.score:.2f} of it, "
        f"an answer needs {gate.threshold:.2f}"
    )
    missing = missing_words(signals)
    if not missing:
        return said + "."
    words = ", ".join(word.word for word in missing)
    return f"{said}; it has nothing like {words} outside its exclusion criteria."


def missing_words(signals: Signals) -> tuple[WordMatch, ...]:
    """The words of the question that the best document has nothing near to."""
    return tuple(word for word in signals.words if word.nearest < NEAR)
