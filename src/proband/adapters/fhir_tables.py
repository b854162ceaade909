"""The tables that FHIR resources are staged into: one for each resource type that is read, and two for their parts.

Columns whose names begin with an underscore serve the staging and no mapping names them: which version of a resource a
row is, and references that are resolved when all files are read.
"""

from __future__ import annotations

from dataclasses import dataclass

STAMPS = ("_updated", "_version", "_serial")
"""When the resource was last updated (UTC), its version number, and how many resources were read before it."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Args:
        name: as the mapping calls it.
        resource: the type of resource whose rows it holds.
        columns: its columns; the first of `key` are among them.
        key: what tells its rows apart.
        parent: the table whose rows its rows are parts of; "" for none.
    """

    name: str
    resource: str
    columns: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    parent: str = ""


_OF_PATIENT = ("id", "patient_id", "encounter_id", "status")
_END = ("note", "facility", "confidentiality")
_VALUE = ("value", "unit", "value_snomed", "interpretation", "reference_range", "absent_reason")
DRUG_CODES = ("rxnorm", "atc", "snomed", "other_codes")
_DRUG = (
    *("drug", *DRUG_CODES, "category", "dosage", "dose", "route"),
    *(
        "frequency",
        "as_needed",
        "reason",
        "start_date",
        "end_date",
        "recorded_at",
        "_medication",
        "_reason",
    ),
)

TABLES = (
    Table(
        "patients",
        "Patient",
        (
            *("id", "record_number", "given_name", "family_name", "other_names", "birth_date"),
            *(
                "sex",
                "deceased",
                "deceased_at",
                "language",
                "active",
                "facility",
                "confidentiality",
            ),
            "_facility",
        ),
    ),
    Table(
        "patient_merges", "Patient", ("id", "part", "old_id", "new_id"), ("id", "part"), "patients"
    ),
    Table(
        "encounters",
        "Encounter",
        (
            *("id", "patient_id", "status", "class", "type", "snomed", "other_codes", "service"),
            *("start_date", "end_date", "reason", "location", "discharged_to", "facility"),
            *("confidentiality", "_facility", "_reason"),
        ),
    ),
    Table(
        "conditions",
        "Condition",
        (
            *("id", "patient_id", "encounter_id", "name", "icd10", "icd9", "snomed", "other_codes"),
            *("clinical_status", "verification_status", "category", "severity", "body_site"),
            *("dated", "onset_date", "onset", "end_date", "ended", "recorded_at", *_END),
        ),
    ),
    Table(
        "observations",
        "Observation",
        (
            *(*_OF_PATIENT, "name", "loinc", "snomed", "other_codes", "category", *_VALUE),
            *("components", "dated", "taken_until", "issued_at", "body_site", "method", *_END),
        ),
    ),
    Table(
        "observation_components",
        "Observation",
        (
            *("observation_id", "part", "patient_id", "encounter_id", "status", "panel", "name"),
            *("loinc", "snomed", "other_codes", *_VALUE, "dated", "facility", "confidentiality"),
        ),
        ("observation_id", "part"),
        "observations",
    ),
    Table(
        "medication_requests",
        "MedicationRequest",
        (*_OF_PATIENT, "intent", "do_not_give", *_DRUG, *_END),
    ),
    Table("medication_statements", "MedicationStatement", (*_OF_PATIENT, *_DRUG, *_END)),
    Table(
        "allergies",
        "AllergyIntolerance",
        (
            *("id", "patient_id", "encounter_id", "kind", "substance", "snomed", "rxnorm", "atc"),
            *("other_codes", "category", "criticality", "clinical_status", "verification_status"),
            *("reactions", "dated", "onset_date", "onset", "recorded_at", "last_occurred", *_END),
        ),
    ),
    Table(
        "procedures",
        "Procedure",
        (
            *(*_OF_PATIENT, "name", "snomed", "icd10", "icd9", "loinc", "other_codes", "category"),
            *("status_reason", "performed_at", "performed_until", "performed", "reason"),
            *("body_site", "outcome", "complication", *_END, "_reason"),
        ),
    ),
    Table(
        "diagnostic_reports",
        "DiagnosticReport",
        (
            *(*_OF_PATIENT, "name", "loinc", "snomed", "other_codes", "category", "dated"),
            *("taken_until", "issued_at", "conclusion", "conclusion_codes", "body", "body_format"),
            *("facility", "confidentiality", "_binary"),
        ),
    ),
    Table(
        "documents",
        "DocumentReference",
        (
            *(*_OF_PATIENT, "doc_status", "title", "type", "loinc", "snomed", "other_codes"),
            *("category", "written_at", "description", "body", "body_format", "facility"),
            *("confidentiality", "_binary", "_facility"),
        ),
    ),
    Table(
        "immunizations",
        "Immunization",
        (
            *(*_OF_PATIENT, "status_reason", "vaccine", "snomed", "atc", "other_codes", "given_at"),
            *(
                "given",
                "dose",
                "dose_number",
                "route",
                "site",
                "lot_number",
                "reason",
                *_END,
                "_reason",
            ),
        ),
    ),
)
LOOKUPS = (
    Table("_medications", "Medication", ("id", "drug", *DRUG_CODES)),
    Table("_organizations", "Organization", ("id", "name")),
    Table("_binaries", "Binary", ("id", "body", "body_format")),
    Table("_urls", "", ("url", "type", "id"), ("url", "type", "id")),
    Table("_deleted", "", ("type", "id", "at"), ("type", "id")),
)
"""What references lead to: it fills columns of the tables and is dropped."""
BY_NAME = {table.name: table for table in (*TABLES, *LOOKUPS)}
