"""Reads a mapping from TOML. `docs/mapping.md` describes the format; errors name file, line, key and what to write."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path as FilePath

from proband.errors import MappingError
from proband.records.block import Block
from proband.records.mapping import (
    ColumnName,
    DateOrder,
    Join,
    Merges,
    PatientMapping,
    SourceMapping,
    SourceRules,
    TableMapping,
)
from proband.records.mapping_checks import check
from proband.records.mapping_rows import ROW_KEYS, once, read_rows, table_name, zone_of
from proband.records.source_url import without_passwords
from proband.records.toml_lines import key_lines

SOURCE_KEYS = (
    *("name", "url", "password_variable", "schema", "zone", "date_order", "timeout_s", "page"),
    *("ask_when_day_and_month_are_unclear", "unknown_dates", "empty_texts", "masks"),
)
TABLE_KEYS = ("name", "path", *ROW_KEYS)
PATIENT_KEYS = (
    *("table", "record_number", "birth_date", "tell_apart_by", "merged"),
    *ROW_KEYS,
)
_MERGED_KEYS = ("table", "schema", "old", "new")
_BIRTH_DATES = ("birth_date", "birthdate", "date_of_birth", "dob")
_SOURCE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_DEFAULTS = SourceRules("", "")
_NAMES_OF_OTHERS = ("ctgov",)


def load_mapping(path: FilePath, url: str | None = None) -> SourceMapping:
    """The mapping in a file. `url` stands for the file's own. Raises MappingError, also where no file can be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as wrong:
        raise MappingError(
            f"{path}: the mapping cannot be read: {wrong.strerror or wrong}."
        ) from None
    except UnicodeDecodeError:
        raise MappingError(f"{path}: the mapping is not UTF-8 text; save it as UTF-8.") from None
    return read_mapping(text, path.name, url)


def read_mapping(text: str, name: str = "mapping.toml", url: str | None = None) -> SourceMapping:
    """The mapping that `text` describes.

    Args:
        text: TOML.
        name: what the file is called in errors.
        url: where the source is, if not where the file says.

    Raises MappingError with file, line and key, for what is wrong first.
    """
    top = _top(text, name)
    source = _required(top, "source", '[source] with name = "..." and url = "..."')
    patient = _required(top, "patient", '[patient] with table = "...", key and record_number')
    rules = _source(source, url)
    schema = source.text("schema")
    patients = _patient(patient)
    blocks = _blocks(top, patients.table, patient)
    tables = tuple(
        _patients_table(block, patients, schema) if block is patient else _table(block, schema)
        for block in blocks.values()
    )
    mapping = SourceMapping(rules, patients, _resolved(tables), without_passwords(text))
    check(mapping, blocks)
    return mapping


def _top(text: str, name: str) -> Block:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        at = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(wrong))
        reason, line = (at[1], at[2]) if at else (str(wrong), None)
        where = f"{name}, line {line or len(text.splitlines())}"
        raise MappingError(f"{where}: this is not TOML: {reason}.") from None
    top = Block(name, "", (), values, key_lines(text))
    top.only(("source", "patient", "table"))
    return top


def _required(top: Block, key: str, write: str) -> Block:
    top.needs(key, write)
    block = top.below(key, f"[{key}]")
    assert block is not None
    return block


def _blocks(top: Block, patients: str, patient: Block) -> dict[str, Block]:
    """Each table's block by its name, the patients' one first."""
    found = {patients: patient}
    tables = top.values.get("table", [])
    if not isinstance(tables, list):
        raise top.error("table", "is one table; write [[table]] with two brackets for each")
    for index, values in enumerate(tables):
        block = Block(top.file, "[[table]]", ("table", index), values, top.lines)
        block.needs("name", 'name = "the table as the source calls it"')
        name = table_name(block, "name")
        block = replace(block, title=f"[[table]] {name}")
        if name in found:
            first = found[name]
            raise block.error(
                "", f"the table stands in line {first.line} already ({first.title}); keep one"
            )
        block.only(TABLE_KEYS)
        found[name] = block
    return found


def _source(block: Block, url: str | None) -> SourceRules:
    block.only(SOURCE_KEYS)
    block.needs("name", 'name = "a short name that never changes"')
    if url is None:
        block.needs("url", 'url = "postgresql://reader@127.0.0.1:5432/clinic", or give --url')
    given = block.text("url")
    return SourceRules(
        name=_source_name(block),
        url=url or given,
        password_variable=block.text("password_variable", _DEFAULTS.password_variable),
        zone=zone_of(block),
        date_order=_date_order(block),
        unknown_dates=block.texts("unknown_dates", _DEFAULTS.unknown_dates),
        empty_texts=block.texts("empty_texts", _DEFAULTS.empty_texts),
        masks=block.texts("masks", _DEFAULTS.masks),
        timeout_s=block.whole("timeout_s", _DEFAULTS.timeout_s, 1, 86_400),
        page=block.whole("page", _DEFAULTS.page, 1, 100_000),
    )


def _source_name(block: Block) -> str:
    name = block.text("name")
    if not _SOURCE_NAME.fullmatch(name):
        raise block.error(
            "name", f'"{name}" must be a letter, then at most 39 letters, digits, "-" or "_"'
        )
    if name in _NAMES_OF_OTHERS:
        raise block.error("name", f'"{name}" is the name of the trials; choose another one')
    return name


def _date_order(block: Block) -> DateOrder:
    asks = block.flag("ask_when_day_and_month_are_unclear", default=True)
    name = block.text("date_order")
    if name:
        known = {order.value.lower(): order for order in DateOrder}
        if name.lower() not in known:
            raise block.error("date_order", f'"{name}" is none of YMD, DMY, MDY and unclear')
        return known[name.lower()]
    if not asks:
        raise block.error(
            "ask_when_day_and_month_are_unclear",
            'false needs the order of the parts; write date_order = "DMY" (or MDY, YMD)',
        )
    return DateOrder.UNCLEAR


def _patient(block: Block) -> PatientMapping:
    block.only(PATIENT_KEYS)
    block.needs("table", 'table = "the table with one row a patient"')
    block.needs("record_number", 'record_number = "the column with the number that people use"')
    table = replace(block, title="[patient]")
    key = block.columns("key")
    if not key:
        raise table.error(
            "key", 'must name the columns that tell patients apart; write key = ["id"]'
        )
    listed = block.columns("columns")
    born = next((name for name in _BIRTH_DATES if name in listed), "")
    return PatientMapping(
        table=table_name(block, "table"),
        key=key,
        record_number=block.text("record_number"),
        names=block.columns("names"),
        birth_date=block.text("birth_date", born),
        tell_apart_by=block.columns("tell_apart_by"),
        merged=_merged(block),
    )


def _merged(block: Block) -> Merges | None:
    merged = block.below("merged", "[patient.merged]")
    if merged is None:
        return None
    merged.only(_MERGED_KEYS)
    merged.needs("table", 'table = "the table of merged records"')
    merged.needs("old", 'old = "the column with the key of the record that went up in another"')
    merged.needs("new", 'new = "the column with the key of the record that is left"')
    schema = merged.text("schema", block.text("schema"))
    table, old, new = table_name(merged, "table"), merged.text("old"), merged.text("new")
    return Merges(table, old, new, schema=schema, line=merged.line)


def _patients_table(block: Block, patients: PatientMapping, schema: str) -> TableMapping:
    """The patients' own table: its record number is an identifier, and its name is what it is called in a list."""
    table = read_rows(block, patients.table, schema)
    used = (patients.record_number, *patients.names, patients.birth_date, *patients.tell_apart_by)
    return replace(
        table,
        title=table.title or "Patient",
        path=(),
        columns=once(block.columns("columns"), used, table.columns),
        label=table.label or patients.names or (patients.record_number,),
        identifiers=once((patients.record_number,), table.identifiers),
    )


def _table(block: Block, schema: str) -> TableMapping:
    block.needs("key", "key = [...] with the columns that tell rows apart, or key = [] for none")
    block.needs("path", "path = [...] with the joins to the patient, or path = [] for none")
    return read_rows(block, block.text("name"), schema)


def _resolved(tables: tuple[TableMapping, ...]) -> tuple[TableMapping, ...]:
    """The tables with the schema of each table that their joins and lookups name."""
    schemas = {table.name: table.schema for table in tables}

    def resolved(table: TableMapping) -> TableMapping:
        def named(column: ColumnName) -> ColumnName:
            return replace(column, schema=column.schema or schemas.get(column.table, table.schema))

        joins = table.path and tuple(
            Join(named(join.left), named(join.right)) for join in table.path
        )
        lookups = {
            column: replace(found, schema=found.schema or schemas.get(found.table, table.schema))
            for column, found in table.lookups.items()
        }
        return replace(table, path=joins, lookups=lookups)

    return tuple(map(resolved, tables))
