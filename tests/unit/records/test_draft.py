"""The first draft of a mapping: what it copies, what it leaves out and why, and that it can be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proband.errors import MappingError
from proband.records.draft import draft_mapping
from proband.records.mapping import (
    ColumnName,
    Comparison,
    Join,
    Lookup,
    Merges,
    SourceMapping,
    Test,
)
from proband.records.mapping_file import read_mapping
from proband.records.schema import ColumnType, ForeignKey, SchemaColumn, SchemaTable
from proband.text.codes import CodeSystem

KINDS = {
    "int": ColumnType.WHOLE,
    "num": ColumnType.DECIMAL,
    "bool": ColumnType.BOOLEAN,
    "date": ColumnType.DATE,
    "time": ColumnType.TIME,
    "long": ColumnType.LONG_TEXT,
    "blob": ColumnType.BINARY,
}


def table(name: str, columns: str, *links: str, key: str = "id", unique: str = "") -> SchemaTable:
    """`columns` are `name:type` with a `?` for those that may be empty; a number is the length of a text.

    `links` are written `column > table.column`.
    """
    found = tuple(column(text) for text in columns.split())
    keys = []
    for link in links:
        left, _, right = link.partition(" > ")
        other, _, referred = right.partition(".")
        keys.append(ForeignKey((left,), other, (referred,)))
    unique_keys = tuple((text,) for text in unique.split())
    return SchemaTable(name, "", found, tuple(key.split()), tuple(keys), unique_keys)


def column(text: str) -> SchemaColumn:
    name, _, kind = text.partition(":")
    plain = kind.removesuffix("?")
    if plain.isdigit():
        return SchemaColumn(name, ColumnType.TEXT, kind.endswith("?"), int(plain))
    return SchemaColumn(name, KINDS[plain], kind.endswith("?"))


PATIENTS = table(
    "patients",
    "id:36 mrn:20 given_name:80 family_name:80 birth_date:date sex:1 phone:24? national_id:16? updated_at:time",
    unique="mrn",
)
VISITS = table(
    "visits",
    "id:int visit_no:12 patient_id:36 dept_id:int doctor_id:int admitted_at:time ended_at:time? reason:200",
    "patient_id > patients.id",
    "dept_id > departments.dept_id",
    "doctor_id > staff.staff_id",
)
DEPARTMENTS = table("departments", "dept_id:int code:8 name:60", key="dept_id")
STAFF = table(
    "staff",
    "staff_id:int given_name:60 family_name:60 patient_id:36?",
    "patient_id > patients.id",
    key="staff_id",
)
DIAGNOSES = table(
    "diagnoses",
    "id:int visit_id:int icd10:10? description:120 onset:date? recorded_at:time voided:bool last_modified:time",
    "visit_id > visits.id",
)
ALL = (PATIENTS, VISITS, DEPARTMENTS, STAFF, DIAGNOSES)


def text_of(*tables: SchemaTable) -> str:
    return draft_mapping(tables, "postgresql://reader:s3cret@10.0.0.5/clinic_db")


def drafted(*tables: SchemaTable) -> SourceMapping:
    return read_mapping(text_of(*tables))


def test_source_is_named_after_its_database_and_holds_no_password() -> None:
    source = drafted(*ALL).source
    assert source.name == "clinic_db"
    assert source.url == "postgresql://reader@10.0.0.5/clinic_db"
    assert "s3cret" not in text_of(*ALL)


def test_patients_are_found_with_record_number_and_names() -> None:
    patient = drafted(*ALL).patient
    assert (patient.table, patient.key, patient.record_number) == ("patients", ("id",), "mrn")
    assert patient.names == ("given_name", "family_name")
    assert patient.birth_date == "birth_date"
    assert patient.tell_apart_by == ("birth_date", "sex")


def test_sensitive_columns_are_named_in_never_with_the_reason() -> None:
    assert drafted(*ALL).table("patients").never == ("phone", "national_id")
    assert '"phone",  # telephone number' in text_of(*ALL)
    assert '"national_id",  # national identity number' in text_of(*ALL)


def test_path_goes_through_the_fewest_tables_and_never_through_the_staff() -> None:
    joins = drafted(*ALL).table("diagnoses").path
    assert joins is not None
    assert [(j.left.table, j.left.column, j.right.table) for j in joins] == [
        ("diagnoses", "visit_id", "visits"),
        ("visits", "patient_id", "patients"),
    ]


def test_roles_of_a_coded_table() -> None:
    diagnoses = drafted(*ALL).table("diagnoses")
    assert diagnoses.codes == {"icd10": CodeSystem.ICD10}
    assert diagnoses.text == ("description",)
    assert diagnoses.label == ("icd10", "description")
    assert diagnoses.date == "recorded_at"
    assert diagnoses.changed == "last_modified"
    assert diagnoses.leave_out_when == (Test("voided", Comparison.EQUAL, "1"),)
    assert diagnoses.columns == ("icd10", "description", "onset", "recorded_at")


def test_code_tables_become_lookups() -> None:
    visits = drafted(*ALL).table("visits")
    assert visits.lookups["dept_id"] == Lookup("departments", "name")
    assert visits.identifiers == ("visit_no",)
    assert visits.end_date == "ended_at"


def test_label_of_a_lookup_is_never_sensitive() -> None:
    codes = table("departments", "dept_id:int phone:30", key="dept_id")
    assert "dept_id" not in drafted(PATIENTS, VISITS, codes, STAFF).table("visits").columns


def test_lookup_by_another_column_than_the_key_names_it() -> None:
    wards = table("wards", "id:int short:8 name:60", unique="short")
    beds = table(
        "beds", "id:int patient_id:36 ward:8", "patient_id > patients.id", "ward > wards.short"
    )
    assert drafted(PATIENTS, wards, beds).table("beds").lookups == {
        "ward": Lookup("wards", "name", "short")
    }


def test_tables_that_lead_to_no_patient_are_comments() -> None:
    text = text_of(*ALL)
    assert [t.name for t in drafted(*ALL).tables] == ["patients", "visits", "diagnoses"]
    assert '# name = "departments"' in text
    assert "# path = []" in text


def test_commented_table_can_be_taken_in() -> None:
    text = text_of(*ALL)
    marked = text[text.index("# [[table]]") :]
    freed = "".join(line.removeprefix("# ") + "\n" for line in marked.splitlines())
    mapping = read_mapping(text.replace(marked, freed))
    assert mapping.table("departments").path is None


def test_binary_columns_stay_out() -> None:
    scans = table("scans", "id:int patient_id:36 title:80 image:blob", "patient_id > patients.id")
    assert drafted(PATIENTS, scans).table("scans").never == ("image",)
    assert '"image",  # binary' in text_of(PATIENTS, scans)


def test_table_without_a_key_is_told_apart_by_content_or_a_unique_key() -> None:
    columns = "patient_id:36 sent_at:time body:long"
    link = "patient_id > patients.id"
    assert drafted(PATIENTS, table("messages", columns, link, key="")).table("messages").key == ()
    unique = table("messages", f"{columns} number:12", link, key="", unique="number")
    assert drafted(PATIENTS, unique).table("messages").key == ("number",)


def test_links_are_guessed_from_names_where_no_key_is_declared() -> None:
    notes = table("notes", "id:int patient_id:36 note_text:long written:date")
    joins = drafted(PATIENTS, notes).table("notes").path
    assert joins is not None
    assert joins[0].right.column == "id"
    assert "is a guess from the names" in text_of(PATIENTS, notes)


def test_merge_table_is_found_with_its_direction() -> None:
    merges = table(
        "patient_merges",
        "surviving_patient_id:36 old_patient_id:36 merged_at:time",
        "surviving_patient_id > patients.id",
        "old_patient_id > patients.id",
        key="old_patient_id",
    )
    mapping = drafted(PATIENTS, merges)
    assert mapping.patient.merged is not None
    assert replace(mapping.patient.merged, line=0) == Merges(
        "patient_merges", "old_patient_id", "surviving_patient_id"
    )
    assert [found.name for found in mapping.tables] == ["patients"]


def test_key_that_looks_sensitive_is_kept_and_pointed_out() -> None:
    people = table("person", "national_id:16 name:80 phone:20", key="national_id")
    mapping = drafted(people)
    assert mapping.patient.key == ("national_id",)
    assert mapping.table("person").never == ("phone",)
    assert "national_id looks sensitive" in text_of(people)


def test_column_that_others_join_by_is_not_in_never() -> None:
    cards = table("cards", "id:int owner:16 issued:date", "owner > patients.national_id")
    mapping = drafted(PATIENTS, cards)
    assert mapping.table("cards").path is not None
    assert mapping.table("patients").never == ("phone",)
    assert "national_id" not in mapping.table("patients").columns


def test_foreign_key_of_several_columns_is_one_step() -> None:
    site = table("visits", "site:8 nr:int patient_id:36", "patient_id > patients.id", key="site nr")
    lines = table("visit_lines", "id:int site:8 nr:int remark:200")
    lines = replace(lines, foreign_keys=(ForeignKey(("site", "nr"), "visits", ("site", "nr")),))
    joins = drafted(PATIENTS, site, lines).table("visit_lines").path
    assert joins is not None
    assert [join.right.table for join in joins] == ["visits", "visits", "patients"]


def test_patient_that_is_a_kind_of_person_has_what_the_person_has() -> None:
    person = table("person", "person_id:int gender:10", key="person_id")
    patient = table(
        "patient",
        "patient_id:int allergy_status:50",
        "patient_id > person.person_id",
        key="patient_id",
    )
    obs = table(
        "obs", "obs_id:int person_id:int comments:255", "person_id > person.person_id", key="obs_id"
    )
    mapping = drafted(person, patient, obs)
    key = ColumnName("patient", "patient_id")
    assert mapping.patient.table == "patient"
    assert mapping.table("obs").path == (Join(ColumnName("obs", "person_id"), key),)
    assert mapping.table("person").path == (Join(ColumnName("person", "person_id"), key),)


def test_longer_name_is_good_for_a_label_and_not_for_a_path() -> None:
    person = table("person", "person_id:int mrn:20", key="person_id")
    concept = table("concept", "concept_id:int concept_name:80 name:80", key="concept_id")
    births = table(
        "births",
        "birth_id:int mother_person_id:int outcome_concept_id:int weight:num",
        key="birth_id",
    )
    text = text_of(person, concept, births)
    assert [found.name for found in read_mapping(text).tables] == ["person"]
    assert '# lookups = { outcome_concept_id = "concept.name" }' in text


def test_other_column_that_leads_to_a_patient_is_pointed_out() -> None:
    births = table(
        "births",
        "id:int mother_id:36 patient_id:36 remark:200",
        "mother_id > patients.id",
        "patient_id > patients.id",
    )
    joins = drafted(PATIENTS, births).table("births").path
    assert joins is not None
    assert joins[0].left.column == "patient_id"
    assert "mother_id also leads to one" in text_of(PATIENTS, births)


def test_key_is_guessed_where_none_is_declared() -> None:
    people = table("patients", "Id:36 LAST:40 BIRTHDATE:date", key="")
    visits = table("encounters", "Id:36 PATIENT:36 DESCRIPTION:200 STOP:date?", key="")
    mapping = drafted(people, visits)
    assert mapping.patient.key == ("Id",)
    assert mapping.table("encounters").path is not None
    assert mapping.table("encounters").end_date == "STOP"
    assert "that Id is one is a guess" in text_of(people, visits)


def test_number_without_a_label_is_not_copied() -> None:
    beds = table("beds", "id:int patient_id:36 address_id:int ward:20", "patient_id > patients.id")
    found = drafted(PATIENTS, beds).table("beds")
    assert found.columns == ("ward",)
    assert found.never == ()


def test_reference_in_other_case_is_the_same_table() -> None:
    beds = table("beds", "id:int patient_id:36 ward:20", "patient_id > PATIENTS.id")
    assert drafted(PATIENTS, beds).table("beds").path is not None


def test_texts_of_a_schema_without_lengths_are_known_by_their_names() -> None:
    people = table("patients", "id:int sex:long mrn:long")
    notes = table("notes", "id:int patient_id:int kind:long note:long", "patient_id > patients.id")
    assert drafted(people, notes).table("notes").text == ("note",)


def test_odd_names_are_quoted() -> None:
    names = ("Line Nr", "Patient", "Größe", "Test Name")
    lines = SchemaTable(
        "Lab Lines",
        columns=tuple(SchemaColumn(name, ColumnType.TEXT, length=80) for name in names),
        primary_key=("Line Nr",),
        foreign_keys=(ForeignKey(("Patient",), "patients", ("id",)),),
    )
    found = drafted(PATIENTS, lines).table("Lab Lines")
    assert found.path == (Join(ColumnName("Lab Lines", "Patient"), ColumnName("patients", "id")),)
    assert found.columns == ("Größe", "Test Name")


def test_table_with_nothing_to_copy_is_only_mentioned() -> None:
    links = table(
        "groups_of",
        "patient_id:36 group_id:int",
        "patient_id > patients.id",
        key="patient_id group_id",
    )
    mapping = drafted(PATIENTS, links)
    assert [found.name for found in mapping.tables] == ["patients"]
    assert "Nothing but keys and what looks sensitive: groups_of." in text_of(PATIENTS, links)


def test_source_without_patients_is_refused() -> None:
    with pytest.raises(MappingError, match="looks like that of the patients"):
        text_of(DEPARTMENTS)
