"""Files through the whole way: staged, and read by the SQL source with the ready mapping."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from fhir_samples import coded, ndjson, patient, resource
from proband.adapters.fhir_tables import BY_NAME
from proband.adapters.source_files import stage
from proband.adapters.sql_source import open_source
from proband.records.mapping import SourceMapping
from proband.records.mapping_file import read_mapping
from proband.records.record import SourceRow
from shared_data import shared

DATA = resources.files("proband.records") / "data"
PATIENT = "Id,BIRTHDATE,DEATHDATE,SSN,FIRST,LAST,GENDER,MARITAL\np-1,1970-01-02,,999-00,Zorbla,Testperson,F,\n"


def ready(name: str) -> SourceMapping:
    return read_mapping((DATA / f"{name}.toml").read_text(encoding="utf-8"), name, "sqlite://")


def read(name: str, url: str, folder: Path, *tables: str) -> dict[str, list[SourceRow]]:
    """The rows of some tables by the ready mapping of this name."""
    mapping = ready(name)
    keys = {table.name: table.key for table in mapping.tables}
    with stage(url, folder / "staging", keys) as staged:
        mapping = replace(mapping, source=replace(mapping.source, url=staged.url))
        with open_source(mapping).snapshot() as snapshot:
            found: dict[str, list[SourceRow]] = {}
            for table in tables:
                snapshot.shape(mapping.table(table))
                pages = snapshot.pages(mapping.table(table))
                found[table] = [row for page in pages for row in page]
            merges: Any = list(snapshot.merges()) if mapping.patient.merged else []
            return found | {"merges": merges}


def test_mapping_of_fhir_copies_every_column_that_is_staged() -> None:
    joins = {"id", "patient_id", "encounter_id", "observation_id", "part"}
    for table in ready("fhir_r4").tables:
        staged = {name for name in BY_NAME[table.name].columns if name[0] != "_"}
        assert set(table.columns) - joins == staged - joins, table.name


def test_fhir_rows_come_through_the_reader(tmp_path: Path) -> None:
    panel = resource(
        "Observation",
        status="final",
        code=coded("Zorbla panel"),
        effectiveDateTime="2024-03-05T10:15:00+03:00",
        component=[{"code": coded("Zorbla", loinc="8480-6"), "valueQuantity": {"value": 7.5}}],
    )
    wrong = resource("Observation", "r-2", status="entered-in-error", code=coded("Wibble"))
    old = patient("p-0", link=[{"type": "replaced-by", "other": {"reference": "Patient/p-1"}}])
    (tmp_path / "a.ndjson").write_text(ndjson(patient(birthDate="1970"), old, panel, wrong))
    found = read(
        "fhir_r4",
        f"fhir:{tmp_path}",
        tmp_path,
        "patients",
        "observations",
        "observation_components",
    )
    assert [row.key for row in found["patients"]] == [("p-0",), ("p-1",)]
    assert found["patients"][1].values == {
        "id": "p-1",
        "record_number": "p-1",
        "birth_date": "1970",
    }
    (observation,) = found["observations"]
    assert (observation.key, observation.patient) == (("r-1",), ("p-1",))
    assert observation.values == {
        "name": "Zorbla panel",
        "status": "final",
        "components": "Zorbla 7.5",
        "dated": "2024-03-05T07:15:00+00:00",
    }
    (component,) = found["observation_components"]
    assert (component.key, component.patient) == (("r-1", "1"), ("p-1",))
    assert component.values["value"] == "7.5"
    assert found["merges"] == [(("p-0",), ("p-1",))]


def test_every_table_of_the_fhir_mapping_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text(ndjson(patient()))
    names = [table.name for table in ready("fhir_r4").tables]
    found = read("fhir_r4", f"fhir:{tmp_path}", tmp_path, *names)
    assert {name: len(found[name]) for name in names if found[name]} == {"patients": 1}


@pytest.mark.shared
def test_published_bundles_lose_no_row_and_no_patient(tmp_path: Path) -> None:
    names = [table.name for table in ready("fhir_r4").tables]
    found = read("fhir_r4", f"fhir:{shared('data/fhir')}", tmp_path, *names)
    patients = {row.key for row in found["patients"]}
    assert len(patients) == 20
    assert len(found["observations"]) == 3279
    assert len(found["observation_components"]) == 354
    for name in names[1:]:
        assert {row.patient for row in found[name]} <= patients, name
    assert all("value" in row.values for row in found["observation_components"])


def test_synthea_rows_come_through_the_reader(tmp_path: Path) -> None:
    headers = {
        "conditions": "START,STOP,PATIENT,ENCOUNTER,SYSTEM,CODE,DESCRIPTION",
        "observations": "DATE,PATIENT,ENCOUNTER,CATEGORY,CODE,DESCRIPTION,VALUE,UNITS,TYPE",
    }
    row = "2024-03-05,,p-1,e-1,SNOMED-CT,44054006,Zorblatitis (disorder)\n"
    value = "2024-03-05T07:15:00Z,p-1,e-1,vital-signs,29463-7,Body Weight,70.50,kg,numeric\n"
    files = {
        "patients": PATIENT,
        "conditions": f"{headers['conditions']}\n{row}{row}",
        "observations": f"{headers['observations']}\n{value}",
    }
    for name, content in files.items():
        (tmp_path / f"{name}.csv").write_text(content)
    found = read("synthea_csv", f"csv:{tmp_path}", tmp_path, *files)
    (person,) = found["patients"]
    assert person.key == ("p-1",)
    assert "999-00" not in str(person)
    assert [row.patient for row in found["conditions"]] == [("p-1",), ("p-1",)]
    assert found["conditions"][0].values == {
        "DESCRIPTION": "Zorblatitis (disorder)",
        "CODE": "44054006",
        "START": "2024-03-05",
    }
    assert found["observations"][0].values["VALUE"] == "70.50"
