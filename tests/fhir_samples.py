"""Invented FHIR resources, as short as they can be."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.adapters.fhir import stage_fhir

Resource = dict[str, Any]
SNOMED, LOINC = "http://snomed.info/sct", "http://loinc.org"


def resource(kind: str, id: str = "r-1", **values: Any) -> Resource:
    """A resource, about the patient p-1 unless something else is said."""
    whose = "patient" if kind in ("AllergyIntolerance", "Immunization") else "subject"
    about = {} if kind == "Patient" else {whose: {"reference": "Patient/p-1"}}
    return {"resourceType": kind, "id": id, **about, **values}


def patient(id: str = "p-1", **values: Any) -> Resource:
    return resource("Patient", id, **values)


def coded(text: str | None = None, **codes: str) -> Resource:
    """A CodeableConcept; `codes` are systems by their last words."""
    systems = {
        "snomed": SNOMED,
        "loinc": LOINC,
        "icd10": "http://hl7.org/fhir/sid/icd-10",
        "icd9": "http://hl7.org/fhir/sid/icd-9-cm",
        "atc": "http://www.whocc.no/atc",
        "rxnorm": "http://www.nlm.nih.gov/research/umls/rxnorm",
        "local": "http://example.org/codes",
    }
    codings = [{"system": systems[system], "code": code} for system, code in codes.items()]
    return {"coding": codings} | ({"text": text} if text else {})


def ndjson(*resources: object) -> str:
    return "".join(f"{json.dumps(item)}\n" for item in resources)


def bundle(*entries: Mapping[str, Any], kind: str = "collection") -> str:
    return json.dumps({"resourceType": "Bundle", "type": kind, "entry": list(entries)})


def staged(folder: Path, **files: str | bytes) -> tuple[sqlite3.Connection, list[str]]:
    """The database of files named `name_json`, `name_ndjson` or `name_ndjson_gz`, and what was said of it."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    return db, list(stage_fhir((folder,), db))


def rows(db: sqlite3.Connection, table: str) -> list[dict[str, str]]:
    """The rows of a table in order of their keys, without what is NULL and what serves the staging."""
    found = db.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
    return [
        {name: row[name] for name in row.keys() if row[name] is not None and name[0] != "_"}  # noqa: SIM118
        for row in found
    ]


def row_of(folder: Path, table: str, *resources: Resource) -> dict[str, str]:
    """The only row of a table, staged of these resources and the patient p-1."""
    db, _ = staged(folder, all_ndjson=ndjson(patient(), *resources))
    (row,) = rows(db, table)
    return row
