"""Studies as documents: what becomes a section, what is only searched, and that every section can be proven."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import raw_study, study
from proband.errors import CitationError
from proband.model import FOREVER, Facets, GeoPoint, Section, SectionKind
from proband.text.reading import Reading, plain
from proband.trials.criteria import Account, Criterion, CriterionKind, Split
from proband.trials.documents import natural_key, published_text, study_document, study_facets
from proband.trials.markup import clean
from proband.trials.registry import parse_study
from proband.trials.study import Study
from shared_data import shared

INCLUSION, EXCLUSION = SectionKind.INCLUSION_CRITERION, SectionKind.EXCLUSION_CRITERION


def no_criteria(_: str, __: Sequence[str]) -> Split:
    return Split((), False, Account(0))


def sections(a_study: Study, kind: SectionKind) -> list[Section]:
    document = study_document(a_study, no_criteria)
    return [section for section in document.sections if section.kind == kind]


def shown(a_study: Study, kind: SectionKind) -> list[tuple[str, str, str]]:
    """(field, text, what is embedded before the text) of each section of a kind."""
    return [
        (s.field, s.reading.text, s.embed_text.removesuffix(s.reading.text))
        for s in sections(a_study, kind)
    ]


def test_titles_are_sections_and_the_acronym_is_searched_with_the_brief_one() -> None:
    titles = {"briefTitle": "Imaginol", "officialTitle": "A Study of Imaginol", "acronym": "IMAG"}
    found = study(identificationModule={"nctId": "NCT99000001", **titles})
    assert shown(found, SectionKind.TITLE) == [
        ("briefTitle", "Imaginol", "IMAG: "),
        ("officialTitle", "A Study of Imaginol", ""),
    ]
    assert [section.ordinal for section in sections(found, SectionKind.TITLE)] == [1, 2]


def test_study_without_a_title_is_titled_by_its_id() -> None:
    found = study(identificationModule={"nctId": "NCT99000001"})
    first = study_document(found).sections[0]
    assert (first.kind, first.field, first.reading.text) == (
        SectionKind.TITLE,
        "nctId",
        "NCT99000001",
    )
    assert published_text(found, "nctId") == "NCT99000001"


def test_official_title_that_says_the_same_is_left_out() -> None:
    titles = {"briefTitle": "Imaginol in Adults", "officialTitle": "IMAGINOL in  adults"}
    found = study(identificationModule={"nctId": "NCT99000001", **titles})
    assert shown(found, SectionKind.TITLE) == [("briefTitle", "Imaginol in Adults", "")]


def test_acronym_in_the_title_is_not_repeated() -> None:
    titles = {"briefTitle": "IMAG: Imaginol", "acronym": "IMAG"}
    found = study(identificationModule={"nctId": "NCT99000001", **titles})
    assert shown(found, SectionKind.TITLE) == [("briefTitle", "IMAG: Imaginol", "")]


def test_conditions_and_keywords_are_one_section_found_by_mesh_terms() -> None:
    raw = raw_study(
        conditionsModule={
            "conditions": ["Breast Cancer", "Pain"],
            "keywords": ["HER2-low", "breast cancer"],
        }
    )
    raw["derivedSection"] = {
        "conditionBrowseModule": {
            "meshes": [{"term": "Breast Neoplasms"}, {"term": "Pain"}],
            "ancestors": [{"term": "Neoplasms by Site"}, {"term": "Neoplasms"}],
        }
    }
    assert shown(parse_study(raw), SectionKind.CONDITION) == [
        (
            "conditions",
            "Breast Cancer; Pain; HER2-low",
            "Neoplasms; Neoplasms by Site; Breast Neoplasms; ",
        )
    ]


def test_summary_and_description_are_read_without_markup() -> None:
    texts = {"briefSummary": "\n   Age \\>= 18\r\n   years ", "detailedDescription": "a &lt; b"}
    found = study(descriptionModule=texts)
    assert shown(found, SectionKind.BRIEF_SUMMARY) == [("briefSummary", "Age >= 18 years", "")]
    assert shown(found, SectionKind.DETAILED_DESCRIPTION) == [("detailedDescription", "a < b", "")]


def test_each_intervention_is_a_section_found_by_type_and_other_names() -> None:
    drug = {"type": "DRUG", "name": "Imaginol", "description": "10 mg", "otherNames": ["IMG-1"]}
    bare = {"name": "Talking"}
    found = study(armsInterventionsModule={"interventions": [drug, bare]})
    assert shown(found, SectionKind.INTERVENTION) == [
        ("interventions[0]", "Imaginol: 10 mg", "Drug; IMG-1: "),
        ("interventions[1]", "Talking", ""),
    ]


def test_a_drug_answers_to_its_names_and_a_talk_does_not() -> None:
    drug = {"type": "DRUG", "name": "Imaginol 10 mg", "otherNames": ["IMG-1", "Imagix", "L01XC32"]}
    untyped = {"name": "Fantasin"}
    talk = {"type": "BEHAVIORAL", "name": "Talking"}
    found = study(armsInterventionsModule={"interventions": [drug, untyped, talk]})
    first, second, third = sections(found, SectionKind.INTERVENTION)
    assert {"drug:imaginol", "drug:img1", "drug:imagix", "atc:L01XC32"} <= set(first.exact)
    assert (second.exact, third.exact) == (("drug:fantasin",), ())


def test_a_study_answers_to_each_of_its_identifiers() -> None:
    found = study(
        "NCT99000007",
        identificationModule={
            "nctId": "NCT99000007",
            "nctIdAliases": ["NCT99000907"],
            "acronym": "IMAGINE",
            "orgStudyIdInfo": {"id": "IMG-007"},
            "secondaryIdInfos": [
                {"id": "2020-000007-42", "type": "EUDRACT_NUMBER"},
                {"type": "OTHER"},
            ],
        },
    )
    own = {"=nct99000007", "=nct99000907", "=imagine", "=img007", "=2020-000007-42", "~img7"}
    assert own <= set(study_document(found).exact)


def test_each_outcome_is_a_section_with_its_time_frame() -> None:
    found = study(
        outcomesModule={
            "primaryOutcomes": [
                {"measure": "Survival", "description": "From day 1", "timeFrame": "5 years"}
            ],
            "secondaryOutcomes": [{"measure": "Pain"}],
        }
    )
    assert shown(found, SectionKind.OUTCOME) == [
        ("outcomes[0]", "Survival: From day 1 [5 years]", "Primary outcome: "),
        ("outcomes[1]", "Pain", "Secondary outcome: "),
    ]


def test_text_without_a_readable_character_is_no_section() -> None:
    found = study(descriptionModule={"briefSummary": "&nbsp; \u200b", "detailedDescription": "x"})
    assert shown(found, SectionKind.BRIEF_SUMMARY) == []
    assert sections(found, SectionKind.DETAILED_DESCRIPTION)[0].ordinal == 1


def test_criteria_become_sections_as_they_were_split() -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def split(text: str, arms: Sequence[str]) -> Split:
        asked.append((text, tuple(arms)))
        criteria = (
            Criterion(CriterionKind.INCLUSION, 1, plain(text, 0, 6), (), (), (), "Adults"),
            Criterion(
                kind=CriterionKind.EXCLUSION,
                ordinal=1,
                reading=plain(text, 7),
                above=(plain(text, 0, 6),),
                labels=("Hepatic",),
                arms=("Cohort A",),
                embed_text="Prior: Pregnancy",
            ),
            Criterion(CriterionKind.UNPARSED, 1, plain(text, 0, 3), (), (), (), "Adu"),
        )
        return Split(criteria, False, Account(15))

    arms = {"armGroups": [{"label": "Cohort A"}]}
    found = study(
        eligibilityModule={"eligibilityCriteria": "Adults Pregnancy"}, armsInterventionsModule=arms
    )
    document = study_document(found, split)
    assert asked == [("Adults Pregnancy", ("Cohort A",))]
    inclusion, exclusion, unparsed = document.sections[-3:]
    assert (inclusion.kind, inclusion.ordinal, inclusion.reading.text) == (INCLUSION, 1, "Adults")
    assert exclusion == Section(
        kind=EXCLUSION,
        ordinal=1,
        field="eligibilityCriteria",
        reading=plain("Adults Pregnancy", 7),
        embed_text="Prior: Pregnancy",
        parents=("Adults",),
        labels=("Hepatic",),
        arms=("Cohort A",),
        above=(plain("Adults Pregnancy", 0, 6),),
    )
    assert unparsed.kind == SectionKind.ELIGIBILITY_UNPARSED


def test_study_without_criteria_is_not_split() -> None:
    def no_split(_: str, __: Sequence[str]) -> Split:
        raise AssertionError("there is nothing to split")

    found = study(eligibilityModule={"sex": "ALL"})
    assert [s.kind for s in study_document(found, no_split).sections] == [SectionKind.TITLE]


def test_document_is_keyed_by_registry_and_nct_id() -> None:
    document = study_document(study("NCT99000007"))
    assert str(document.key) == "ctgov/studies/NCT99000007"
    assert natural_key(document.key, INCLUSION, 3) == "NCT99000007:INCLUSION_CRITERION:3"


def test_contacts_appear_in_no_section_and_no_facet() -> None:
    person = {"name": "Somebody", "email": "somebody@example.invalid", "phone": "555-0100"}
    site = {"facility": "Clinic", "contacts": [person], "geoPoint": {"lat": 1.0, "lon": 2.0}}
    module = {"centralContacts": [person], "overallOfficials": [person], "locations": [site]}
    found = repr(study_document(study(contactsLocationsModule=module)))
    assert not [part for part in ("Somebody", "somebody", "555-0100") if part in found]


# --- facets ----------------------------------------------------------------------------------------------------------


def test_facets_state_what_the_registry_states() -> None:
    raw = raw_study(
        designModule={"studyType": "INTERVENTIONAL", "phases": ["PHASE1", "PHASE2"]},
        conditionsModule={"conditions": ["Sjögren's  Syndrome", "SJOGREN'S SYNDROME"]},
        eligibilityModule={"sex": "FEMALE", "minimumAge": "18 Years", "maximumAge": "65 Years"},
    )
    raw["derivedSection"] = {
        "conditionBrowseModule": {
            "meshes": [{"term": "Dry Eye"}],
            "ancestors": [{"term": "Eye Diseases"}],
        }
    }
    assert study_facets(parse_study(raw)) == Facets(
        status="RECRUITING",
        study_type="INTERVENTIONAL",
        phases=("PHASE1", "PHASE2"),
        sex="FEMALE",
        min_age_days=6574,
        max_age_days=24106,
        conditions=("sjogren's syndrome", "dry eye", "eye diseases"),
        sites=(),
    )


def test_facts_that_the_registry_does_not_state_are_unknown_or_open() -> None:
    bare = parse_study({"protocolSection": {"identificationModule": {"nctId": "NCT99000001"}}})
    assert study_facets(bare) == Facets("UNKNOWN", "UNKNOWN", (), "UNKNOWN", 0, FOREVER, (), ())


def site(lat: float, status: str | None = None) -> dict[str, Any]:
    return {"status": status, "geoPoint": {"lat": lat, "lon": 10.0}}


@pytest.mark.parametrize(
    ("status", "latitudes"),
    [("RECRUITING", [1.0, 3.0]), ("NOT_YET_RECRUITING", []), ("COMPLETED", [])],
)
def test_only_sites_that_enrol_now_are_places_to_go(status: str, latitudes: list[float]) -> None:
    sites = [site(1.0, "RECRUITING"), site(2.0, "WITHDRAWN"), site(3.0), site(1.0), {"city": "X"}]
    found = study(
        statusModule={"overallStatus": status}, contactsLocationsModule={"locations": sites}
    )
    assert study_facets(found).sites == tuple(GeoPoint(latitude, 10.0) for latitude in latitudes)


# --- proof -----------------------------------------------------------------------------------------------------------


def proven(a_study: Study, section: Section) -> bool:
    """Whether the section's text is what a reader sees in its span of the published text."""
    published = published_text(a_study, section.field)
    reading, span = section.reading, section.reading.span
    if section.field == "eligibilityCriteria":
        return all(_read_from(published, reading))
    return clean(published, span.start, span.end).text == reading.text


def _read_from(published: str, reading: Reading) -> list[bool]:
    """For each character whether its published range says it: as it is, as markup, or as white space."""
    return [
        character in (" ", published[start:end], clean(published, start, end).text)
        for character, start, end in zip(reading.text, reading.starts, reading.ends, strict=True)
    ]


MARKUP = (
    " ",
    "\n",
    "\r\n",
    "\u00a0",
    "\u200b",
    "&lt;",
    "&amp;gt;",
    "&nbsp;",
    "\\>",
    "\\*",
    "\\",
    "&",
)
WORDS = (
    "Age",
    "歳",
    "\U0001f600",
    "[",
    "]",
    "Inclusion Criteria:",
    "- ",
    "* ",
    "**",
    "1. ",
    "; ",
    ": ",
)
PIECES = st.sampled_from((*MARKUP, *WORDS))
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@st.composite
def studies(draw: st.DrawFn) -> Study:
    return study(
        identificationModule={
            "nctId": "NCT99000001",
            "briefTitle": draw(TEXTS),
            "officialTitle": draw(TEXTS),
        },
        descriptionModule={"briefSummary": draw(TEXTS), "detailedDescription": draw(TEXTS)},
        conditionsModule={
            "conditions": draw(st.lists(TEXTS, max_size=3)),
            "keywords": draw(st.lists(TEXTS, max_size=3)),
        },
        armsInterventionsModule={
            "interventions": [{"name": draw(TEXTS), "description": draw(TEXTS)}]
        },
        outcomesModule={
            "otherOutcomes": [{"measure": draw(TEXTS), "description": draw(TEXTS)}] * 2
        },
        eligibilityModule={"eligibilityCriteria": draw(TEXTS)},
    )


@given(studies())
def test_every_section_can_be_proven_by_slicing_the_published_text(a_study: Study) -> None:
    for section in study_document(a_study).sections:
        assert section.reading.text
        assert proven(a_study, section)


@given(studies())
def test_the_text_of_a_section_ends_what_is_embedded(a_study: Study) -> None:
    """The chunker relies on it to give each part of a long section the same beginning."""
    for section in study_document(a_study, no_criteria).sections:
        assert section.embed_text.endswith(section.reading.text)


@given(studies())
def test_ordinals_count_from_one_within_each_kind(a_study: Study) -> None:
    document = study_document(a_study)
    for kind in SectionKind:
        ordinals = [section.ordinal for section in document.sections if section.kind == kind]
        assert ordinals == list(range(1, len(ordinals) + 1))


def test_a_field_that_the_study_lacks_cannot_be_cited() -> None:
    with pytest.raises(CitationError, match=r"NCT99000001 has no text 'outcomes\[7\]'"):
        published_text(study(), "outcomes[7]")


@pytest.mark.shared
def test_every_full_record_of_the_development_data_is_proven() -> None:
    for path in sorted(shared("data/trials/raw_v2").glob("*.json")):
        found = parse_study(json.loads(path.read_text(encoding="utf-8")))
        document = study_document(found)
        assert {s.kind for s in document.sections} >= {SectionKind.TITLE, SectionKind.CONDITION}
        assert all(proven(found, section) for section in document.sections)


@pytest.mark.shared
@pytest.mark.slow
def test_every_study_of_the_development_data_is_proven() -> None:
    with gzip.open(shared("data/trials/studies.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            found = parse_study(json.loads(line))
            document = study_document(found, no_criteria)
            assert all(proven(found, section) for section in document.sections)
