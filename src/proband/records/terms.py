"""The exact terms of a row: its identifiers, and the codes, drugs and quantities of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proband.records.mapping import TableMapping
from proband.records.record import Record
from proband.text.codes import code_terms
from proband.text.drugs import drug_terms
from proband.text.exact import own_terms

_COUNTED = re.compile(r"\d+")


def own_row_terms(record: Record, table: TableMapping) -> tuple[str, ...]:
    """What the row answers to: its identifiers, and its key where that is no mere number."""
    keys = (part for part in record.key.parts if table.key and not _COUNTED.fullmatch(part))
    named = (record.values[name] for name in table.identifiers if name in record.values)
    return own_terms(dict.fromkeys((*named, *keys)))


def column_terms(record: Record, table: TableMapping) -> tuple[str, ...]:
    """The codes with what is above them, and the drugs with their names and ingredients."""
    return tuple(dict.fromkeys((*_codes(record, table), *_drugs(record, table))))


def _codes(record: Record, table: TableMapping) -> Iterator[str]:
    for column, system in table.codes.items():
        if value := record.values.get(column):
            yield from code_terms(system, value)


def _drugs(record: Record, table: TableMapping) -> Iterator[str]:
    names = [record.values[name] for name in table.drugs if name in record.values]
    yield from drug_terms(names)
