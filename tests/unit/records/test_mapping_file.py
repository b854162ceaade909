"""The mapping format: what it means, and what is said of what is wrong with it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from proband.errors import MappingError
from proband.records.mapping import (
    ColumnName,
    Comparison,
    DateOrder,
    Join,
    Lookup,
    Merges,
    PatientMapping,
    SourceMapping,
    TableMapping,
    Test,
)
from proband.records.mapping_file import load_mapping, read_mapping
from proband.records.mapping_rows import ROW_KEYS
from proband.text.codes import CodeSystem
from shared_data import shared

SMALL = """\
[source]
name = "clinic"
url = "sqlite:///clinic.sqlite"
zone = "Africa/Nairobi"

[patient]
table = "patients"
key = ["id"]
record_number = "mrn"
names = ["given_name"]
never = ["phone"]

[[table]]
name = "notes"
key = ["id"]
path = [
  "notes.visit_id = visits.id",     # two joins
  "visits.patient_id = patients.id",
]
columns = ["kind"]
text = ["body"]
date = "written_at"
changed = "updated_at"
leave_out_when = "voided = 1"
never = ["pin"]
"""


def changed(old: str, new: str) -> SourceMapping:
    assert old in SMALL
    return read_mapping(SMALL.replace(old, new, 1))


def wrong(old: str, new: str) -> str:
    """The error of the small mapping with one change."""
    with pytest.raises(MappingError) as caught:
        changed(old, new)
    return str(caught.value)


def notes(extra: str) -> TableMapping:
    return read_mapping(f"{SMALL}{extra}\n").table("notes")


@pytest.fixture(name="hospital")
def _hospital() -> SourceMapping:
    return load_mapping(shared("hospital/mapping.toml"), url="sqlite:///elsewhere.sqlite")


class TestHospital:
    def test_example_is_read_as_it_stands(self, hospital: SourceMapping) -> None:
        assert len(hospital.tables) == 17
        assert hospital.source.url == "sqlite:///elsewhere.sqlite"
        assert hospital.source.date_order is DateOrder.UNCLEAR
        assert hospital.text == shared("hospital/mapping.toml").read_text(encoding="utf-8")

    def test_patients(self, hospital: SourceMapping) -> None:
        assert hospital.patient == PatientMapping(
            table="patients",
            key=("id",),
            record_number="mrn",
            names=("given_name", "family_name"),
            birth_date="birth_date",
            tell_apart_by=("birth_date", "county"),
            merged=Merges("patient_merges", "old_patient_id", "surviving_patient_id", line=21),
        )

    def test_lookups_codes_and_conditions(self, hospital: SourceMapping) -> None:
        orders = hospital.table("medication_orders")
        assert orders.lookups == {
            "dispensed": Lookup("code_lists", "label", where=(("list_name", "yes_no"),))
        }
        assert orders.codes == {"atc": CodeSystem.ATC}
        assert orders.current_when == (Test("status", Comparison.EQUAL, "active"),)

    def test_table_that_is_about_nobody_has_no_path(self, hospital: SourceMapping) -> None:
        assert hospital.table("staff").path is None
        assert hospital.table("staff").names == ("given_name", "family_name")
        assert hospital.table("patients").path == ()

    def test_no_sensitive_column_is_copied(self, hospital: SourceMapping) -> None:
        copied = {column for table in hospital.tables for column in table.columns}
        assert copied.isdisjoint({"phone", "national_id", "content", "access_pin"})


def test_columns_that_other_keys_use_are_copied_after_those_listed() -> None:
    assert notes("").columns == ("kind", "body", "written_at")


def test_columns_that_only_tell_rows_apart_or_out_are_not_copied() -> None:
    table = notes("")
    assert {"id", "updated_at", "voided", "visit_id"}.isdisjoint(table.columns)


def test_patients_table_is_one_of_the_tables() -> None:
    table = read_mapping(SMALL).table("patients")
    assert table.title == "Patient"
    assert table.path == ()
    assert table.columns == ("mrn", "given_name")
    assert table.identifiers == ("mrn",)
    assert table.label == ("given_name",)
    assert table.line == 6


def test_birth_date_is_known_by_its_name() -> None:
    listed = changed('names = ["given_name"]', 'columns = ["dob"]')
    assert listed.patient.birth_date == "dob"


def test_schema_of_the_source_holds_for_its_tables_joins_and_lookups() -> None:
    mapping = read_mapping(
        SMALL.replace('name = "clinic"', 'name = "clinic"\nschema = "emr"')
        + 'schema = "notes_db"\nlookups = { kind = "kinds.label" }\n'
    )
    table = mapping.table("notes")
    assert mapping.table("patients").schema == "emr"
    assert table.schema == "notes_db"
    assert table.path == (
        Join(ColumnName("notes", "visit_id", "notes_db"), ColumnName("visits", "id", "notes_db")),
        Join(ColumnName("visits", "patient_id", "notes_db"), ColumnName("patients", "id", "emr")),
    )
    assert table.lookups["kind"].schema == "notes_db"


def test_lookup_as_a_table_names_its_key() -> None:
    extra = 'lookups = { kind = { table = "kinds", label = "name", key = "nr", where = "lang = \'en\'" } }'
    assert notes(extra).lookups == {"kind": Lookup("kinds", "name", "nr", (("lang", "en"),))}


def test_date_order_wins_over_asking() -> None:
    mapping = changed(
        'zone = "Africa/Nairobi"', 'date_order = "dmy"\nask_when_day_and_month_are_unclear = true'
    )
    assert mapping.source.date_order is DateOrder.DMY


@pytest.mark.parametrize("name", ["ICD-10-CM", "icd 10", "ICD10", "ICD-10-GM"])
def test_code_system_is_known_by_each_of_its_names(name: str) -> None:
    assert notes(f'codes = {{ code = "{name}" }}').codes == {"code": CodeSystem.ICD10}


def test_kept_text_has_no_password() -> None:
    mapping = changed("sqlite:///clinic.sqlite", "postgresql://reader:s3cret@db/clinic")
    assert mapping.source.url == "postgresql://reader:s3cret@db/clinic"
    assert "s3cret" not in mapping.text
    assert "postgresql://reader:***@db/clinic" in mapping.text


def test_every_argument_of_a_table_has_its_key() -> None:
    assert {field.name for field in fields(TableMapping)} - {"name", "path", "line"} == set(
        ROW_KEYS
    )


WRONG = [
    (
        'text = ["body"]',
        'txt = ["body"]',
        'line 21: [[table]] notes txt: unknown key; did you mean "text"?',
    ),
    (
        'record_number = "mrn"\n',
        "",
        'line 6: [patient]: "record_number" is missing; write record_number = "the column with',
    ),
    ('key = ["id"]', "key = []", "line 8: [patient] key: must name the columns"),
    (
        'columns = ["kind"]',
        'columns = "kind"',
        'line 20: [[table]] notes columns: must be a list; write columns = ["kind"].',
    ),
    ('columns = ["kind"]', 'columns = ["*"]', "line 20: [[table]] notes columns: "),
    ('columns = ["kind"]', "columns = [3]", "line 20: [[table]] notes columns: must be a list of"),
    ('date = "written_at"', "date = 3", "line 22: [[table]] notes date: must be a text"),
    (
        '"Africa/Nairobi"',
        '"Africa/Nairobbi"',
        'line 4: [source] zone: "Africa/Nairobbi" is no IANA',
    ),
    ('"Africa/Nairobi"', '"Africa/Nairobbi"', 'did you mean "Africa/Nairobi"?'),
    ('"Africa/Nairobi"', '"EAT+3x"', 'write one such as "Africa/Nairobi"'),
    ('name = "clinic"', 'name = "our clinic"', 'line 2: [source] name: "our clinic" must be'),
    ('name = "clinic"', 'name = "ctgov"', "is the name of the trials"),
    ('url = "sqlite:///clinic.sqlite"', "", 'line 1: [source]: "url" is missing'),
    (
        '"notes.visit_id = visits.id",',
        '"visits.id = notes.visit_id",',
        'line 16: [[table]] notes path: write it from the row on: "notes.visit_id = visits.id".',
    ),
    (
        '"notes.visit_id = visits.id",',
        "",
        "path: must begin at notes, and the join begins at visits",
    ),
    (
        '"visits.patient_id = patients.id",',
        "",
        "path: ends at visits; add the joins that lead from there to patients.",
    ),
    (
        '"visits.patient_id = patients.id",',
        '"orders.patient_id = patients.id",',
        "path: goes on from visits, and the join begins at orders",
    ),
    (
        '"visits.patient_id = patients.id",',
        '"visits.note_id = notes.id", "notes.patient_id = patients.id",',
        "path: passes notes twice",
    ),
    ('"visits.patient_id = patients.id"', '"visits.patient_id patients.id"', "is no join; write"),
    ('key = ["id"]\npath', "path", 'line 13: [[table]] notes: "key" is missing'),
    ('text = ["body"]', 'text = ["pin"]', "[[table]] notes text: notes.pin must stay out by never"),
    (
        'text = ["body"]',
        'lookups = { kind = "patients.phone" }',
        "[[table]] notes lookups: patients.phone must stay out by never (line 6)",
    ),
    ('"voided = 1"', '"voided = 1 or gone = 1"', "line 24: [[table]] notes leave_out_when: "),
    ('"voided = 1"', '"status = active"', "put the value active between quotes: 'active'"),
    ('"voided = 1"', '"notes.voided = 1"', "write voided without its table"),
    ('text = ["body"]', 'codes = { kind = "ICPC" }', '"ICPC" of kind is no known code system'),
    ('text = ["body"]', 'labels = { size = "Size" }', "labels: size is not copied"),
    ('text = ["body"]', 'facility = "A"\nfacility_column = "b"', "facility: stands beside"),
    ("[[table]]", "[table]", "table: is one table; write [[table]] with two brackets"),
    ('name = "notes"', 'name = "emr.notes"', 'write name = "notes" and schema = "emr"'),
    ('name = "notes"', 'name = "patients"', "stands in line 6 already ([patient])"),
    ("[patient]", "[patients]", 'line 6: patients: unknown key; did you mean "patient"?'),
    ('zone = "Africa/Nairobi"', "page = 0", "line 4: [source] page: must be a whole number from 1"),
    (
        'zone = "Africa/Nairobi"',
        "ask_when_day_and_month_are_unclear = false",
        'false needs the order of the parts; write date_order = "DMY"',
    ),
    ('text = ["body"]', 'text = ["body"', "line 22: this is not TOML: "),
]


@pytest.mark.parametrize(("old", "new", "said"), WRONG)
def test_error_says_where_what_and_what_to_write(old: str, new: str, said: str) -> None:
    message = wrong(old, new)
    assert message.startswith("mapping.toml, line ")
    assert said in message


def test_table_that_stands_twice_is_named_with_its_first_line() -> None:
    with pytest.raises(MappingError, match=r"line 26: \[\[table\]\] notes: .* line 13 already"):
        read_mapping(SMALL + SMALL[SMALL.index("[[table]]") :])


def test_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MappingError, match="the mapping cannot be read: No such file"):
        load_mapping(tmp_path / "mapping.toml")


def test_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "clinic.toml").write_text(SMALL, encoding="utf-8-sig")
    assert load_mapping(tmp_path / "clinic.toml").source.name == "clinic"
