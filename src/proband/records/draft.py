"""Drafts a first mapping from a schema. It holds what names and types say; a person reads it before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from proband.errors import MappingError
from proband.records import draft_roles as roles
from proband.records.draft_paths import Link, Links, links_of, path_to
from proband.records.draft_text import Draft, TableDraft, written
from proband.records.mapping import (
    ColumnName,
    Lookup,
    Merges,
    PatientMapping,
    SourceRules,
    TableMapping,
)
from proband.records.naming import fits, holds, place
from proband.records.schema import ColumnType, SchemaColumn, SchemaTable
from proband.records.source_url import name_from, without_password


def draft_mapping(tables: Sequence[SchemaTable], url: str, name: str = "") -> str:
    """The text of a first mapping.

    Args:
        tables: the schema; of two tables with one name the first counts.
        url: where the source is; its password is left out.
        name: what the source is called; "": the name of its database or file.

    What looks sensitive is left out and listed in `never` with the reason; tables that lead to no patient stand at the
    end as comments. Raises MappingError where no table looks like that of the patients.
    """
    schema = _Schema.of(tables)
    patients = schema.tables[_patients(schema)]
    ways = {table: path_to(patients.name, table, schema.links) for table in schema.tables}
    schema = replace(schema, joined=_joined(ways.values()))
    codes = {
        name: table
        for name, table in schema.tables.items()
        if not ways[name] and table is not patients
    }
    merges = _merges(patients, schema)
    about = [name for name in ways if ways[name] and not (merges and name == merges.table)]
    own = _table(patients, (), schema, codes)
    draft = Draft(
        source=SourceRules(name or name_from(url), without_password(url)),
        patient=_patient(patients, own, merges),
        patients=own,
        tables=tuple(_table(schema.tables[name], ways[name], schema, codes) for name in about),
        others=tuple(_table(table, None, schema, codes) for table in codes.values()),
    )
    return written(draft)


@dataclass(frozen=True, slots=True)
class _Schema:
    tables: Mapping[str, SchemaTable]
    links: Links
    joined: frozenset[ColumnName] = frozenset()
    """Columns that some path joins by."""

    @classmethod
    def of(cls, tables: Sequence[SchemaTable]) -> _Schema:
        first = {table.name: table for table in reversed(tables)}
        lengths = any(column.length for table in tables for column in table.columns)
        kept = {
            table.name: first[table.name] if lengths else _of_short_texts(first[table.name])
            for table in tables
        }
        return cls(kept, links_of(tuple(kept.values())))

    def incoming(self, name: str) -> int:
        """How many links of other tables lead to this one."""
        return sum(link.table == name for links in self.links.values() for link in links)


def _of_short_texts(table: SchemaTable) -> SchemaTable:
    """A table of a schema that states no text's length: a text without one is then nothing special."""
    columns = (
        replace(column, type=ColumnType.TEXT) if column.type is ColumnType.LONG_TEXT else column
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _joined(ways: Iterable[tuple[Link, ...] | None]) -> frozenset[ColumnName]:
    joins = (join for way in ways for link in way or () for join in link.joins)
    return frozenset(side for join in joins for side in (join.left, join.right))


def _patients(schema: _Schema) -> str:
    keyed = [name for name, table in schema.tables.items() if _key(table)]
    fitting = [(index, name) for name in keyed if (index := place("patients", name)) is not None]
    if fitting:
        return min(fitting, key=lambda found: (found[0], -schema.incoming(found[1])))[1]
    near = [name for name in keyed if holds("patients", name) and schema.incoming(name)]
    if near:
        return max(near, key=schema.incoming)
    raise MappingError(
        "No table of this source looks like that of the patients (patients, person, clients ...); "
        "write the mapping by hand as docs/mapping.md says."
    )


def _key(table: SchemaTable) -> tuple[str, ...]:
    """The primary key, else a unique one that is never empty."""
    if table.primary_key:
        return table.primary_key
    nullable = {column.name for column in table.columns if column.nullable}
    return next((key for key in table.unique_keys if nullable.isdisjoint(key)), ())


def _merges(patients: SchemaTable, schema: _Schema) -> Merges | None:
    for name, links in schema.links.items():
        columns = [link.columns[0] for link in links if link.table == patients.name]
        if len(columns) != 2 or not holds("merges", name):
            continue
        for old, new in (columns, reversed(columns)):
            if holds("merged_old", old) and holds("merged_new", new):
                return Merges(name, old, new, schema=schema.tables[name].schema)
    return None


def _patient(table: SchemaTable, own: TableDraft, merges: Merges | None) -> PatientMapping:
    copied = [column for column in table.columns if column.name not in own.left_out]
    names = roles.names(copied)
    birth_date = roles.best("birth_date", copied)
    apart = [column.name for column in copied if fits("tells_apart", column.name)]
    return PatientMapping(
        table=table.name,
        key=own.mapping.key,
        record_number=_record_number(table, copied) or own.mapping.key[0],
        names=names,
        birth_date=birth_date,
        tell_apart_by=tuple(filter(None, (birth_date, *apart[:2]))),
        merged=merges,
    )


def _record_number(table: SchemaTable, copied: Sequence[SchemaColumn]) -> str:
    unique = {key[0] for key in table.unique_keys if len(key) == 1}
    texts = [c.name for c in copied if c.name in unique and c.type is ColumnType.TEXT]
    return roles.best("record_number", copied) or next(iter(texts), "")


def _table(
    table: SchemaTable,
    way: tuple[Link, ...] | None,
    schema: _Schema,
    code_tables: Mapping[str, SchemaTable],
) -> TableDraft:
    key = _key(table)
    needed = {*key, *(side.column for side in schema.joined if side.table == table.name)}
    out = roles.left_out(table)
    order = [column.name for column in table.columns]
    links = sorted(schema.links[table.name], key=lambda link: order.index(link.columns[0]))
    lookups = roles.lookups(links, code_tables, {*out, *key})
    linking = {column for link in links for column in link.columns}
    skipped = {*out, *key, *(linking - lookups.keys())}
    columns = [c for c in table.columns if c.name not in skipped and not _of_the_entry(c)]
    dated = roles.date([c for c in table.columns if c.name not in skipped])
    mapping = _mapping(table, columns, lookups, dated)
    path = None if way is None else tuple(join for link in way for join in link.joins)
    names = roles.names(columns) if way is None and holds("house", table.name) else ()
    return TableDraft(
        mapping=replace(mapping, key=key, path=path, names=names),
        left_out={name: reason for name, reason in out.items() if name not in needed},
        remarks=tuple(_remarks(table, way, out, needed)),
    )


def _of_the_entry(column: SchemaColumn) -> bool:
    """The column is about the entry in the database: when it was made or changed, and whether it still counts."""
    marks = column.type in (ColumnType.BOOLEAN, ColumnType.WHOLE) and fits("in_error", column.name)
    times = ("changed", "created", "in_error_at")
    return marks or (column.type in roles.TIMES and any(fits(r, column.name) for r in times))


def _mapping(
    table: SchemaTable, columns: list[SchemaColumn], lookups: dict[str, Lookup], dated: str
) -> TableMapping:
    plain = [column for column in columns if column.name not in lookups]
    codes, drugs = roles.codes(plain), roles.named("drug", plain)
    identifiers = roles.identifiers(table, plain)
    zone, language = roles.ending("time_zone", plain), roles.ending("language", plain)
    layout = roles.ending("text_format", plain)
    quantities = tuple(name for name in roles.named("quantity", plain) if name not in codes)
    known = {*codes, *drugs, *identifiers, *quantities, zone, language, layout}
    texts = roles.texts(plain, known)
    first = (*identifiers, *quantities, *drugs, *texts, *_words(plain, known))
    return TableMapping(
        name=table.name,
        schema=table.schema,
        columns=tuple(column.name for column in columns),
        text=texts,
        label=roles.row_label(plain, first) or tuple(filter(None, (dated,))),
        identifiers=identifiers,
        codes=codes,
        drugs=drugs,
        quantities=quantities,
        date=dated,
        end_date=roles.end_date(columns),
        zone_column=zone,
        changed=roles.best("changed", [c for c in table.columns if c.type in roles.TIMES]),
        lookups=lookups,
        leave_out_when=roles.in_error(table.columns),
        replaced_by=roles.best("replaced_by", plain) if _key(table) else "",
        text_format_column=layout if texts else "",
        language_column=language if texts else "",
    )


def _words(columns: Sequence[SchemaColumn], but: set[str]) -> tuple[str, ...]:
    return tuple(c.name for c in columns if c.type is ColumnType.TEXT and c.name not in but)


def _remarks(
    table: SchemaTable, way: tuple[Link, ...] | None, out: Mapping[str, str], needed: set[str]
) -> Iterator[str]:
    for link in way or ():
        if link.guessed:
            left = f"{link.joins[0].left.table}.{link.columns[0]}"
            yield f"No foreign key is declared: that {left} leads to {link.table} is a guess from the names."
    for name in sorted(needed & out.keys()):
        yield f"{name} looks sensitive ({out[name]}) and is read as a key or a join."
    if way is not None and not roles.in_error(table.columns):
        for column in table.columns:
            if column.type in roles.TEXTS and fits("status", column.name):
                yield f"""Rows entered in error? leave_out_when = "{column.name} = 'entered_in_error'\""""
                break
