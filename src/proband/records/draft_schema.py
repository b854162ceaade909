"""A schema made ready for a draft: one table a name, keys known or guessed, references spelled as the tables are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from proband.records.draft_paths import Links, links_of
from proband.records.mapping import ColumnName
from proband.records.schema import ColumnType, ForeignKey, SchemaTable
from proband.records.titles import singular, words_of


@dataclass(frozen=True, slots=True)
class DraftSchema:
    """What a draft knows of a source.

    Args:
        tables: by name.
        links: between them.
        guessed_keys: tables whose key is a guess from a column's name.
        joined: columns that some path joins by.
    """

    tables: Mapping[str, SchemaTable]
    links: Links
    guessed_keys: frozenset[str]
    joined: frozenset[ColumnName] = frozenset()

    def incoming(self, name: str) -> int:
        """How many links of other tables lead to this one."""
        return sum(link.table == name for links in self.links.values() for link in links)


def ready_schema(tables: Sequence[SchemaTable]) -> DraftSchema:
    """The schema of these tables; of two with one name the first counts."""
    first = {table.name: table for table in reversed(tables)}
    spelled = {name.casefold(): name for name in first}
    lengths = any(column.length for table in tables for column in table.columns)
    ready: dict[str, SchemaTable] = {}
    guessed = set()
    for name in dict.fromkeys(table.name for table in tables):
        table = first[name] if lengths else _of_short_texts(first[name])
        key = _key(table)
        if not key and (named := _named_key(table)):
            key = (named,)
            guessed.add(name)
        references = tuple(_spelled(reference, spelled) for reference in table.foreign_keys)
        ready[name] = replace(table, primary_key=key, foreign_keys=references)
    return DraftSchema(ready, links_of(tuple(ready.values())), frozenset(guessed))


def _of_short_texts(table: SchemaTable) -> SchemaTable:
    """A table of a schema that states no text's length: a text without one is then nothing special."""
    columns = (
        replace(column, type=ColumnType.TEXT) if column.type is ColumnType.LONG_TEXT else column
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _key(table: SchemaTable) -> tuple[str, ...]:
    """The primary key, else a unique one that is never empty."""
    if table.primary_key:
        return table.primary_key
    nullable = {column.name for column in table.columns if column.nullable}
    return next((key for key in table.unique_keys if nullable.isdisjoint(key)), ())


def _named_key(table: SchemaTable) -> str:
    """`id`, or `visit_id` in `visits`; "" where no column is called so."""
    words = words_of(table.name)
    one = [*words[:-1], singular(words[-1])] if words else []
    wanted = (["id"], [*words, "id"], [*one, "id"])
    return next((column.name for column in table.columns if words_of(column.name) in wanted), "")


def _spelled(reference: ForeignKey, tables: Mapping[str, str]) -> ForeignKey:
    return replace(reference, table=tables.get(reference.table.casefold(), reference.table))
