"""The sample is fictional beyond doubt, has the registry's shape, and hangs together."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from proband.sample import demo_file, studies_folder
from proband.text.analyser import terms
from proband.trials.ages import first_day, last_day
from proband.trials.registry import parse_study
from sample_corpus import Raw, eligibility, module, paths, raw_studies, sites, status, strings
from shared_data import shared

IDS = sorted(raw_studies())
EVERY_STUDY = pytest.mark.parametrize("study", raw_studies().values(), ids=IDS)

INVENTED = "This study is invented for the proband sample."
CONTACTS = {"contacts", "centralContacts", "overallOfficials", "email", "phone", "url"}
REACHABLE = re.compile(
    r"\w@\w|https?:|www\.|\+\d{2}[ -]?\d{3}|\(\d{3}\) ?\d{3}|\b\d{3}-\d{3}-\d{4}\b"
)
MODULES = {
    "identificationModule", "statusModule", "sponsorCollaboratorsModule", "oversightModule", "descriptionModule",
    "conditionsModule", "designModule", "armsInterventionsModule", "outcomesModule", "eligibilityModule",
}  # fmt: skip
STATUSES = {
    "RECRUITING", "NOT_YET_RECRUITING", "ACTIVE_NOT_RECRUITING", "COMPLETED", "TERMINATED", "WITHDRAWN", "SUSPENDED",
    "ENROLLING_BY_INVITATION", "UNKNOWN",
}  # fmt: skip
DAYS_OF_LIFE = {"CHILD": (0, 6573), "ADULT": (6575, 23740), "OLDER_ADULT": (23742, 40000)}
"""Under 18, 18 to 64, 65 and older; a birthday's day itself is left out, because a limit may round to either side."""


def test_ids_run_without_a_gap_and_sixty_six_or_more_studies_have_one() -> None:
    assert [f"NCT99{number:06d}" for number in range(1, len(IDS) + 1)] == IDS
    assert len(IDS) >= 66


def test_the_folder_holds_nothing_but_studies() -> None:
    assert {path.suffix for path in studies_folder().iterdir()} == {".json"}


def test_every_file_is_named_after_its_study() -> None:
    studies = raw_studies().values()
    assert [module(study, "identificationModule")["nctId"] for study in studies] == IDS


@EVERY_STUDY
def test_sponsor_identifier_and_summary_say_that_the_study_is_fictional(study: Raw) -> None:
    identification = module(study, "identificationModule")
    sponsors = module(study, "sponsorCollaboratorsModule")
    names = [
        sponsors["leadSponsor"]["name"],
        *(each["name"] for each in sponsors.get("collaborators", [])),
    ]
    assert all(name.startswith("Fictional ") for name in names)
    assert identification["organization"]["fullName"] == sponsors["leadSponsor"]["name"]
    assert identification["orgStudyIdInfo"]["id"].startswith("FICTION-")
    assert module(study, "descriptionModule")["briefSummary"].endswith(INVENTED)


@EVERY_STUDY
def test_every_facility_is_fictional(study: Raw) -> None:
    facilities = [site["facility"] for site in sites(study)]
    assert [name for name in facilities if not name.startswith("Fictional ")] == []


@EVERY_STUDY
def test_nobody_can_be_reached_through_a_study(study: Raw) -> None:
    fields = {path.rsplit(".", 1)[1] for path in paths(study)}
    texts = "\n".join(strings(study))
    assert not fields & CONTACTS
    assert not REACHABLE.search(texts)


@EVERY_STUDY
def test_every_study_has_the_modules_of_the_registry(study: Raw) -> None:
    assert set(study["protocolSection"]) >= MODULES
    assert set(study) >= {"protocolSection", "derivedSection", "hasResults"}
    assert sites(study) or status(study) == "WITHDRAWN"


def test_every_field_is_one_that_the_registry_uses() -> None:
    published = {
        path
        for file in shared("data/trials/raw_v2").glob("*.json")
        for path in paths(json.loads(file.read_text(encoding="utf-8")))
    }
    assert {path for study in raw_studies().values() for path in paths(study)} <= published


@EVERY_STUDY
def test_dates_are_in_order(study: Raw) -> None:
    module_ = module(study, "statusModule")
    names = ("studyFirstSubmitDate", "studyFirstSubmitQcDate")
    first = [module_[name] for name in names] + [module_["studyFirstPostDateStruct"]["date"]]
    last = [module_["lastUpdateSubmitDate"], module_["lastUpdatePostDateStruct"]["date"]]
    course = [
        module_[f"{name}DateStruct"]["date"]
        for name in ("start", "primaryCompletion", "completion")
    ]
    for dates in (first, last, course, [first[-1], last[-1]]):
        assert all(date.fromisoformat(a) <= date.fromisoformat(b) for a, b in pairwise(dates))


@EVERY_STUDY
def test_a_date_after_the_last_update_is_an_estimate(study: Raw) -> None:
    module_ = module(study, "statusModule")
    updated = module_["lastUpdatePostDateStruct"]["date"]
    for name in ("start", "primaryCompletion", "completion"):
        struct = module_[f"{name}DateStruct"]
        assert struct["type"] == "ESTIMATED" or struct["date"] <= updated


@EVERY_STUDY
def test_standard_ages_are_those_of_the_age_limits(study: Raw) -> None:
    limits = module(study, "eligibilityModule")
    low = first_day(limits.get("minimumAge")) or 0
    high = last_day(limits.get("maximumAge")) or 40000
    expected = [name for name, (start, end) in DAYS_OF_LIFE.items() if low <= end and high >= start]
    assert limits["stdAges"] == expected


@EVERY_STUDY
def test_arms_and_interventions_name_each_other(study: Raw) -> None:
    groups = module(study, "armsInterventionsModule")
    arms = {
        arm["label"]: {name.partition(": ")[2] for name in arm.get("interventionNames", [])}
        for arm in groups.get("armGroups", [])
    }
    given = {
        each["name"]: set(each.get("armGroupLabels", []))
        for each in groups.get("interventions", [])
    }
    assert {(arm, name) for arm, names in arms.items() for name in names} == {
        (arm, name) for name, labels in given.items() for arm in labels
    }


def test_a_city_has_one_place_on_the_map() -> None:
    places: dict[tuple[str, str], set[tuple[float, float]]] = {}
    for study in raw_studies().values():
        for site in sites(study):
            point = site["geoPoint"]
            assert -60 < point["lat"] < 70
            assert -130 < point["lon"] < 180
            places.setdefault((site["city"], site["country"]), set()).add(
                (point["lat"], point["lon"])
            )
    assert {city for city, points in places.items() if len(points) > 1} == set()


def test_all_statuses_of_a_study_occur() -> None:
    assert {status(study) for study in raw_studies().values()} == STATUSES


def test_all_phases_occur() -> None:
    phases = {
        tuple(module(study, "designModule").get("phases", ())) for study in raw_studies().values()
    }
    assert phases == {
        (), ("NA",), ("PHASE1",), ("PHASE1", "PHASE2"), ("PHASE2",), ("PHASE2", "PHASE3"), ("PHASE3",), ("PHASE4",),
    }  # fmt: skip


def test_a_stopped_study_says_why() -> None:
    stopped = {"TERMINATED", "WITHDRAWN", "SUSPENDED"}
    ended = [study for study in raw_studies().values() if status(study) in stopped]
    assert all(module(study, "statusModule")["whyStopped"].endswith(".") for study in ended)


@EVERY_STUDY
def test_the_registry_reader_keeps_what_is_published(study: Raw) -> None:
    read = parse_study(study)
    assert read.nct_id == module(study, "identificationModule")["nctId"]
    assert read.title == module(study, "identificationModule")["briefTitle"]
    assert read.status == status(study)
    assert read.eligibility == eligibility(study)
    assert [site.city for site in read.sites] == [site["city"] for site in sites(study)]
    assert [arm.label for arm in read.arms] == [
        arm["label"] for arm in module(study, "armsInterventionsModule").get("armGroups", [])
    ]
    assert read.phases == tuple(module(study, "designModule").get("phases", ()))


def searches() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(demo_file().read_text(encoding="utf-8"))["search"]
    return found


def test_the_demo_has_three_searches_that_name_studies_of_the_sample() -> None:
    assert len(searches()) == 3
    for search in searches():
        assert set(search) == {"question", "options", "best", "notice"}
        assert set(search["best"]) <= set(IDS)
        assert search["notice"].endswith(".")


def test_the_first_demo_question_shares_no_term_with_the_study_it_finds() -> None:
    by_meaning = searches()[0]
    (best,) = by_meaning["best"]
    published = terms("\n".join(strings(raw_studies()[best])))
    assert set(terms(by_meaning["question"])) & set(published) == set()


def test_the_second_demo_question_quotes_what_exactly_its_studies_hold() -> None:
    by_term = searches()[1]
    phrase = by_term["question"].strip('"')
    texts = {name: "\n".join(strings(study)).casefold() for name, study in raw_studies().items()}
    assert [name for name, text in texts.items() if phrase in text] == by_term["best"]


def test_the_third_demo_question_turns_on_the_status_of_single_sites() -> None:
    def statuses(name: str, *cities: str) -> set[str]:
        return {site["status"] for site in sites(raw_studies()[name]) if site["city"] in cities}

    assert status(raw_studies()["NCT99000039"]) == "RECRUITING"
    assert statuses("NCT99000039", "Leeds", "Bradford") == {"ACTIVE_NOT_RECRUITING"}
    for name in searches()[2]["best"]:
        assert status(raw_studies()[name]) == "RECRUITING"
        assert statuses(name, "Leeds", "Bradford") == {"RECRUITING"}


@pytest.mark.parametrize("number", [33, 46, 78, 82])
def test_studies_near_the_third_demo_question_name_it_only_to_exclude(number: int) -> None:
    study = raw_studies()[f"NCT990000{number}"]
    before, _, exclusions = eligibility(study).partition("Exclusion Criteria")
    everything = "\n".join(strings(study))
    assert "heart failure" not in before.casefold()
    assert "heart failure" in exclusions.casefold()
    assert everything.casefold().count("heart failure") == exclusions.casefold().count(
        "heart failure"
    )
    assert {site["status"] for site in sites(study) if site["city"] in {"Leeds", "Bradford"}} == {
        "RECRUITING"
    }
