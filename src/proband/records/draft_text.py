"""Writes a drafted mapping as TOML, with the reasons for what it leaves out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from proband.records.mapping import (
    ColumnName,
    Comparison,
    Lookup,
    PatientMapping,
    SourceRules,
    TableMapping,
    Test,
)
from proband.records.titles import SYSTEM_NAMES

_WIDTH = 110
_HEAD = """\
# First draft of a mapping, made from names and types alone. Read it before you use it: what is named here is copied
# and can be found; what is not named stays in the source. docs/mapping.md describes each key.
"""
_OTHERS = """\
# These tables lead to no patient. To copy one, take the marks off: its rows are then about no patient, and whoever may
# search the records of any patient sees them. Lookups read them without that.
"""
_LISTS = ("columns", "text", "label", "names", "identifiers", "drugs", "quantities")
_TEXTS = (
    *("date", "end_date", "zone_column", "changed", "replaced_by"),
    *("text_format_column", "language_column"),
)


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A drafted table, the columns that it leaves out with the reasons, and what a person should look at."""

    mapping: TableMapping
    left_out: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted mapping. `patients` is the patients' table; `others` lead to no patient."""

    source: SourceRules
    patient: PatientMapping
    patients: TableDraft
    tables: tuple[TableDraft, ...]
    others: tuple[TableDraft, ...]


def written(draft: Draft) -> str:
    """The TOML text of the draft; `mapping_file.read_mapping` reads it."""
    parts = [_HEAD, _block(_source(draft.source)), _block(_patient(draft))]
    parts += [_block(_table(table)) for table in draft.tables if table.mapping.columns]
    empty = [table.mapping.name for table in draft.tables if not table.mapping.columns]
    if empty:
        parts.append(f"# Nothing but keys and what looks sensitive: {', '.join(empty)}.\n")
    if draft.others:
        parts.append(_OTHERS)
    for table in draft.others:
        parts.append("".join(f"# {line}".rstrip() + "\n" for line in _table(table)))
    return "\n".join(parts)


def _block(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _source(source: SourceRules) -> Iterator[str]:
    yield "[source]"
    yield f"name = {_text(source.name)}"
    yield f"url = {_text(source.url)}"
    yield "# The password comes from the environment variable PROBAND_SOURCE_PASSWORD."
    yield '# zone = "Africa/Nairobi"                 # where times without a zone are local'
    yield 'ask_when_day_and_month_are_unclear = true  # or say how dates stand in texts: date_order = "DMY"'


def _patient(draft: Draft) -> Iterator[str]:
    patient, table = draft.patient, draft.patients
    yield "[patient]"
    yield f"table = {_text(patient.table)}"
    yield from _schema(table.mapping)
    yield from _listed("key", patient.key)
    yield f"record_number = {_text(patient.record_number)}"
    if patient.names:
        yield from _listed("names", patient.names)
    if patient.birth_date:
        yield f"birth_date = {_text(patient.birth_date)}"
    if patient.tell_apart_by:
        yield from _listed("tell_apart_by", patient.tell_apart_by)
    yield from _rows(table, but=("label", "identifiers", "date", "text"))
    if patient.merged:
        yield ""
        yield "[patient.merged]  # old record -> the one that is left"
        yield f"table = {_text(patient.merged.table)}"
        yield f"old = {_text(patient.merged.old)}"
        yield f"new = {_text(patient.merged.new)}"


def _table(table: TableDraft) -> Iterator[str]:
    mapping = table.mapping
    yield "[[table]]"
    yield f"name = {_text(mapping.name)}"
    yield from _schema(mapping)
    yield from _listed("key", mapping.key)
    joins = tuple(f"{_name(j.left)} = {_name(j.right)}" for j in mapping.path or ())
    yield from _listed("path", joins)
    yield from _rows(table)


def _schema(mapping: TableMapping) -> Iterator[str]:
    if mapping.schema:
        yield f"schema = {_text(mapping.schema)}"


def _rows(table: TableDraft, but: tuple[str, ...] = ()) -> Iterator[str]:
    mapping = table.mapping
    for key in _LISTS:
        if getattr(mapping, key) and key not in but:
            yield from _listed(key, getattr(mapping, key))
    if mapping.codes:
        yield _inline("codes", {c: _text(SYSTEM_NAMES[s]) for c, s in mapping.codes.items()})
    for key in _TEXTS:
        if getattr(mapping, key) and key not in but:
            yield f"{key} = {_text(getattr(mapping, key))}"
    if mapping.lookups:
        yield _inline("lookups", {c: _lookup(found) for c, found in mapping.lookups.items()})
    if mapping.leave_out_when:
        yield f"leave_out_when = {_text(' and '.join(map(_test, mapping.leave_out_when)))}"
    yield from _never(table.left_out)
    yield from (f"# {remark}" for remark in table.remarks)


def _never(left_out: Mapping[str, str]) -> Iterator[str]:
    if left_out:
        yield "never = ["
        yield from (f"  {_text(name)},  # {reason}" for name, reason in left_out.items())
        yield "]"


def _listed(key: str, values: tuple[str, ...]) -> Iterator[str]:
    one = f"{key} = [{', '.join(map(_text, values))}]"
    if len(one) <= _WIDTH:
        yield one
        return
    yield f"{key} = ["
    line = " "
    for value in map(_text, values):
        if len(line) + len(value) >= _WIDTH:
            yield line
            line = " "
        line += f" {value},"
    yield line
    yield "]"


def _inline(key: str, values: Mapping[str, str]) -> str:
    return f"{key} = {{ {', '.join(f'{_key(name)} = {value}' for name, value in values.items())} }}"


def _lookup(lookup: Lookup) -> str:
    if not lookup.key:
        return _text(_name(ColumnName(lookup.table, lookup.label, lookup.schema)))
    parts = {
        "table": lookup.table,
        "schema": lookup.schema,
        "label": lookup.label,
        "key": lookup.key,
    }
    inside = ", ".join(f"{name} = {_text(value)}" for name, value in parts.items() if value)
    return f"{{ {inside} }}"


def _test(test: Test) -> str:
    column = _part(test.column)
    if test.comparison in (Comparison.IS_NULL, Comparison.IS_NOT_NULL):
        return f"{column} {test.comparison}"
    number = re.fullmatch(r"-?\d+(?:\.\d+)?", test.value)
    value = test.value if number else "'" + test.value.replace("'", "''") + "'"
    return f"{column} {test.comparison} {value}"


def _name(name: ColumnName) -> str:
    parts = (name.schema, name.table, name.column) if name.schema else (name.table, name.column)
    return ".".join(map(_part, parts))


def _part(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d][\w$#]*", name) else f'"{name}"'


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
