"""How the tables of a schema hang together, by foreign keys or else names, and the way from a row to its patient."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from proband.records.mapping import ColumnName, Join
from proband.records.naming import fits, holds
from proband.records.schema import SchemaColumn, SchemaTable
from proband.records.titles import singular, words_of


@dataclass(frozen=True, slots=True)
class Link:
    """Columns of a table name a row of another one.

    Args:
        joins: its columns with those of the other table.
        guessed: it is read from the names, as no foreign key is declared.
        loose: the column says more than the other table's key (`mother_person_id`): good for a label, not for a path.
    """

    joins: tuple[Join, ...]
    guessed: bool = False
    loose: bool = False

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


def path_to(patients: SchemaTable, start: str, links: Links) -> tuple[Link, ...] | None:
    """The shortest way from `start` to the patients, never by way of who wrote a row; None where there is none."""
    ways: deque[tuple[str, tuple[Link, ...]]] = deque()
    if start != patients.name and not fits("house", start):
        ways.append((start, ()))
    seen = {start}
    while ways:
        here, way = ways.popleft()
        for link in sorted(_leading(here, patients, links), key=_doubt):
            if link.table == patients.name:
                return (*way, link)
            if link.table not in seen:
                seen.add(link.table)
                ways.append((link.table, (*way, link)))
    return None


def _leading(here: str, patients: SchemaTable, links: Links) -> list[Link]:
    """The links of a table that a path may take.

    Where the patient's key is that of another table too (`patient.patient_id` is a `person.person_id`), what leads to
    that table, and the table itself, leads to the patient.
    """
    own = [link for link in links[patients.name] if link.columns == patients.primary_key]
    same = {join.right: join.left for link in own for join in link.joins if not link.guessed}
    found = [link for link in links.get(here, ()) if not link.loose and not _of_the_house(link)]
    by_key = [_turned(link, same) for link in found if link.joins[0].right in same]
    of_table = [Link((Join(of, key),)) for of, key in same.items() if of.table == here]
    return [*by_key, *of_table, *found]


def _turned(link: Link, same: Mapping[ColumnName, ColumnName]) -> Link:
    return replace(link, joins=tuple(Join(j.left, same[j.right]) for j in link.joins))


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
        others = [other for other in tables if other.name != table.name and _keyed(column, other)]
        exact = [other for other in others if _names_a_row(column, other)]
        for other in exact[:1] or [other for other in others if _ends_in_key(column, other)][:1]:
            link = _link(table, (column.name,), other.name, other.primary_key)
            found.append(replace(link, guessed=True, loose=not exact))
    return found


def _keyed(column: SchemaColumn, other: SchemaTable) -> bool:
    """The other table has one key column, and it holds the same kind of values."""
    return len(other.primary_key) == 1 and other.column(other.primary_key[0]).type is column.type


def _names_a_row(column: SchemaColumn, other: SchemaTable) -> bool:
    """`person_id` is the key of `person`, or `patient_id` that of `patients`, whose key is `id`."""
    key, words = words_of(other.primary_key[0]), words_of(column.name)
    table = words_of(other.name)
    one = [*table[:-1], singular(table[-1])] if table else []
    if len(key) > 1 and words == key:
        return set(key[:-1]) <= {*table, *one}
    return key in (["id"], ["code"], [*one, "id"]) and words in ([*one, "id"], [*one, *key], one)


def _ends_in_key(column: SchemaColumn, other: SchemaTable) -> bool:
    """`condition_concept_id` names a row of `concept`, whose key is `concept_id`."""
    key, words = words_of(other.primary_key[0]), words_of(column.name)
    return 1 < len(key) < len(words) and words[-len(key) :] == key


def _link(
    table: SchemaTable, columns: tuple[str, ...], other: str, referred: tuple[str, ...]
) -> Link:
    pairs = zip(columns, referred, strict=True)
    joins = [Join(ColumnName(table.name, left), ColumnName(other, right)) for left, right in pairs]
    return Link(tuple(joins))
