"""From a row of a source to the record that the catalogue keeps, under a key that no other row has."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from proband.model import DocumentKey
from proband.records.mapping import SourceMapping, TableMapping
from proband.records.record import Record, SourceRow, patient_key


def record_of(
    row: SourceRow, table: TableMapping, mapping: SourceMapping, seen: Counter[str]
) -> Record:
    """The record of a row. `seen` counts the contents of rows without a key that this run met, and counts this one."""
    source = mapping.source.name
    patients = mapping.patient.table
    if table.name == patients:
        patient = patient_key(source, patients, row.key)
    else:
        patient = patient_key(source, patients, row.patient) if row.patient else ""
    parts = row.key if table.key else (_content_key(row, seen),)
    return Record(DocumentKey(source, table.name, parts), patient, row.values, row.labels, row.gaps)


def _content_key(row: SourceRow, seen: Counter[str]) -> str:
    """The digest of what was copied; equal rows are numbered, since nothing else tells them apart."""
    body = [row.patient, sorted(row.values.items()), sorted(row.gaps.items())]
    digest = hashlib.sha256(json.dumps(body).encode()).hexdigest()[:32]
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}.{seen[digest]}"
