"""What holds for a source of records, whatever database it is: one row is the same row from each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import hospitals
from proband.adapters.sql_source import open_source
from proband.records.mapping import SourceMapping
from proband.records.mapping_file import read_mapping
from proband.records.record import Gap, SourceRow
from proband.records.source import Snapshot
from servers import Server
from shared_data import shared

pytestmark = pytest.mark.shared

Rows = Mapping[str, list[SourceRow]]


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    return hospitals.make_hospital(folder, "--small", "--seed", "5")


@pytest.fixture(scope="module")
def mapping() -> SourceMapping:
    return read_mapping(shared("hospital/mapping.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=["sqlite", "postgresql", "mysql"])
def url(request: pytest.FixtureRequest, hospital: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{hospital}/hospital.sqlite"
        return
    server: Server = request.getfixturevalue(
        "mariadb" if request.param == "mysql" else "postgresql"
    )
    database = hospitals.load(server, hospital / "sql" / f"{request.param}.sql")
    yield server.url(database)
    server.drop_database(database)


@pytest.fixture(scope="module")
def expected(hospital: Path, mapping: SourceMapping) -> Rows:
    return read_all(at(mapping, f"sqlite:///{hospital}/hospital.sqlite"))


@pytest.fixture
def snapshot(url: str, mapping: SourceMapping) -> Iterator[Snapshot]:
    with open_source(at(mapping, url), {}).snapshot() as snapshot:
        yield snapshot


def at(mapping: SourceMapping, url: str) -> SourceMapping:
    return replace(mapping, source=replace(mapping.source, url=url))


def read_all(mapping: SourceMapping) -> Rows:
    with open_source(mapping, {}).snapshot() as snapshot:
        return {
            table.name: sorted(
                (row for page in snapshot.pages(table) for row in page), key=lambda row: repr(row)
            )
            for table in mapping.tables
        }


def test_every_row_is_the_same_from_every_database(
    url: str, mapping: SourceMapping, expected: Rows
) -> None:
    rows = read_all(at(mapping, url))
    assert list(rows) == list(expected)
    for table, found in rows.items():
        assert found == expected[table], table


def test_all_rows_are_delivered_that_are_not_left_out(
    snapshot: Snapshot, mapping: SourceMapping
) -> None:
    for table in mapping.tables:
        snapshot.shape(table)
        delivered = sum(len(page) for page in snapshot.pages(table))
        assert delivered == snapshot.count(table, kept=True)
    results = mapping.table("lab_results")
    assert snapshot.count(results) > snapshot.count(results, kept=True) > 0


def test_merged_patients_are_named_as_their_rows_are(
    snapshot: Snapshot, mapping: SourceMapping, expected: Rows
) -> None:
    patients = {row.key for row in expected["patients"]}
    merges = list(snapshot.merges())
    assert merges
    assert {key for pair in merges for key in pair} <= patients


def test_values_are_canonical_text(expected: Rows) -> None:
    vital = next(row for row in expected["vitals"] if row.key == ("1",))
    assert vital.values["weight_kg"].split(".")[1].isdigit()
    assert all(
        len(row.values["weight_kg"].split(".")[1]) == 2
        for row in expected["vitals"]
        if "weight_kg" in row.values
    )
    assert {row.gaps["gcs_score"] for row in expected["vitals"]} == {Gap.NULL}
    assert all(row.values["scheduled_at"].endswith("+00:00") for row in expected["appointments"])


def test_rows_whose_path_leads_to_nobody_are_delivered_without_a_patient(expected: Rows) -> None:
    for table in ("lab_orders", "lab_results"):
        nobodys = [row for row in expected[table] if row.patient is None]
        assert 0 < len(nobodys) < len(expected[table])


def test_codes_come_with_their_labels(expected: Rows) -> None:
    assert all(row.labels["visit_type"] for row in expected["visits"])
    assert {row.labels["dispensed"] for row in expected["medication_orders"]} <= {"Yes", "No"}
