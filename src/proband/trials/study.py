"""A study as the registry publishes it, typed. `registry.parse_study` makes one from an API v2 object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from proband.model import DocumentKey

SOURCE = "ctgov"
COLLECTION = "studies"


def study_key(nct_id: str) -> DocumentKey:
    """The document key of a study."""
    return DocumentKey(SOURCE, COLLECTION, (nct_id,))


@dataclass(frozen=True, slots=True)
class Site:
    """A place where the study runs. `status` is the site's own, None when the registry does not state it."""

    facility: str | None
    city: str | None
    state: str | None
    country: str | None
    status: str | None
    latitude: float | None
    longitude: float | None


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm group as the registry names it."""

    label: str
    type: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class Intervention:
    """What is given or done."""

    type: str | None
    name: str
    description: str | None
    arm_labels: tuple[str, ...]
    other_names: tuple[str, ...]


class OutcomeKind(StrEnum):
    """How much an outcome counts."""

    PRIMARY = "PRIMARY"
    SECONDARY = "SECONDARY"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is measured, as the registry states it."""

    kind: OutcomeKind
    measure: str
    description: str | None
    time_frame: str | None


@dataclass(frozen=True, slots=True)
class Study:
    """One study. A field that the registry leaves out is None or empty; `ages` says what an age in days means.

    `raw` is the record as fetched, in API v2 shape, never changed. `digest` is the sha256 of its canonical JSON without
    the fields that change with every registry release. `sponsor_ids` are the organisation's id and the secondary ones.
    """

    nct_id: str
    aliases: tuple[str, ...]
    brief_title: str | None
    official_title: str | None
    acronym: str | None
    status: str | None
    last_update: str | None
    study_type: str | None
    phases: tuple[str, ...]
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    mesh_terms: tuple[str, ...]
    interventions: tuple[Intervention, ...]
    arms: tuple[Arm, ...]
    sites: tuple[Site, ...]
    sex: str | None
    min_age: str | None
    max_age: str | None
    min_age_days: int | None
    max_age_days: int | None
    healthy_volunteers: bool | None
    eligibility: str
    raw: Mapping[str, Any]
    digest: str
    brief_summary: str | None = None
    detailed_description: str | None = None
    mesh_ancestors: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    sponsor_ids: tuple[str, ...] = ()

    @property
    def identifiers(self) -> tuple[str, ...]:
        """What the study itself is called: NCT id, former ids, the sponsor's and other registries' ids, acronym."""
        acronym = (self.acronym,) if self.acronym else ()
        return (self.nct_id, *self.aliases, *self.sponsor_ids, *acronym)

    @property
    def key(self) -> DocumentKey:
        """The study's document key."""
        return study_key(self.nct_id)

    @property
    def title(self) -> str:
        """The title to show: brief, else official, else the NCT id."""
        return self.brief_title or self.official_title or self.nct_id

    def enrolling_sites(self) -> tuple[Site, ...]:
        """Sites that enrol now: RECRUITING, or without a stated status in a study that recruits."""
        if self.status != "RECRUITING":
            return ()
        return tuple(site for site in self.sites if site.status in (None, "RECRUITING"))
