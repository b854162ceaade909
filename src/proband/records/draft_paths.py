"""How the tables of a schema hang together, by foreign keys or else names, and the way from a row to its patient."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proband.records.mapping import ColumnName, Join
from proband.records.naming import fits, holds
from proband.records.schema import SchemaColumn, SchemaTable
from proband.records.titles import singular, words_of


@dataclass(frozen=True, slots=True)
class Link:
    """Columns of a table name a row of another one; `guessed` from the names where no foreign key is declared."""

    joins: tuple[Join, ...]
    guessed: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that the link starts at."""
        return tuple(join.left.column for join in self.joins)

    @property
    def table(self) -> str:
        """The table that the link leads to."""
        return self.joins[0].right.table


Links = Mapping[str, tuple[Link, ...]]


def links_of(tables: Sequence[SchemaTable]) -> Links:
    """The links of each table, the declared ones first."""
    return {table.name: (*_declared(table), *_guessed(table, tables)) for table in tables}


def path_to(patients: str, start: str, links: Links) -> tuple[Link, ...] | None:
    """The shortest way from `start` to the patients, never by way of who wrote a row; None where there is none."""
    ways: deque[tuple[str, tuple[Link, ...]]] = deque()
    if not fits("house", start):
        ways.append((start, ()))
    seen = {start}
    while ways:
        here, way = ways.popleft()
        for link in sorted(links.get(here, ()), key=_doubt):
            if link.table == patients and not _of_the_house(link):
                return (*way, link)
            if link.table not in seen and not _of_the_house(link):
                seen.add(link.table)
                ways.append((link.table, (*way, link)))
    return None


def _doubt(link: Link) -> tuple[bool, bool]:
    return link.guessed, not any(holds("patients", column) for column in link.columns)


def _of_the_house(link: Link) -> bool:
    return any(holds("house", name) for name in (link.table, *link.columns))


def _declared(table: SchemaTable) -> list[Link]:
    return [
        _link(table, key.columns, key.table, key.referred)
        for key in table.foreign_keys
        if key.table != table.name
    ]


def _guessed(table: SchemaTable, tables: Sequence[SchemaTable]) -> list[Link]:
    declared = {column for key in table.foreign_keys for column in key.columns}
    found = []
    for column in table.columns:
        if column.name in declared or table.primary_key == (column.name,):
            continue
        for other in tables:
            if other.name != table.name and _names_a_row(column, other):
                found.append(
                    _link(table, (column.name,), other.name, other.primary_key, guessed=True)
                )
                break
    return found


def _names_a_row(column: SchemaColumn, other: SchemaTable) -> bool:
    """`person_id` is the key of `person`, or `patient_id` that of `patients`, whose key is `id`."""
    if len(other.primary_key) != 1 or column.type is not other.column(other.primary_key[0]).type:
        return False
    key, words = words_of(other.primary_key[0]), words_of(column.name)
    table = words_of(other.name)
    one = [*table[:-1], singular(table[-1])] if table else []
    if len(key) > 1 and words == key:
        return set(key[:-1]) <= {*table, *one}
    return key in (["id"], ["code"], [*one, "id"]) and words in ([*one, "id"], [*one, *key], one)


def _link(
    table: SchemaTable,
    columns: tuple[str, ...],
    other: str,
    referred: tuple[str, ...],
    guessed: bool = False,
) -> Link:
    pairs = zip(columns, referred, strict=True)
    joins = [Join(ColumnName(table.name, left), ColumnName(other, right)) for left, right in pairs]
    return Link(tuple(joins), guessed)
