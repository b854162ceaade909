"""Whether a scope lets a row through, without an index: the same conditions over the row's own facets."""

from __future__ import annotations

from proband.model import AnyOf, AtLeast, AtMost, Condition, Facets, Field, Filter, Near, NoneOf

WORDS = (Field.PATIENT, Field.TABLE, Field.FACILITY, Field.SENSITIVITY)
DAYS = (Field.FIRST_DAY, Field.LAST_DAY)


def permits(where: Filter, facets: Facets) -> bool:
    """Whether the row fits every condition. Raises ValueError for a field that rows do not have: never let through."""
    return all(_fits(condition, facets) for condition in where.conditions)


def _fits(condition: Condition, facets: Facets) -> bool:
    if condition.field not in (*WORDS, *DAYS):
        raise ValueError(f"rows have no {condition.field}")
    held = getattr(facets, condition.field.value)
    match condition:
        case AnyOf(_, values):
            return bool(held) and held in values
        case NoneOf(_, values):
            return not held or held not in values
        case AtMost(_, value):
            return bool(held <= value)
        case AtLeast(_, value):
            return bool(held >= value)
        case Near():
            raise ValueError("rows have no place")
