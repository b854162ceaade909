"""The ready mapping of OMOP against a small database in the shape of CDM 5.4."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from proband.adapters import _sql_labels
from proband.adapters.sql_source import open_source
from proband.errors import MappingError
from proband.records.mapping import SourceMapping
from proband.records.ready import find_mapping, ready_mapping, ready_names
from proband.records.record import SourceRow
from proband.records.titles import label_of, title_of

TABLES = {
    "person": "person_id! gender_concept_id year_of_birth month_of_birth day_of_birth birth_datetime:datetime "
    "race_concept_id ethnicity_concept_id location_id provider_id care_site_id person_source_value:text "
    "gender_source_value:text gender_source_concept_id race_source_value:text race_source_concept_id "
    "ethnicity_source_value:text ethnicity_source_concept_id",
    "visit_occurrence": "visit_occurrence_id! person_id visit_concept_id visit_start_date:date "
    "visit_start_datetime:datetime visit_end_date:date visit_end_datetime:datetime visit_type_concept_id provider_id "
    "care_site_id visit_source_value:text visit_source_concept_id admitted_from_concept_id "
    "admitted_from_source_value:text discharged_to_concept_id discharged_to_source_value:text "
    "preceding_visit_occurrence_id",
    "condition_occurrence": "condition_occurrence_id! person_id condition_concept_id condition_start_date:date "
    "condition_start_datetime:datetime condition_end_date:date condition_end_datetime:datetime "
    "condition_type_concept_id condition_status_concept_id stop_reason:text provider_id visit_occurrence_id "
    "visit_detail_id condition_source_value:text condition_source_concept_id condition_status_source_value:text",
    "drug_exposure": "drug_exposure_id! person_id drug_concept_id drug_exposure_start_date:date "
    "drug_exposure_start_datetime:datetime drug_exposure_end_date:date drug_exposure_end_datetime:datetime "
    "verbatim_end_date:date drug_type_concept_id stop_reason:text refills quantity:real days_supply sig:text "
    "route_concept_id lot_number:text provider_id visit_occurrence_id visit_detail_id drug_source_value:text "
    "drug_source_concept_id route_source_value:text dose_unit_source_value:text",
    "procedure_occurrence": "procedure_occurrence_id! person_id procedure_concept_id procedure_date:date "
    "procedure_datetime:datetime procedure_end_date:date procedure_end_datetime:datetime procedure_type_concept_id "
    "modifier_concept_id quantity provider_id visit_occurrence_id visit_detail_id procedure_source_value:text "
    "procedure_source_concept_id modifier_source_value:text",
    "device_exposure": "device_exposure_id! person_id device_concept_id device_exposure_start_date:date "
    "device_exposure_start_datetime:datetime device_exposure_end_date:date device_exposure_end_datetime:datetime "
    "device_type_concept_id unique_device_id:text production_id:text quantity provider_id visit_occurrence_id "
    "visit_detail_id device_source_value:text device_source_concept_id unit_concept_id unit_source_value:text "
    "unit_source_concept_id",
    "measurement": "measurement_id! person_id measurement_concept_id measurement_date:date "
    "measurement_datetime:datetime measurement_time:text measurement_type_concept_id operator_concept_id "
    "value_as_number:real value_as_concept_id unit_concept_id range_low:real range_high:real provider_id "
    "visit_occurrence_id visit_detail_id measurement_source_value:text measurement_source_concept_id "
    "unit_source_value:text unit_source_concept_id value_source_value:text measurement_event_id "
    "meas_event_field_concept_id",
    "observation": "observation_id! person_id observation_concept_id observation_date:date "
    "observation_datetime:datetime observation_type_concept_id value_as_number:real value_as_string:text "
    "value_as_concept_id qualifier_concept_id unit_concept_id provider_id visit_occurrence_id visit_detail_id "
    "observation_source_value:text observation_source_concept_id unit_source_value:text qualifier_source_value:text "
    "value_source_value:text observation_event_id obs_event_field_concept_id",
    "death": "person_id death_date:date death_datetime:datetime death_type_concept_id cause_concept_id "
    "cause_source_value:text cause_source_concept_id",
    "note": "note_id! person_id note_date:date note_datetime:datetime note_type_concept_id note_class_concept_id "
    "note_title:text note_text:text encoding_concept_id language_concept_id provider_id visit_occurrence_id "
    "visit_detail_id note_source_value:text note_event_id note_event_field_concept_id",
    "care_site": "care_site_id! care_site_name:text place_of_service_concept_id location_id "
    "care_site_source_value:text place_of_service_source_value:text",
    "concept": "concept_id concept_name:text domain_id:text vocabulary_id:text concept_class_id:text "
    "standard_concept:text concept_code:text valid_start_date:date valid_end_date:date invalid_reason:text",
}
"""The columns of CDM 5.4: `!` the primary key, whole numbers unless a type is named."""

ROWS = """
INSERT INTO concept (concept_id, concept_name, concept_code) VALUES
  (8507, 'MALE', 'M'), (9202, 'Outpatient Visit', 'OP'), (201826, 'Type 2 diabetes mellitus', '44054006'),
  (1503297, 'metformin', '6809'), (3004410, 'Hemoglobin A1c/Hemoglobin.total in Blood', '4548-4'),
  (8554, 'percent', '%'), (4172703, '=', 'x');
INSERT INTO care_site (care_site_id, care_site_name) VALUES (3, 'Synthetic Clinic');
INSERT INTO person (person_id, gender_concept_id, year_of_birth, race_concept_id, person_source_value, location_id)
  VALUES (1, 8507, 1961, 8527, 'SYN-0001', 77), (2, 8507, 1970, 8527, 'SYN-0002', 78);
INSERT INTO visit_occurrence (visit_occurrence_id, person_id, visit_concept_id, visit_start_date, care_site_id)
  VALUES (10, 1, 9202, '2024-02-01', 3);
INSERT INTO condition_occurrence (condition_occurrence_id, person_id, condition_concept_id, condition_start_date,
  condition_source_value) VALUES (20, 1, 201826, '2024-02-01', 'E11.9');
INSERT INTO drug_exposure (drug_exposure_id, person_id, drug_concept_id, drug_exposure_start_date, sig)
  VALUES (30, 1, 1503297, '2024-02-01', 'one tablet twice daily');
INSERT INTO measurement (measurement_id, person_id, measurement_concept_id, measurement_date, value_as_number,
  unit_concept_id, operator_concept_id) VALUES (40, 2, 3004410, '2024-02-02', 7.2, 8554, 4172703);
INSERT INTO note (note_id, person_id, note_date, note_title, note_text)
  VALUES (50, 2, '2024-02-03', 'Synthetic note', 'No complaints.');
INSERT INTO death (person_id, death_date) VALUES (2, '2024-12-24');
"""


def created(name: str, columns: str) -> str:
    parts = []
    for column in columns.split():
        plain, _, kind = column.partition(":")
        key = " PRIMARY KEY" if plain.endswith("!") else ""
        parts.append(f"{plain.rstrip('!')} {kind or 'integer'}{key}")
    return f"CREATE TABLE {name} ({', '.join(parts)});"


@pytest.fixture(scope="module")
def omop(tmp_path_factory: pytest.TempPathFactory) -> SourceMapping:
    path = tmp_path_factory.mktemp("omop") / "cdm.sqlite"
    database = sqlite3.connect(path)
    database.executescript("".join(created(*table) for table in TABLES.items()) + ROWS)
    database.close()
    return ready_mapping("omop", f"sqlite:///{path}")


@pytest.fixture(params=[50_000, 3], ids=["concepts held", "concepts asked row by row"])
def rows(
    request: pytest.FixtureRequest, omop: SourceMapping, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, list[SourceRow]]]:
    monkeypatch.setattr(_sql_labels, "MOST_CODES", request.param)
    with open_source(omop, {}).snapshot() as snapshot:
        for table in omop.tables:
            snapshot.shape(table)
        yield {
            table.name: [row for page in snapshot.pages(table) for row in page]
            for table in omop.tables
        }


def test_every_table_of_the_mapping_is_read(rows: dict[str, list[SourceRow]]) -> None:
    counts = {name: len(found) for name, found in rows.items() if found}
    assert counts == {
        "person": 2,
        "visit_occurrence": 1,
        "condition_occurrence": 1,
        "drug_exposure": 1,
        "measurement": 1,
        "death": 1,
        "note": 1,
    }


def test_concepts_are_read_by_their_names(rows: dict[str, list[SourceRow]]) -> None:
    (condition,) = rows["condition_occurrence"]
    assert condition.patient == ("1",)
    assert condition.values["condition_source_value"] == "E11.9"
    assert condition.labels["condition_concept_id"] == "Type 2 diabetes mellitus"
    (result,) = rows["measurement"]
    assert result.labels["unit_concept_id"] == "%"
    assert result.labels["measurement_concept_id"].startswith("Hemoglobin A1c")
    (visit,) = rows["visit_occurrence"]
    assert visit.labels["care_site_id"] == "Synthetic Clinic"


def test_nothing_sensitive_of_a_person_is_read(rows: dict[str, list[SourceRow]]) -> None:
    person = rows["person"][0]
    assert person.key == ("1",)
    assert set(person.values) == {
        *("person_id", "person_source_value", "year_of_birth", "gender_concept_id"),
    }


def test_titles_and_labels_are_words(omop: SourceMapping) -> None:
    table = omop.table("drug_exposure")
    assert title_of(table) == "Drug exposure"
    assert label_of(table, "drug_concept_id") == "Drug"
    assert label_of(omop.table("person"), "person_source_value") == "Record number"


@pytest.mark.parametrize("name", ready_names())
def test_every_ready_mapping_can_be_read(name: str) -> None:
    assert ready_mapping(name, "sqlite:///somewhere.sqlite").tables


def test_file_wins_over_a_ready_mapping_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_mapping("omop", "sqlite:///x").source.name == "omop"
    Path("omop").write_text("wrong")
    with pytest.raises(MappingError, match="omop, line 1: this is not TOML"):
        find_mapping("omop", "sqlite:///x")


def test_unknown_name_shows_what_there_is() -> None:
    with pytest.raises(MappingError, match=r'no ready mapping "omap"; did you mean "omop"\?$'):
        find_mapping("omap", "sqlite:///x")
