from __future__ import annotations

import pytest

from library import Library
from proband.errors import UsageError
from proband.model import FOREVER, Facets, Filter, GeoPoint, Scope, SectionKind
from proband.trials.filters import (
    Phase,
    Sex,
    StudyType,
    Wanted,
    narrative_filter,
    study_filter,
)

ADULT = Facets(
    status="RECRUITING",
    study_type="INTERVENTIONAL",
    phases=("PHASE1", "PHASE2"),
    sex="FEMALE",
    min_age_days=6574,
    max_age_days=24106,
    conditions=("sjogren syndrome",),
    sites=(GeoPoint(52.52, 13.40),),
)
UNSTATED = Facets()
BERLIN = GeoPoint(52.5, 13.4)
HAMBURG = GeoPoint(53.55, 9.99)


def lets_in(where: Filter, facets: Facets, kind: SectionKind = SectionKind.TITLE) -> bool:
    library = Library()
    library.add("STUDY", "text", kind, facets)
    return library.index.count(Scope.public().view(1, where)) == 1


def test_nothing_wanted_lets_everything_in() -> None:
    assert study_filter(Wanted()) == Filter()


@pytest.mark.parametrize(
    ("wanted", "adult", "unstated"),
    [
        (Wanted(recruiting=True), True, False),
        (Wanted(phases=(Phase.PHASE2, Phase.PHASE3)), True, False),
        (Wanted(phases=(Phase.PHASE3,)), False, False),
        (Wanted(study_types=(StudyType.INTERVENTIONAL,)), True, False),
        (Wanted(study_types=(StudyType.OBSERVATIONAL,)), False, False),
        (Wanted(conditions=("Sjögren  Syndrome",)), True, False),
        (Wanted(conditions=("asthma",)), False, False),
        (Wanted(age_days=6574), True, True),
        (Wanted(age_days=6573), False, True),
        (Wanted(age_days=24106), True, True),
        (Wanted(age_days=24107), False, True),
        (Wanted(sex=Sex.FEMALE), True, True),
        (Wanted(sex=Sex.MALE), False, True),
        (Wanted(place=BERLIN, radius_km=5), True, False),
        (Wanted(place=HAMBURG, radius_km=200), False, False),
        (Wanted(place=HAMBURG, radius_km=300), True, False),
        (Wanted(recruiting=True, sex=Sex.MALE), False, False),
    ],
)
def test_a_study_fits_what_is_wanted(wanted: Wanted, adult: bool, unstated: bool) -> None:
    assert lets_in(study_filter(wanted), ADULT) is adult
    assert lets_in(study_filter(wanted), UNSTATED) is unstated


def test_a_study_for_all_takes_either_sex() -> None:
    for sex in Sex:
        assert lets_in(study_filter(Wanted(sex=sex)), Facets(sex="ALL"))


@pytest.mark.parametrize(
    ("kind", "criteria_only", "no_exclusions"),
    [
        (SectionKind.INCLUSION_CRITERION, True, True),
        (SectionKind.EXCLUSION_CRITERION, True, False),
        (SectionKind.ELIGIBILITY_UNPARSED, True, True),
        (SectionKind.BRIEF_SUMMARY, False, True),
    ],
)
def test_sections_are_left_out(kind: SectionKind, criteria_only: bool, no_exclusions: bool) -> None:
    assert lets_in(study_filter(Wanted(criteria_only=True)), ADULT, kind) is criteria_only
    assert lets_in(study_filter(Wanted(no_exclusions=True)), ADULT, kind) is no_exclusions
    both = study_filter(Wanted(criteria_only=True, no_exclusions=True))
    assert lets_in(both, ADULT, kind) is (criteria_only and no_exclusions)


@pytest.mark.parametrize(
    ("narrative", "lower", "upper", "sex", "fits"),
    [
        ("A 70-year-old woman", 0, FOREVER, "ALL", True),
        ("A 70-year-old woman", 0, 24106, "ALL", False),
        ("A 70-year-old woman", 0, FOREVER, "MALE", False),
        ("A 70-year-old woman", 0, FOREVER, "UNKNOWN", True),
        ("A 3-day-old boy", 6574, FOREVER, "ALL", False),
        ("Someone with asthma", 6574, 24106, "MALE", True),
    ],
)
def test_a_narrative_keeps_the_studies_that_let_its_patient_in(
    narrative: str, lower: int, upper: int, sex: str, fits: bool
) -> None:
    facets = Facets(sex=sex, min_age_days=lower, max_age_days=upper)
    assert lets_in(narrative_filter(narrative), facets) is fits


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(UsageError, match="-1 days"):
        Wanted(age_days=-1)
    with pytest.raises(UsageError, match="more than 0 km"):
        Wanted(place=BERLIN, radius_km=0)
