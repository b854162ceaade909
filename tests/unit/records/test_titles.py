"""Names of tables and columns, made readable."""

from __future__ import annotations

import pytest

from proband.records.mapping import TableMapping
from proband.records.titles import label_of, title_of, unit_of
from proband.text.codes import CodeSystem


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("lab_results", "Lab result"),
        ("diagnoses", "Diagnosis"),
        ("allergies", "Allergy"),
        ("clinical_notes", "Clinical note"),
        ("vitals", "Vital signs"),
        ("staff", "Staff member"),
        ("visit_occurrence", "Visit occurrence"),
        ("DrugExposures", "Drug exposure"),
        ("biopsies", "Biopsy"),
        ("address", "Address"),
        ("boxes", "Box"),
    ],
)
def test_title_is_the_table_in_the_singular(name: str, title: str) -> None:
    assert title_of(TableMapping(name)) == title


def test_given_titles_labels_and_units_win() -> None:
    table = TableMapping(
        "t", title="Ward round", labels={"wt": "Weight"}, units={"wt": "kg", "x_mg": "g"}
    )
    assert title_of(table) == "Ward round"
    assert label_of(table, "wt") == "Weight"
    assert unit_of(table, "wt") == "kg"
    assert unit_of(table, "x_mg") == "g"


@pytest.mark.parametrize(
    ("column", "label", "unit"),
    [
        ("admitted_at", "Admitted at", ""),
        ("dept_id", "Department", ""),
        ("visit_no", "Visit number", ""),
        ("weight_kg", "Weight", "kg"),
        ("temp_c", "Temperature", "°C"),
        ("spo2", "SpO2", ""),
        ("gcs_score", "GCS score", ""),
        ("ref_range", "Reference range", ""),
        ("birthDate", "Birth date", ""),
        ("id", "ID", ""),
        ("größe_cm", "Größe", "cm"),
        ("icd", "ICD", ""),
    ],
)
def test_label_is_the_column_in_words(column: str, label: str, unit: str) -> None:
    assert label_of(TableMapping("t"), column) == label
    assert unit_of(TableMapping("t"), column) == unit


def test_label_of_a_coded_column_is_its_system() -> None:
    table = TableMapping("t", codes={"icd10": CodeSystem.ICD10, "lab_code": CodeSystem.LOINC})
    assert [label_of(table, column) for column in table.codes] == ["ICD-10", "LOINC"]
