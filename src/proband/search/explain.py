"""Why a passage was found, for `--explain` and for the JSON shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    Condition,
    Filter,
    Found,
    Lane,
    Near,
    NoneOf,
    Passage,
    QueryPlan,
    SearchResult,
)


@dataclass(frozen=True, slots=True)
class Reason:
    """One place where a passage was found: the rank and the score of one form of the question in one lane."""

    document: str
    passage: Passage
    found: Found
    asked: str


def lanes(passage: Passage) -> dict[str, int]:
    """The best rank of the passage in each lane that found it."""
    best: dict[str, int] = {}
    for place in passage.found:
        best[place.lane] = min(place.rank, best.get(place.lane, place.rank))
    return best


def reasons(result: SearchResult) -> Iterator[Reason]:
    """Every place of every passage, documents and passages in the order of the result, best rank first."""
    for hit in result.hits:
        for passage in hit.passages:
            for place in sorted(passage.found, key=lambda place: (place.rank, place.lane)):
                yield Reason(str(hit.document), passage, place, _asked(result.plan, place))


def _asked(plan: QueryPlan | None, place: Found) -> str:
    """The form of the question that found it."""
    if plan is None:
        return ""
    if place.lane is Lane.EXACT:
        return ", ".join((*plan.exact, *plan.phrases))
    return plan.variants[place.variant].text


def conditions(where: Filter) -> tuple[str, ...]:
    """The filter in words, one condition each."""
    return tuple(_in_words(condition) for condition in where.conditions)


def _in_words(condition: Condition) -> str:
    match condition:
        case AnyOf(name, values):
            return f"{name} is {' or '.join(values)}"
        case NoneOf(name, values):
            return f"{name} is not {' or '.join(values)}"
        case AtMost(name, value):
            return f"{name} at most {value}"
        case AtLeast(name, value):
            return f"{name} at least {value}"
        case Near(name, place, radius_km):
            return f"{name} within {radius_km:g} km of {place.latitude:g}, {place.longitude:g}"
