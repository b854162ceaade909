"""Small mappings for tests of sources: one patients' table and one other."""

from __future__ import annotations

from typing import Any

from proband.records.mapping import PatientMapping, SourceMapping, SourceRules, TableMapping


def mapping_of(url: str, *tables: TableMapping, **rules: Any) -> SourceMapping:
    """A mapping of these tables; the patients' table is called `patients` and has the key `id`."""
    patient = PatientMapping("patients", ("id",), "id")
    return SourceMapping(SourceRules("clinic", url, **rules), patient, tables)


def table_of(name: str, *columns: str, **arguments: Any) -> TableMapping:
    """A table with the key `id` and no way to a patient, unless said otherwise."""
    return TableMapping(name, **{"key": ("id",), "columns": columns, **arguments})
