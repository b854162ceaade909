"""`proband records init`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from proband.cli.records_init import init
from proband.errors import MappingError, UsageError
from proband.records.mapping_file import load_mapping, read_mapping


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    path = tmp_path / "clinic.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE patients (id INTEGER PRIMARY KEY, mrn VARCHAR(20) UNIQUE, phone VARCHAR(20));"
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients (id), body TEXT);"
        )
    database.close()
    return f"sqlite:///{path}"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(init, arguments)


def test_draft_goes_to_the_terminal(clinic: str) -> None:
    mapping = read_mapping(run(clinic).stdout)
    assert mapping.source.name == "clinic"
    assert mapping.table("notes").text == ("body",)
    assert mapping.table("patients").never == ("phone",)


def test_draft_goes_to_a_new_file(clinic: str, tmp_path: Path) -> None:
    output = tmp_path / "mapping.toml"
    result = run(clinic, "--output", str(output), "--name", "ward3")
    assert load_mapping(output).source.name == "ward3"
    assert f"proband records import --mapping {output}" in result.stderr


def test_existing_file_is_never_overwritten(clinic: str, tmp_path: Path) -> None:
    output = tmp_path / "mapping.toml"
    output.write_text("mine")
    result = run(clinic, "--output", str(output))
    assert isinstance(result.exception, UsageError)
    assert output.read_text() == "mine"


def test_ready_mapping_is_written_as_it_is() -> None:
    assert read_mapping(run("--ready", "omop").stdout, url="sqlite:///x").source.name == "omop"


def test_unknown_ready_mapping_names_the_known_ones() -> None:
    result = run("--ready", "omo")
    assert isinstance(result.exception, MappingError)
    assert 'did you mean "omop"?' in str(result.exception)


def test_url_is_needed() -> None:
    assert isinstance(run().exception, UsageError)
