"""Rows as documents: what is cited can be sliced, and who may see a row stands in its facets."""

from __future__ import annotations

from proband.model import FOREVER, DocumentKey, SectionKind
from proband.records.documents import document
from proband.records.mapping import (
    PatientMapping,
    SourceMapping,
    SourceRules,
    TableMapping,
)
from proband.records.record import Record
from proband.text.codes import CodeSystem

NOTES = TableMapping(
    "notes",
    key=("id",),
    columns=("title", "body", "icd10", "no", "drug"),
    text=("title", "body"),
    date="on",
    facility_column="ward",
    sensitivity="mental health",
    identifiers=("no",),
    codes={"icd10": CodeSystem.ICD10},
    drugs=("drug",),
)
MAPPING = SourceMapping(
    SourceRules("h", "sqlite://"), PatientMapping("patients", ("id",), "mrn"), (NOTES,)
)
BODY = "Seen on the ward.  No fever.\n\n" + "Walks with a stick. " * 20
RECORD = Record(
    DocumentKey("h", "notes", ("1",)),
    "h/patients/7",
    {
        "title": "Ward round",
        "body": BODY,
        "icd10": "E11.9",
        "no": "N-000012",
        "drug": "Metformin 500 mg",
        "on": "2024-03-05",
        "ward": "Ward 3",
    },
)


def test_a_long_text_becomes_paragraphs_that_slice_the_column() -> None:
    sections = document(RECORD, NOTES, MAPPING).sections
    assert [section.kind for section in sections] == [
        SectionKind.ROW,
        SectionKind.TEXT,
        SectionKind.TEXT,
    ]
    texts = [section for section in sections if section.kind is SectionKind.TEXT]
    assert [section.field for section in texts] == ["body", "body"]
    assert texts[0].reading.text == "Seen on the ward. No fever."
    assert texts[0].reading.span.of(BODY) == "Seen on the ward.  No fever."


def test_facets_say_whose_where_when_and_how_sensitive() -> None:
    facets = document(RECORD, NOTES, MAPPING).facets
    assert (facets.patient, facets.table) == ("h/patients/7", "h/notes")
    assert (facets.first_day, facets.last_day) == (19787, 19787)
    assert (facets.facility, facets.sensitivity) == ("Ward 3", "mental health")


def test_a_row_without_a_date_lies_within_no_days() -> None:
    undated = Record(RECORD.key, "", {"title": "x"})
    facets = document(undated, NOTES, MAPPING).facets
    assert (facets.first_day, facets.last_day) == (FOREVER, -FOREVER)


def test_identifiers_codes_and_drugs_are_exact_terms() -> None:
    found = document(RECORD, NOTES, MAPPING)
    assert "=n000012" in found.exact
    assert {"icd10:E119", "icd10>E11", "drug:metformin"} <= set(found.sections[0].exact)


def test_the_same_record_gives_the_same_document() -> None:
    assert document(RECORD, NOTES, MAPPING) == document(RECORD, NOTES, MAPPING)
