"""What a database says of its tables, and the mapping that is drafted from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hospitals
from proband.adapters.sql_schema import read_schema
from proband.adapters.sql_source import open_source
from proband.errors import SourceUnavailable
from proband.records.draft import draft_mapping
from proband.records.mapping import Merges
from proband.records.mapping_file import read_mapping
from proband.records.schema import ColumnType, ForeignKey, SchemaColumn, SchemaTable
from servers import Server

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    return hospitals.make_hospital(folder, "--small", "--seed", "5")


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
def tables(url: str) -> dict[str, SchemaTable]:
    return {table.name: table for table in read_schema(url)}


def test_tables_are_described_with_their_keys(tables: dict[str, SchemaTable]) -> None:
    assert len(tables) == 20
    assert tables["lab_results"].primary_key == ("order_id", "line_no")
    assert tables["messages"].primary_key == ()
    assert ("mrn",) in tables["patients"].unique_keys
    assert ForeignKey(("dept_id",), "departments", ("dept_id",)) in tables["visits"].foreign_keys


def test_columns_have_the_same_types_in_every_database(tables: dict[str, SchemaTable]) -> None:
    notes = tables["clinical_notes"]
    assert notes.column("title") == SchemaColumn("title", ColumnType.TEXT, False, 120)
    assert notes.column("body").type is ColumnType.LONG_TEXT
    assert notes.column("written_at").type is ColumnType.TIME
    assert tables["patients"].column("birth_date").type is ColumnType.DATE
    assert tables["procedures"].column("fee").type is ColumnType.DECIMAL
    assert tables["documents"].column("content").type is ColumnType.BINARY


def test_draft_can_be_read_and_every_table_of_it_copied(
    url: str, tables: dict[str, SchemaTable]
) -> None:
    mapping = read_mapping(draft_mapping(tuple(tables.values()), url, "hospital"), url=url)
    assert len(mapping.tables) == 15
    with open_source(mapping, {}).snapshot() as snapshot:
        for table in mapping.tables:
            snapshot.shape(table)
            assert sum(map(len, snapshot.pages(table))) > 0
        assert len(list(snapshot.merges())) > 0


def test_draft_of_the_hospital_leaves_out_what_is_sensitive(
    url: str, tables: dict[str, SchemaTable]
) -> None:
    mapping = read_mapping(draft_mapping(tuple(tables.values()), url), url=url)
    assert mapping.table("patients").never == ("phone", "national_id")
    assert mapping.table("documents").never == ("content", "access_pin")
    assert mapping.patient.record_number == "mrn"
    assert mapping.patient.merged is not None
    assert mapping.patient.merged.new == Merges("", "", "surviving_patient_id").new


def test_drafts_of_all_databases_are_the_same_but_for_the_url(
    url: str, hospital: Path, tables: dict[str, SchemaTable]
) -> None:
    def rows(text: str) -> dict[str, object]:
        return {table.name: table.columns for table in read_mapping(text, url="x").tables}

    there = read_schema(f"sqlite:///{hospital}/hospital.sqlite")
    assert rows(draft_mapping(tuple(tables.values()), url)) == rows(draft_mapping(there, "x"))


def test_missing_database_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match=r"none\.sqlite"):
        read_schema(f"sqlite:///{tmp_path}/none.sqlite")
