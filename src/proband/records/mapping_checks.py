"""What must hold between the parts of a mapping: paths lead to the patient, and what stays out is used nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from proband.records.block import Block
from proband.records.mapping import Join, SourceMapping, TableMapping


class _Use(NamedTuple):
    """The key of a block uses a column of a table."""

    block: Block
    key: str
    table: str
    column: str


def check(mapping: SourceMapping, blocks: Mapping[str, Block]) -> None:
    """Raises MappingError for the first thing that does not fit. `blocks` holds each table's block by its name."""
    for table in mapping.tables:
        block = blocks[table.name]
        if table.path:
            _check_path(table, mapping.patient.table, block)
        _check_row(table, block)
    _check_never(mapping, blocks)


def _check_path(table: TableMapping, patients: str, block: Block) -> None:
    here, seen = table.name, [table.name]
    for join in table.path or ():
        if len(seen) > 1 and (join.left.table, join.right.table) == (seen[-2], here):
            continue
        if join.left.table != here:
            raise block.error("path", _gap(join, here, first=here == table.name))
        here = join.right.table
        if here in seen:
            raise block.error("path", f"passes {here} twice; each join leads to another table")
        seen.append(here)
    if here != patients:
        raise block.error(
            "path", f"ends at {here}; add the joins that lead from there to {patients}"
        )


def _gap(join: Join, here: str, *, first: bool) -> str:
    if join.right.table == here:
        left, right = join.right, join.left
        return (
            f'write it from the row on: "{left.table}.{left.column} = {right.table}.{right.column}"'
        )
    begins = "must begin at" if first else "goes on from"
    return (
        f"{begins} {here}, and the join begins at {join.left.table}; write the join from {here} on"
    )


def _check_row(table: TableMapping, block: Block) -> None:
    if not table.columns:
        raise block.error("", "nothing is copied; name the columns in columns = [...]")
    for key, named in (("labels", table.labels), ("units", table.units)):
        for column in named:
            if column not in table.columns:
                raise block.error(
                    key, f"{column} is not copied; add it to columns or leave it out here"
                )
    for one, other in (("facility", "facility_column"), ("sensitivity", "sensitivity_column")):
        if one in block.values and other in block.values:
            raise block.error(one, f"stands beside {other}; keep one of them")
    if table.replaced_by and not table.key:
        raise block.error("replaced_by", "needs rows with a key; name it in key = [...]")


def _check_never(mapping: SourceMapping, blocks: Mapping[str, Block]) -> None:
    never = {table.name: set(table.never) for table in mapping.tables}
    for use in _uses(mapping, blocks):
        if use.column in never.get(use.table, ()):
            raise use.block.error(
                use.key,
                f"{use.table}.{use.column} must stay out by never (line {blocks[use.table].line}); "
                "take it out of one of the two",
            )


def _uses(mapping: SourceMapping, blocks: Mapping[str, Block]) -> Iterator[_Use]:
    for table in mapping.tables:
        block = blocks[table.name]
        for key, columns in _own(table, mapping):
            yield from (_Use(block, key, table.name, column) for column in columns)
        for join in table.path or ():
            for side in (join.left, join.right):
                yield _Use(block, "path", side.table, side.column)
        for lookup in table.lookups.values():
            for column in (lookup.label, lookup.key, *(name for name, _ in lookup.where)):
                yield _Use(block, "lookups", lookup.table, column)
    if merged := mapping.patient.merged:
        for key, column in (("old", merged.old), ("new", merged.new)):
            yield _Use(blocks[mapping.patient.table], f"merged.{key}", merged.table, column)


def _own(table: TableMapping, mapping: SourceMapping) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keys that name columns of the table itself. `columns` comes last: it holds those of other keys too."""
    if table.name == mapping.patient.table:
        yield "record_number", (mapping.patient.record_number,)
        yield "names", mapping.patient.names
        yield "birth_date", (mapping.patient.birth_date,)
        yield "tell_apart_by", mapping.patient.tell_apart_by
    for key in ("key", "text", "label", "names", "identifiers", "drugs", "quantities"):
        yield key, getattr(table, key)
    for key in ("codes", "lookups"):
        yield key, tuple(getattr(table, key))
    for key in (
        *("date", "end_date", "zone_column", "changed", "replaced_by", "text_format_column"),
        *("language_column", "facility_column", "sensitivity_column"),
    ):
        yield key, (getattr(table, key),)
    for key in ("leave_out_when", "current_when"):
        yield key, tuple(test.column for test in getattr(table, key))
    yield "columns", table.columns
