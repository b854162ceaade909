"""Why a passage was found, for `--explain` and for the JSON shape."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    Condition,
    DocumentKey,
    Field,
    Filter,
    Found,
    Lane,
    Near,
    NoneOf,
    Passage,
    QueryPlan,
    SearchResult,
    SectionKind,
)

NAMES = {
    Field.STATUS: "status",
    Field.STUDY_TYPE: "study type",
    Field.PHASES: "phase",
    Field.SEX: "sex",
    Field.CONDITIONS: "condition",
    Field.KIND: "sections",
    Field.MIN_AGE_DAYS: "lowest age",
    Field.MAX_AGE_DAYS: "highest age",
    Field.SITES: "a site",
}
VALUES = {
    SectionKind.INCLUSION_CRITERION: "inclusion criteria",
    SectionKind.EXCLUSION_CRITERION: "exclusion criteria",
    SectionKind.ELIGIBILITY_UNPARSED: "unparsed criteria",
    "EARLY_PHASE1": "early phase 1",
    "PHASE1": "phase 1",
    "PHASE2": "phase 2",
    "PHASE3": "phase 3",
    "PHASE4": "phase 4",
    "NA": "not applicable",
    "UNKNOWN": "not stated",
}
CODED = (Field.STATUS, Field.STUDY_TYPE, Field.PHASES, Field.SEX, Field.KIND)
"""Fields whose values are the registry's or our own codes; those of the others are words already."""
AGE_UNITS = (("year", 365.25), ("month", 365.25 / 12), ("week", 7.0))
"""Days of a unit, longest first."""


@dataclass(frozen=True, slots=True)
class Form:
    """One thing that was asked, and in which lanes."""

    lanes: tuple[Lane, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Where a passage was found: best rank first, each place with the number of the form that was asked (from 1)."""

    document: str
    passage: Passage
    places: tuple[tuple[Found, int], ...]


def forms(plan: QueryPlan) -> tuple[Form, ...]:
    """What was asked: the variants in their order, then identifiers and phrases, if any."""
    exact = ", ".join((*(term.text for term in plan.exact), *plan.phrases))
    asked = tuple(Form(variant.lanes, variant.text) for variant in plan.variants)
    return (*asked, Form((Lane.EXACT,), exact)) if exact else asked


def lanes(found: Iterable[Found]) -> dict[str, int]:
    """The best rank in each lane that found a passage or document."""
    best: dict[str, int] = {}
    for place in found:
        best[place.lane] = min(place.rank, best.get(place.lane, place.rank))
    return best


@dataclass(frozen=True, slots=True)
class Standing:
    """Why a document stands where it stands: its rank among documents in each lane, by form; None: not found."""

    document: DocumentKey
    score: float
    ranks: Mapping[Lane, tuple[int | None, ...]]
    rerank: Found | None


def standings(result: SearchResult) -> tuple[Standing, ...]:
    """The documents of a result, or those that are nearest, in its order."""
    asked = forms(result.plan) if result.plan else ()
    return tuple(
        Standing(
            hit.document,
            hit.score,
            {lane: _ranks(hit.found, lane, asked) for form in asked for lane in form.lanes},
            next((place for place in hit.found if place.lane is Lane.RERANK), None),
        )
        for hit in (*result.hits, *result.nearest)
    )


def _ranks(found: Sequence[Found], lane: Lane, asked: Sequence[Form]) -> tuple[int | None, ...]:
    """The best rank of each form that was asked in this lane."""
    variants = [number for number, form in enumerate(asked) if lane in form.lanes]
    if lane is Lane.EXACT:
        variants = [0]
    return tuple(
        min(
            (one.rank for one in found if one.lane is lane and one.variant == variant), default=None
        )
        for variant in variants
    )


def reasons(result: SearchResult) -> Iterator[Reason]:
    """Each passage with all places where it was found, documents and passages in the order of the result."""
    variants = len(result.plan.variants) if result.plan else 0
    for hit in (*result.hits, *result.nearest):
        for passage in hit.passages:
            places = sorted(passage.found, key=lambda place: (place.rank, place.lane))
            yield Reason(
                str(hit.document),
                passage,
                tuple((place, _number(place, variants)) for place in places),
            )


def _number(place: Found, variants: int) -> int:
    return variants + 1 if place.lane is Lane.EXACT else place.variant + 1


def conditions(where: Filter) -> tuple[str, ...]:
    """The filter in words, one condition each."""
    return tuple(_in_words(condition) for condition in where.conditions)


def _in_words(condition: Condition) -> str:
    name = NAMES.get(condition.field, condition.field.value)
    match condition:
        case AnyOf(field, values):
            return f"{name}: {_either([_value(field, value) for value in values])}"
        case NoneOf(field, values):
            return f"{name} other than {_either([_value(field, value) for value in values])}"
        case AtMost(_, days):
            return f"{name} at most {_age(days)}"
        case AtLeast(_, days):
            return f"{name} at least {_age(days)}"
        case Near(_, place, radius_km):
            return f"{name} within {radius_km:g} km of {place.latitude:g}, {place.longitude:g}"


def _value(field: Field, value: str) -> str:
    if field not in CODED:
        return value
    return VALUES.get(value, value.replace("_", " ").lower())


def _either(values: Sequence[str]) -> str:
    *others, last = values or ("nothing",)
    return f"{', '.join(others)} or {last}" if others else last


def _age(days: int) -> str:
    """54 years for 19,724 days, the first day at which that age is reached; days where no unit fits."""
    for unit, length in AGE_UNITS:
        count = int(days / length)
        if count and math.ceil(count * length) == days:
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{days:,} days"
