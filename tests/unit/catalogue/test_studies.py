from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from factories import study
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.checkpoints import Checkpoint
from proband.catalogue.generations import Counts, Generation
from proband.catalogue.outbox import Action, OutboxEntry
from proband.catalogue.studies import Stored, StudyCard, StudyMark
from proband.model import Corpus
from proband.trials.study import Site, Study

FULL: dict[str, dict[str, Any]] = {
    "identificationModule": {
        "nctId": "NCT99000001",
        "nctIdAliases": ["NCT99000901"],
        "briefTitle": "Imaginol in Adults",
    },
    "statusModule": {
        "overallStatus": "RECRUITING",
        "lastUpdatePostDateStruct": {"date": "2026-05-04"},
    },
    "designModule": {"studyType": "INTERVENTIONAL", "phases": ["PHASE1", "PHASE2"]},
    "conditionsModule": {"conditions": ["Zebra Pox", "Asthma", "Zebra Pox"]},
    "armsInterventionsModule": {
        "interventions": [
            {"type": "DRUG", "name": "Imaginol"},
            {"type": "DEVICE", "name": "Imaginol"},
        ]
    },
    "eligibilityModule": {
        "eligibilityCriteria": "Inclusion Criteria:\n\n* Age 18 or older",
        "sex": "FEMALE",
        "minimumAge": "18 Years",
    },
    "contactsLocationsModule": {
        "locations": [
            {
                "facility": "Clinic B",
                "city": "Lund",
                "country": "Sweden",
                "status": "RECRUITING",
                "geoPoint": {"lat": 55.70584, "lon": 13.19321},
            },
            {"facility": "Clinic A", "country": "Sweden"},
        ]
    },
}


def completed(nct_id: str) -> Study:
    return study(nct_id, statusModule={"overallStatus": "COMPLETED"})


def statuses(catalogue: Catalogue, number: int) -> dict[str, str | None]:
    ids = [mark.nct_id for mark in catalogue.study_marks(number)]
    return {nct_id: card.status for nct_id, card in catalogue.studies(ids, number).items()}


def next_generation(catalogue: Catalogue, built: Generation) -> Generation:
    catalogue.activate(built, Counts(0, 0))
    return catalogue.begin(Corpus.TRIALS, "import", built.manifest)


def test_card_holds_what_a_result_shows_in_the_order_of_the_record(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study("NCT99000001", **FULL)])
    card = catalogue.studies(["NCT99000001"], built.number)["NCT99000001"]
    assert card == StudyCard(
        nct_id="NCT99000001",
        title="Imaginol in Adults",
        status="RECRUITING",
        study_type="INTERVENTIONAL",
        phases=("PHASE1", "PHASE2"),
        sex="FEMALE",
        min_age_days=card.min_age_days,
        max_age_days=None,
        last_update="2026-05-04",
        conditions=("Zebra Pox", "Asthma", "Zebra Pox"),
        interventions=("Imaginol", "Imaginol"),
        sites=(
            Site("Clinic B", "Lund", None, "Sweden", "RECRUITING", 55.70584, 13.19321),
            Site("Clinic A", None, None, "Sweden", None, None, None),
        ),
    )
    assert card.min_age_days == study("NCT99000001", **FULL).min_age_days


def test_study_that_states_nothing_is_shown_by_its_id(
    catalogue: Catalogue, built: Generation
) -> None:
    bare = study(identificationModule={"nctId": "NCT99000001"}, statusModule={})
    catalogue.store_studies(built, [bare])
    card = catalogue.studies(["NCT99000001"], built.number)["NCT99000001"]
    assert (card.title, card.status, card.phases, card.sites) == ("NCT99000001", None, (), ())


def test_record_comes_back_as_it_was_fetched(catalogue: Catalogue, built: Generation) -> None:
    raw = {"b": 1, "a": [1.5, None, True, "\ud800 lone", "é"], "c": {"z": 1, "y": 2}}
    catalogue.store_studies(built, [replace(study(), raw=raw)])
    stored = catalogue.raw_studies(["NCT99000001", "NCT99000009"], built.number)
    assert stored == {"NCT99000001": raw}
    assert list(stored["NCT99000001"]) == ["b", "a", "c"]


def test_storing_says_what_is_new_changed_and_as_before(
    catalogue: Catalogue, built: Generation
) -> None:
    both = [study("NCT99000001"), study("NCT99000002")]
    assert catalogue.store_studies(built, both) == Stored(("NCT99000001", "NCT99000002"), (), 0)
    second = next_generation(catalogue, built)
    offered = [study("NCT99000001"), completed("NCT99000002"), study("NCT99000003")]
    assert catalogue.store_studies(second, offered) == Stored(("NCT99000003",), ("NCT99000002",), 1)


def test_unchanged_study_writes_nothing(catalogue: Catalogue, built: Generation) -> None:
    catalogue.store_studies(built, [study()])
    second = next_generation(catalogue, built)
    catalogue.store_studies(second, [study()])
    assert catalogue.waiting_count(second) == 0
    assert catalogue.is_unchanged(second)


def test_each_generation_reads_its_own_version(catalogue: Catalogue, built: Generation) -> None:
    catalogue.store_studies(built, [study("NCT99000001"), study("NCT99000002")])
    second = next_generation(catalogue, built)
    catalogue.store_studies(second, [completed("NCT99000001")])
    catalogue.remove_studies(second, ["NCT99000002"])
    assert statuses(catalogue, 1) == {"NCT99000001": "RECRUITING", "NCT99000002": "RECRUITING"}
    assert statuses(catalogue, 2) == {"NCT99000001": "COMPLETED"}
    assert catalogue.study_count(1) == 2
    assert catalogue.study_count(2) == 1


def test_study_that_comes_back_is_read_again(catalogue: Catalogue, built: Generation) -> None:
    catalogue.store_studies(built, [study()])
    second = next_generation(catalogue, built)
    catalogue.remove_studies(second, ["NCT99000001"])
    third = next_generation(catalogue, second)
    assert catalogue.store_studies(third, [study()]).new == ("NCT99000001",)
    assert [statuses(catalogue, number) for number in (1, 2, 3)] == [
        {"NCT99000001": "RECRUITING"},
        {},
        {"NCT99000001": "RECRUITING"},
    ]


def test_second_change_within_a_generation_replaces_the_first(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study()])
    second = next_generation(catalogue, built)
    catalogue.store_studies(second, [completed("NCT99000001")])
    catalogue.store_studies(
        second, [study("NCT99000001", statusModule={"overallStatus": "WITHDRAWN"})]
    )
    assert statuses(catalogue, 1) == {"NCT99000001": "RECRUITING"}
    assert statuses(catalogue, 2) == {"NCT99000001": "WITHDRAWN"}


def test_study_that_came_and_went_within_a_generation_leaves_no_trace(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study("NCT99000001", **FULL)])
    assert catalogue.remove_studies(built, ["NCT99000001"]) == ("NCT99000001",)
    with catalogue._reading() as connection:
        for table in ("study", "site", "study_condition", "study_intervention", "study_alias"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0
    assert catalogue.waiting(built, "", 10) == (
        OutboxEntry("ctgov/studies/NCT99000001", Action.REMOVE),
    )


def test_last_of_two_records_of_one_study_in_a_batch_counts(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study(), completed("NCT99000001")])
    assert statuses(catalogue, 1) == {"NCT99000001": "COMPLETED"}


def test_removing_what_is_not_there_does_nothing(catalogue: Catalogue, built: Generation) -> None:
    assert catalogue.remove_studies(built, ["NCT99000001"]) == ()
    assert catalogue.waiting_count(built) == 0


def test_studies_entries_and_checkpoint_are_stored_together_or_not_at_all(
    catalogue: Catalogue, built: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("proband.catalogue.checkpoints.save", fail)
    with pytest.raises(RuntimeError, match="power cut"):
        catalogue.store_studies(built, [study()], Checkpoint("a.json", "1"))
    assert catalogue.study_marks(1) == ()
    assert catalogue.waiting_count(built) == 0


def test_marks_are_in_order_of_id(catalogue: Catalogue, built: Generation) -> None:
    second = study("NCT99000002", statusModule={"lastUpdatePostDateStruct": {"date": "2026-01-02"}})
    first = study("NCT99000001")
    catalogue.store_studies(built, [second, first])
    assert catalogue.study_marks(1) == (
        StudyMark("NCT99000001", None, first.digest),
        StudyMark("NCT99000002", "2026-01-02", second.digest),
    )


def test_old_id_leads_to_the_study_in_generations_that_have_it(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study("NCT99000001", **FULL)])
    second = next_generation(catalogue, built)
    catalogue.remove_studies(second, ["NCT99000001"])
    asked = ["NCT99000901", "NCT99000001"]
    assert catalogue.current_ids(asked, 1) == {"NCT99000901": "NCT99000001"}
    assert catalogue.current_ids(asked, 2) == {}


def test_conditions_and_interventions_are_shared_between_studies(
    catalogue: Catalogue, built: Generation
) -> None:
    other = {**FULL, "identificationModule": {"nctId": "NCT99000002"}}
    catalogue.store_studies(built, [study("NCT99000001", **FULL)])
    catalogue.store_studies(built, [study("NCT99000002", **other)])
    with catalogue._reading() as connection:
        names = connection.exec_driver_sql("SELECT name FROM condition ORDER BY name").scalars()
        assert list(names) == ["Asthma", "Zebra Pox"]
        drugs = connection.exec_driver_sql("SELECT type, name FROM intervention ORDER BY type")
        assert drugs.all() == [("DEVICE", "Imaginol"), ("DRUG", "Imaginol")]


def test_every_live_study_can_be_entered_for_a_new_chunker(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study("NCT99000001"), study("NCT99000002")])
    second = next_generation(catalogue, built)
    catalogue.remove_studies(second, ["NCT99000002"])
    assert catalogue.enqueue_studies(second) == 1
    assert catalogue.waiting(second, "", 10) == (
        OutboxEntry("ctgov/studies/NCT99000001", Action.INDEX),
        OutboxEntry("ctgov/studies/NCT99000002", Action.REMOVE),
    )
