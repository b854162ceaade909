"""What a person asks of a study besides the words, as a filter. What the registry does not state lets a study pass."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proband.errors import UsageError
from proband.model import (
    CRITERIA,
    AnyOf,
    AtLeast,
    AtMost,
    Condition,
    Field,
    Filter,
    GeoPoint,
    Near,
    NoneOf,
    SectionKind,
)
from proband.text.demographics import demographics
from proband.text.fold import folded_name

UNKNOWN = "UNKNOWN"
RECRUITING = "RECRUITING"


class Phase(StrEnum):
    """The registry's phases; a study can have two."""

    EARLY_PHASE1 = "EARLY_PHASE1"
    PHASE1 = "PHASE1"
    PHASE2 = "PHASE2"
    PHASE3 = "PHASE3"
    PHASE4 = "PHASE4"
    NA = "NA"


class StudyType(StrEnum):
    """The registry's study types."""

    INTERVENTIONAL = "INTERVENTIONAL"
    OBSERVATIONAL = "OBSERVATIONAL"
    EXPANDED_ACCESS = "EXPANDED_ACCESS"


class Sex(StrEnum):
    """The sex of a patient, in the registry's words."""

    FEMALE = "FEMALE"
    MALE = "MALE"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a study has to be like; what is not given does not matter.

    Args:
        recruiting: it takes patients now.
        phases: it has one of these.
        study_types: it is one of these.
        conditions: it names one of these conditions, case and accents aside.
        age_days: its age limits let this age in.
        sex: it takes this sex.
        place: a site that enrols now lies within `radius_km` of it, so the study recruits.
        criteria_only: only eligibility criteria are searched.
        no_exclusions: exclusion criteria are not searched: matching one is the opposite of qualifying.
    """

    recruiting: bool = False
    phases: tuple[Phase, ...] = ()
    study_types: tuple[StudyType, ...] = ()
    conditions: tuple[str, ...] = ()
    age_days: int | None = None
    sex: Sex | None = None
    place: GeoPoint | None = None
    radius_km: float = 80.0
    criteria_only: bool = False
    no_exclusions: bool = False

    def __post_init__(self) -> None:
        if self.age_days is not None and self.age_days < 0:
            raise UsageError(f"An age cannot be negative (got {self.age_days} days).")
        if not self.radius_km > 0:  # also when it is no number
            raise UsageError(f"A distance must be more than 0 km (got {self.radius_km:g}).")


def study_filter(wanted: Wanted) -> Filter:
    """The conjunction of all that is wanted."""
    return Filter(
        (*_kind(wanted), *_design(wanted), *_patient(wanted.age_days, wanted.sex), *_place(wanted))
    )


def narrative_filter(narrative: str) -> Filter:
    """The studies whose age limits and sex let the patient in whom the narrative describes."""
    read = demographics(narrative)
    return Filter(_patient(read.age_days, Sex(read.sex) if read.sex else None))


def _kind(wanted: Wanted) -> tuple[Condition, ...]:
    only = (AnyOf(Field.KIND, CRITERIA),) if wanted.criteria_only else ()
    without = (NoneOf(Field.KIND, (SectionKind.EXCLUSION_CRITERION,)),)
    return (*only, *without) if wanted.no_exclusions else only


def _design(wanted: Wanted) -> tuple[Condition, ...]:
    chosen = (
        (Field.STATUS, (RECRUITING,) if wanted.recruiting else ()),
        (Field.PHASES, wanted.phases),
        (Field.STUDY_TYPE, wanted.study_types),
        (Field.CONDITIONS, tuple(folded_name(condition) for condition in wanted.conditions)),
    )
    return tuple(AnyOf(field, values) for field, values in chosen if values)


def _patient(age_days: int | None, sex: Sex | None) -> tuple[Condition, ...]:
    age = (
        ()
        if age_days is None
        else (AtMost(Field.MIN_AGE_DAYS, age_days), AtLeast(Field.MAX_AGE_DAYS, age_days))
    )
    return age if sex is None else (*age, AnyOf(Field.SEX, (sex, "ALL", UNKNOWN)))


def _place(wanted: Wanted) -> tuple[Condition, ...]:
    if wanted.place is None:
        return ()
    return (Near(Field.SITES, wanted.place, wanted.radius_km),)
