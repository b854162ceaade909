"""Keys of rows: composite keys do not collide, and equal rows without a key are told apart."""

from __future__ import annotations

from collections import Counter

from proband.records.keys import record_of
from proband.records.mapping import (
    PatientMapping,
    SourceMapping,
    SourceRules,
    TableMapping,
)
from proband.records.record import SourceRow

NOTES = TableMapping("notes", path=(), columns=("body",))
LINES = TableMapping("lines", key=("order", "line"), columns=("body",))
MAPPING = SourceMapping(
    SourceRules("h", "sqlite://"), PatientMapping("patients", ("id",), "mrn"), (NOTES, LINES)
)


def key(row: SourceRow, table: TableMapping, seen: Counter[str] | None = None) -> str:
    return str(record_of(row, table, MAPPING, Counter() if seen is None else seen).key)


def test_composite_keys_do_not_collide() -> None:
    one = key(SourceRow(("1/2", "3"), None, {}), LINES)
    other = key(SourceRow(("1", "2/3"), None, {}), LINES)
    assert one == "h/lines/1%2F2/3"
    assert other == "h/lines/1/2%2F3"


def test_a_row_without_a_key_is_told_by_its_content_and_its_patient() -> None:
    row = SourceRow((), ("7",), {"body": "Running late"})
    assert key(row, NOTES) == key(row, NOTES)
    assert key(row, NOTES) != key(SourceRow((), ("8",), {"body": "Running late"}), NOTES)


def test_equal_rows_without_a_key_are_numbered() -> None:
    row, seen = SourceRow((), ("7",), {"body": "Running late"}), Counter[str]()
    first = key(row, NOTES, seen)
    assert [key(row, NOTES, seen), key(row, NOTES, seen)] == [f"{first}.2", f"{first}.3"]


def test_the_patient_is_named_by_the_key_in_the_patients_table() -> None:
    record = record_of(SourceRow(("1", "2"), ("a/b",), {}), LINES, MAPPING, Counter())
    assert record.patient == "h/patients/a%2Fb"
    orphan = record_of(SourceRow(("1", "2"), None, {}), LINES, MAPPING, Counter())
    assert orphan.patient == ""
