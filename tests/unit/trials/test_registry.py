"""API v2 objects to studies: everything stated is read, and one wrong field never loses the study."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import raw_study
from proband.errors import StudyParseError
from proband.trials.registry import parse_study, phase_words, registry_word, study_digest, yes_or_no
from proband.trials.study import Arm, Intervention, Outcome, OutcomeKind, Site
from shared_data import shared


def full_study() -> dict[str, Any]:
    raw: dict[str, Any] = raw_study(
        identificationModule={
            "nctId": "NCT99000002",
            "nctIdAliases": ["NCT99000901"],
            "briefTitle": "Imaginol in Adults",
            "officialTitle": "A Phase 2 Study of Imaginol",
            "acronym": "IMAGINE",
        },
        statusModule={
            "overallStatus": "ACTIVE_NOT_RECRUITING",
            "lastUpdatePostDateStruct": {"date": "2026-09"},
        },
        descriptionModule={"briefSummary": "Short.", "detailedDescription": "Long \\> short."},
        conditionsModule={"conditions": ["Breast Cancer"], "keywords": ["HER2-low"]},
        designModule={
            "studyType": "INTERVENTIONAL",
            "phases": ["PHASE1", "PHASE2"],
            "enrollmentInfo": {"count": 99999999},
        },
        armsInterventionsModule={
            "armGroups": [{"label": "A", "type": "EXPERIMENTAL", "description": "Imaginol daily"}],
            "interventions": [
                {
                    "type": "DRUG",
                    "name": "Imaginol",
                    "description": "10 mg",
                    "armGroupLabels": ["A"],
                    "otherNames": ["IMG-1"],
                }
            ],
        },
        outcomesModule={
            "primaryOutcomes": [{"measure": "Survival", "timeFrame": "5 years"}],
            "otherOutcomes": [{"measure": "Pain", "description": "By diary"}],
        },
        eligibilityModule={
            "eligibilityCriteria": "* Adults",
            "healthyVolunteers": False,
            "sex": "FEMALE",
            "minimumAge": "18 Years",
            "maximumAge": "65 Years",
        },
        contactsLocationsModule={
            "locations": [
                {
                    "facility": "Clinic",
                    "city": "Springfield",
                    "state": "Nowhere",
                    "country": "Atlantis",
                    "status": "RECRUITING",
                    "geoPoint": {"lat": 48.2, "lon": 16.37},
                    "contacts": [{"name": "Somebody"}],
                }
            ]
        },
    )
    raw["derivedSection"] = {
        "miscInfoModule": {"versionHolder": "2026-09-04"},
        "conditionBrowseModule": {
            "meshes": [{"id": "D1", "term": "Breast Neoplasms"}],
            "ancestors": [{"id": "D2", "term": "Neoplasms"}],
        },
    }
    return raw


def test_everything_that_the_object_states_is_read() -> None:
    study = parse_study(full_study())
    assert study.nct_id == "NCT99000002"
    assert str(study.key) == "ctgov/studies/NCT99000002"
    assert study.aliases == ("NCT99000901",)
    assert (study.brief_title, study.official_title) == (
        "Imaginol in Adults",
        "A Phase 2 Study of Imaginol",
    )
    assert study.acronym == "IMAGINE"
    assert study.status == "ACTIVE_NOT_RECRUITING"
    assert study.last_update == "2026-09"
    assert study.brief_summary == "Short."
    assert study.detailed_description == "Long \\> short."
    assert study.study_type == "INTERVENTIONAL"
    assert study.phases == ("PHASE1", "PHASE2")
    assert (study.conditions, study.keywords) == (("Breast Cancer",), ("HER2-low",))
    assert study.mesh_terms == ("Breast Neoplasms",)
    assert study.mesh_ancestors == ("Neoplasms",)
    assert study.arms == (Arm("A", "EXPERIMENTAL", "Imaginol daily"),)
    assert study.interventions == (Intervention("DRUG", "Imaginol", "10 mg", ("A",), ("IMG-1",)),)
    assert study.outcomes == (
        Outcome(OutcomeKind.PRIMARY, "Survival", None, "5 years"),
        Outcome(OutcomeKind.OTHER, "Pain", "By diary", None),
    )
    assert study.sites == (
        Site("Clinic", "Springfield", "Nowhere", "Atlantis", "RECRUITING", 48.2, 16.37),
    )
    assert (study.sex, study.healthy_volunteers) == ("FEMALE", False)
    assert (study.min_age, study.min_age_days) == ("18 Years", 6574)
    assert (study.max_age, study.max_age_days) == ("65 Years", 24106)
    assert study.eligibility == "* Adults"


def test_what_the_object_leaves_out_is_absent() -> None:
    study = parse_study({"protocolSection": {"identificationModule": {"nctId": "NCT99000003"}}})
    assert (study.brief_title, study.status, study.study_type, study.sex) == (None,) * 4
    assert (study.min_age_days, study.max_age_days, study.healthy_volunteers) == (None,) * 3
    assert (study.phases, study.conditions, study.sites, study.outcomes) == ((),) * 4
    assert study.eligibility == ""
    assert study.title == "NCT99000003"


def test_status_unknown_is_kept_as_the_registry_states_it() -> None:
    assert parse_study(raw_study(statusModule={"overallStatus": "UNKNOWN"})).status == "UNKNOWN"


def test_text_is_kept_verbatim_with_its_white_space() -> None:
    criteria = "\n        Inclusion:\r\n\r\n          -  \u2265 18\r\n"
    raw = raw_study(eligibilityModule={"eligibilityCriteria": criteria})
    assert parse_study(raw).eligibility == criteria


def test_the_record_itself_is_kept() -> None:
    raw = full_study()
    assert parse_study(raw).raw is raw
    assert raw == full_study()


@pytest.mark.parametrize("raw", [None, 7, "study", [], ["NCT99000001"], {}])
def test_what_is_no_study_is_rejected_with_its_place(raw: object) -> None:
    with pytest.raises(StudyParseError, match=r"^file\.jsonl, line 7: "):
        parse_study(raw, "file.jsonl, line 7")


@pytest.mark.parametrize("nct_id", [None, 99000001, "", "NCT1", "ISRCTN99000001", ["NCT99000001"]])
def test_study_without_an_nct_id_is_rejected(nct_id: object) -> None:
    raw = {"protocolSection": {"identificationModule": {"nctId": nct_id}}}
    with pytest.raises(StudyParseError, match="the study has no NCT id"):
        parse_study(raw)


def test_nct_id_is_read_whatever_its_case_and_spaces() -> None:
    assert parse_study(raw_study(" nct99000001 ")).nct_id == "NCT99000001"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = (
    ("statusModule", "overallStatus"),
    ("statusModule", "lastUpdatePostDateStruct"),
    ("designModule", "phases"),
    ("conditionsModule", "conditions"),
    ("armsInterventionsModule", "interventions"),
    ("armsInterventionsModule", "armGroups"),
    ("outcomesModule", "primaryOutcomes"),
    ("eligibilityModule", "eligibilityCriteria"),
    ("eligibilityModule", "minimumAge"),
    ("eligibilityModule", "healthyVolunteers"),
    ("contactsLocationsModule", "locations"),
)


@given(st.sampled_from(FIELDS), JSON)
def test_one_wrong_field_never_loses_the_study(field: tuple[str, str], value: Any) -> None:
    raw = full_study()
    raw["protocolSection"][field[0]][field[1]] = value
    assert parse_study(raw).brief_title == "Imaginol in Adults"


@given(st.sampled_from(sorted(full_study()["protocolSection"])), JSON)
def test_a_module_of_the_wrong_type_reads_as_absent(module: str, value: Any) -> None:
    raw = full_study()
    raw["protocolSection"][module] = value
    if module == "identificationModule":
        with pytest.raises(StudyParseError):
            parse_study(raw)
    else:
        assert parse_study(raw).nct_id == "NCT99000002"


@pytest.mark.parametrize(
    "point",
    [
        {"lat": "48", "lon": 16},
        {"lat": 48},
        {"lat": 91, "lon": 0},
        {"lat": True, "lon": 1},
        {"lat": float("nan"), "lon": 0.0},
        {"lat": 10**400, "lon": 0},
        [],
    ],
)
def test_coordinates_that_are_no_place_on_the_globe_are_absent(point: object) -> None:
    raw = raw_study(contactsLocationsModule={"locations": [{"city": "X", "geoPoint": point}]})
    assert parse_study(raw).sites == (Site(None, "X", None, None, None, None, None),)


def test_characters_that_cannot_be_stored_are_replaced_one_for_one() -> None:
    raw = raw_study(eligibilityModule={"eligibilityCriteria": "a\ud800b\x00c \U0001f600"})
    assert parse_study(raw).eligibility == "a\ufffdb\ufffdc \U0001f600"


def test_digest_ignores_what_changes_every_day() -> None:
    raw, later = full_study(), full_study()
    later["derivedSection"]["miscInfoModule"]["versionHolder"] = "2026-09-05"
    later["_source"] = {"layout": "api_v2_verbatim"}
    assert study_digest(later) == study_digest(raw)


def test_digest_ignores_the_order_of_keys() -> None:
    raw = full_study()
    assert study_digest(dict(reversed(raw.items()))) == study_digest(raw)


def test_digest_changes_with_any_other_field() -> None:
    raw, edited = full_study(), full_study()
    edited["protocolSection"]["eligibilityModule"]["sex"] = "ALL"
    assert study_digest(edited) != study_digest(raw)


def test_digest_of_a_known_record_never_changes() -> None:
    """A new value here means that every stored study would be read as changed."""
    assert study_digest(raw_study()) == (
        "080060a2a8c6cd84be2d8157e772856ac976fae5bc1f001e297cf1ec01e6d3a2"
    )


def test_nesting_beyond_what_json_can_write_is_a_rejection() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    raw = raw_study(otherModule={"deep": deep})
    with pytest.raises(StudyParseError, match="NCT99000001: the record is nested too deeply"):
        parse_study(raw)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("RECRUITING", "RECRUITING"),
        ("Active, not recruiting", "ACTIVE_NOT_RECRUITING"),
        ("Unknown status", "UNKNOWN"),
        ("Observational [Patient Registry]", "OBSERVATIONAL"),
        ("Dietary Supplement", "DIETARY_SUPPLEMENT"),
        ("Both", "ALL"),
        ("N/A", "NA"),
        ("", None),
        (None, None),
    ],
)
def test_words_of_all_formats_are_spelled_as_the_api_does(
    text: str | None, word: str | None
) -> None:
    assert registry_word(text) == word


@pytest.mark.parametrize(
    ("text", "phases"),
    [
        ("Phase 1/Phase 2", ["PHASE1", "PHASE2"]),
        ("PHASE1/PHASE2", ["PHASE1", "PHASE2"]),
        ("Early Phase 1", ["EARLY_PHASE1"]),
        ("Phase 3", ["PHASE3"]),
        ("N/A", ["NA"]),
        (None, []),
    ],
)
def test_phases_are_separated(text: str | None, phases: list[str]) -> None:
    assert phase_words(text) == phases


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (True, True),
        (False, False),
        ("Accepts Healthy Volunteers", True),
        ("No", False),
        ("t", True),
        ("f", False),
        ("perhaps", None),
        (1, None),
        (None, None),
    ],
)
def test_yes_and_no_are_read_in_every_spelling(value: object, answer: bool | None) -> None:
    assert yes_or_no(value) is answer


@pytest.mark.shared
def test_every_study_of_the_development_data_is_read() -> None:
    with gzip.open(shared("data/trials/studies.jsonl.gz"), "rt", encoding="utf-8") as lines:
        studies = [parse_study(json.loads(line)) for line in lines]
    assert len({study.nct_id for study in studies}) == 17_877
    assert all(study.eligibility for study in studies)
    ages = {study.min_age for study in studies if study.min_age and study.min_age_days is None}
    assert ages == {"N/A"}


@pytest.mark.shared
def test_every_full_record_of_the_development_data_is_read() -> None:
    paths = sorted(shared("data/trials/raw_v2").glob("*.json"))
    studies = [parse_study(json.loads(path.read_text(encoding="utf-8"))) for path in paths]
    assert [study.nct_id for study in studies] == [path.stem for path in paths]
    assert sum(site.latitude is not None for study in studies for site in study.sites) == 897


def test_nct_id_in_full_width_is_the_same_id() -> None:
    wide = "NCT" + "".join(chr(ord(digit) + 0xFEE0) for digit in "99000001")
    assert parse_study(raw_study(wide)).nct_id == "NCT99000001"
