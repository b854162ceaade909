"""Reads what a mapping says of one table's rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from proband.records.block import Block, nearest
from proband.records.conditions import read_fixed, read_joins, read_lookup, read_tests
from proband.records.mapping import Join, Lookup, TableMapping, Test
from proband.text.codes import CodeSystem

ROW_KEYS = (
    *("schema", "title", "key", "columns", "labels", "units", "text", "label", "names", "never"),
    *("identifiers", "codes", "drugs", "quantities", "lookups", "recorded_none", "replaced_by"),
    *("date", "end_date", "zone", "zone_column", "changed", "leave_out_when", "current_when"),
    *("text_format_column", "language_column", "facility", "facility_column"),
    *("sensitivity", "sensitivity_column"),
)
_LOOKUP_KEYS = ("table", "schema", "label", "key", "where")
_SYSTEMS = {
    "icd10": CodeSystem.ICD10,
    "icd10cm": CodeSystem.ICD10,
    "icd10gm": CodeSystem.ICD10,
    "icd10am": CodeSystem.ICD10,
    "icd9": CodeSystem.ICD9,
    "icd9cm": CodeSystem.ICD9,
    "snomed": CodeSystem.SNOMED,
    "snomedct": CodeSystem.SNOMED,
    "sct": CodeSystem.SNOMED,
    "loinc": CodeSystem.LOINC,
    "atc": CodeSystem.ATC,
    "rxnorm": CodeSystem.RXNORM,
    "rxcui": CodeSystem.RXNORM,
}
_SYSTEM_NAMES = ("ICD-10-CM", "ICD-10", "ICD-9-CM", "ICD-9", "SNOMED CT", "LOINC", "ATC", "RxNorm")


def read_rows(block: Block, name: str, schema: str) -> TableMapping:
    """The table `name`; `schema` is that of tables that name none. Raises MappingError."""
    table = TableMapping(
        name=name,
        schema=block.text("schema", schema),
        title=block.text("title"),
        key=block.columns("key"),
        path=_path(block),
        columns=block.columns("columns"),
        labels=block.texts_by("labels"),
        units=block.texts_by("units"),
        text=block.columns("text"),
        label=block.columns("label"),
        names=block.columns("names"),
        identifiers=block.columns("identifiers"),
        codes=_codes(block),
        drugs=block.columns("drugs"),
        quantities=block.columns("quantities"),
        date=block.text("date"),
        end_date=block.text("end_date"),
        zone=zone_of(block),
        zone_column=block.text("zone_column"),
        changed=block.text("changed"),
        lookups=_lookups(block),
        leave_out_when=_tests(block, "leave_out_when"),
        recorded_none=block.text("recorded_none"),
        current_when=_tests(block, "current_when"),
        replaced_by=block.text("replaced_by"),
        text_format_column=block.text("text_format_column"),
        language_column=block.text("language_column"),
        facility_column=block.text("facility_column"),
        facility=block.text("facility"),
        sensitivity_column=block.text("sensitivity_column"),
        sensitivity=block.text("sensitivity"),
        never=block.columns("never"),
        line=block.line,
    )
    return replace(table, columns=_copied(table))


def _copied(table: TableMapping) -> tuple[str, ...]:
    one = (
        *(table.date, table.end_date, table.zone_column, table.replaced_by),
        *(table.text_format_column, table.language_column),
        *(table.facility_column, table.sensitivity_column),
    )
    several = (
        *(*table.label, *table.names, *table.text, *table.identifiers, *table.drugs),
        *(*table.codes, *table.quantities, *table.lookups),
        *(test.column for test in table.current_when),
    )
    return once(table.columns, several, one)


def once(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """The names of all groups in order, each once."""
    return tuple(dict.fromkeys(name for group in groups for name in group if name))


def table_name(block: Block, key: str) -> str:
    """A table's name without its schema. Raises MappingError."""
    name = block.text(key)
    if "." in name:
        schema, _, table = name.rpartition(".")
        raise block.error(
            key, f'"{name}" holds a dot; write {key} = "{table}" and schema = "{schema}"'
        )
    return name


def _path(block: Block) -> tuple[Join, ...] | None:
    steps = [block.read("path", read_joins, text) for text in block.texts("path")]
    return tuple(join for step in steps for join in step) or None


def _tests(block: Block, key: str) -> tuple[Test, ...]:
    text = block.text(key)
    return block.read(key, read_tests, text) if text else ()


def _codes(block: Block) -> dict[str, CodeSystem]:
    return {
        column: _system(block, column, name) for column, name in block.texts_by("codes").items()
    }


def _system(block: Block, column: str, name: str) -> CodeSystem:
    folded = re.sub(r"[\W_]+", "", name).lower()
    if folded not in _SYSTEMS:
        hint = nearest(name, _SYSTEM_NAMES)
        raise block.error("codes", f'"{name}" of {column} is no known code system{hint}')
    return _SYSTEMS[folded]


def _lookups(block: Block) -> dict[str, Lookup]:
    value = block.values.get("lookups", {})
    if not isinstance(value, Mapping):
        raise block.error("lookups", 'must be a table; write lookups = { column = "table.label" }')
    return {column: _lookup(block, column, given) for column, given in value.items()}


def _lookup(block: Block, column: str, given: Any) -> Lookup:
    if isinstance(given, str):
        return block.read("lookups", read_lookup, given)
    table = Block(
        block.file,
        f"{block.title} lookups",
        (*block.path, "lookups"),
        block.values["lookups"],
        block.lines,
    ).below(column, 'column = "table.label" or column = { table = "...", label = "..." }')
    assert table is not None
    table.only(_LOOKUP_KEYS)
    table.needs("table", 'table = "the code table"')
    table.needs("label", 'label = "its column that people read"')
    where = table.text("where")
    return Lookup(
        table_name(table, "table"),
        table.text("label"),
        key=table.text("key"),
        where=table.read("where", read_fixed, where) if where else (),
        schema=table.text("schema"),
    )


def zone_of(block: Block) -> str:
    """The IANA zone under `zone`, "" for none. Raises MappingError for one that does not exist."""
    name = block.text("zone")
    if not name:
        return ""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        hint = nearest(name, available_timezones(), else_say='; write one such as "Africa/Nairobi"')
        raise block.error("zone", f'"{name}" is no IANA time zone{hint}') from None
    return name
