"""What a sync asks the registry and what it learns from the answers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from proband.errors import UsageError
from proband.trials.fetched import Fetched, Place, Rejected

_ONLY_IDS = re.compile(r"\s*(?:NCT\d{8}(?:\s*[,|]\s*|\s+OR\s+|\s+|$))+", re.IGNORECASE)
_ID = re.compile(r"NCT\d{8}", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")


@dataclass(frozen=True, slots=True)
class StudyQuery:
    """Which studies are asked for. No field: all of them.

    Args:
        condition: the registry's fuzzy search for a condition or disease.
        term: the registry's search in its other fields, in its own query language.
        since: only what was last updated on this day or later, or at an unknown time.
    """

    condition: str = ""
    term: str = ""
    since: date | None = None

    def __post_init__(self) -> None:
        if _ONLY_IDS.fullmatch(self.condition):
            raise UsageError(f"{self.condition} names studies, not a condition; use --query.")

    @property
    def name(self) -> str:
        """What the catalogue remembers the query by; the day is no part of it."""
        asked = {"condition": self.condition.strip(), "query": self.term.strip()}
        words = ", ".join(f"{name} {text}" for name, text in asked.items() if text)
        return words[:500] or "all studies"

    def parameters(self) -> dict[str, str]:
        """The query in the API's parameters.

        A text of nothing but NCT ids becomes `filter.ids`, because with such a query text the API ignores filters
        (trials.md, fact 13). RANGE never returns studies without a value, so these are asked for beside it (fact 20).
        """
        only_ids = _ONLY_IDS.fullmatch(self.term)
        updated = f"AREA[LastUpdatePostDate]RANGE[{self.since},MAX]"
        parameters = {
            "query.cond": self.condition.strip(),
            "query.term": "" if only_ids else self.term.strip(),
            "filter.ids": ",".join(_ID.findall(self.term.upper())) if only_ids else "",
            "filter.advanced": f"{updated} OR AREA[LastUpdatePostDate]MISSING"
            if self.since
            else "",
        }
        return {name: value for name, value in parameters.items() if value}


@dataclass(frozen=True, slots=True)
class RegistryVersion:
    """The registry's software and the state of its data; each sync records it."""

    api: str
    data: str


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a walk through the studies of a query. A page may be empty and not the last.

    `number` counts from 1 and begins again when the walk has to begin again; what was delivered before then comes
    once more. `total` is how many studies the query has, as the first page said.
    """

    number: int
    items: tuple[Fetched | Rejected, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class Sweep:
    """The studies that the registry lists for a query: NCT id to day of last update.

    `doubt` says why nothing may be concluded from an id that is not in it; empty when the list is whole.
    """

    listed: Mapping[str, str | None]
    doubt: str = ""

    def absent(self, known: Iterable[str]) -> tuple[str, ...]:
        """Those of `known` that the registry does not list, in order; none while there is doubt."""
        return () if self.doubt else tuple(sorted(set(known) - self.listed.keys()))


@dataclass(frozen=True, slots=True)
class Removed:
    """The studies that the registry no longer has. `doubt` says why none is named though some are not listed."""

    nct_ids: tuple[str, ...] = ()
    doubt: str = ""


def day_of(text: str | None) -> date | None:
    """The first day of a date that the registry gives as year, month or day; None when it is no date."""
    match = _DAY.fullmatch(text or "")
    if match is None:
        return None
    try:
        return date(*(int(part or 1) for part in match.groups()))
    except ValueError:
        return None


class Registry(Protocol):
    """A registry that can be asked: `adapters.ctgov.RegistryApi`."""

    def version(self) -> RegistryVersion:
        """The registry's software and the state of its data."""
        ...

    def fetch(self, query: StudyQuery, after: Place | None) -> Iterable[Fetched | Rejected]:
        """The studies of the query from where an interrupted walk had come to."""
        ...

    def removed(self, query: StudyQuery, known: Collection[str]) -> Removed:
        """Those of `known` that the registry no longer has."""
        ...
