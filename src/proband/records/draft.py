"""Drafts a first mapping from a schema. It holds what names and types say; a person reads it before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from proband.errors import MappingError
from proband.records import draft_roles as roles
from proband.records.draft_paths import Link, path_to
from proband.records.draft_schema import DraftSchema, ready_schema
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
from proband.records.titles import words_of


def draft_mapping(tables: Sequence[SchemaTable], url: str, name: str = "") -> str:
    """The text of a first mapping.

    Args:
        tables: the schema; of two tables with one name the first counts.
        url: where the source is; its password is left out.
        name: what the source is called; "": the name of its database or file.

    What looks sensitive is left out and listed in `never` with the reason; tables that lead to no patient stand at the
    end as comments. Raises MappingError where no table looks like that of the patients.
    """
    schema = ready_schema(tables)
    patients = schema.tables[_patients(schema)]
    ways = {table: path_to(patients, table, schema.links) for table in schema.tables}
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


def _joined(ways: Iterable[tuple[Link, ...] | None]) -> frozenset[ColumnName]:
    joins = (join for way in ways for link in way or () for join in link.joins)
    return frozenset(side for join in joins for side in (join.left, join.right))


def _patients(schema: DraftSchema) -> str:
    keyed = [name for name, table in schema.tables.items() if table.primary_key]
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


def _merges(patients: SchemaTable, schema: DraftSchema) -> Merges | None:
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
    schema: DraftSchema,
    code_tables: Mapping[str, SchemaTable],
) -> TableDraft:
    key = table.primary_key
    needed = {*key, *(side.column for side in schema.joined if side.table == table.name)}
    out = roles.left_out(table)
    order = [column.name for column in table.columns]
    links = sorted(schema.links[table.name], key=lambda link: order.index(link.columns[0]))
    lookups = roles.lookups(links, code_tables, {*out, *key})
    linking = {column for link in links for column in link.columns}
    skipped = {*out, *key, *(linking - lookups.keys())}
    kept = [c for c in table.columns if c.name not in skipped]
    columns = [
        c for c in kept if not _of_the_entry(c) and (c.name in lookups or not _names_a_row(c))
    ]
    mapping = _mapping(table, columns, lookups, roles.date(kept))
    path = None if way is None else tuple(join for link in way for join in link.joins)
    names = roles.names(columns) if way is None and holds("house", table.name) else ()
    return TableDraft(
        mapping=replace(mapping, key=key, path=path, names=names),
        left_out={name: reason for name, reason in out.items() if name not in needed},
        remarks=tuple(_remarks(table, way, schema, needed & out.keys())),
    )


def _names_a_row(column: SchemaColumn) -> bool:
    """A number that names a row of another table: without a label it tells a reader nothing."""
    return column.type is ColumnType.WHOLE and words_of(column.name)[-1:] == ["id"]


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
        replaced_by=roles.best("replaced_by", plain) if table.primary_key else "",
        text_format_column=layout if texts else "",
        language_column=language if texts else "",
    )


def _words(columns: Sequence[SchemaColumn], but: set[str]) -> tuple[str, ...]:
    return tuple(c.name for c in columns if c.type is ColumnType.TEXT and c.name not in but)


def _remarks(
    table: SchemaTable, way: tuple[Link, ...] | None, schema: DraftSchema, sensitive: set[str]
) -> Iterator[str]:
    """What a person should look at before the draft is used."""
    if table.name in schema.guessed_keys:
        yield f"No key is declared: that {table.primary_key[0]} is one is a guess from its name."
    for link in way or ():
        left = f"{link.joins[0].left.table}.{link.columns[0]}"
        if link.guessed:
            yield f"No foreign key is declared: that {left} leads to {link.table} is a guess from the names."
    if way and (others := _other_ways(table, way, schema)):
        yield f"Which patient is the row about? {', '.join(others)} also leads to one."
    for name in sorted(sensitive):
        yield f"{name} looks sensitive ({roles.left_out(table)[name]}) and is read as a key or a join."
    status = next((c.name for c in table.columns if _is_status(c)), "")
    if way is not None and status and not roles.in_error(table.columns):
        yield f"""Rows entered in error? leave_out_when = "{status} = 'entered_in_error'\""""


def _other_ways(table: SchemaTable, way: tuple[Link, ...], schema: DraftSchema) -> list[str]:
    patients = way[-1].table
    links = schema.links[table.name]
    return [c for link in links if link.table == patients and link != way[0] for c in link.columns]


def _is_status(column: SchemaColumn) -> bool:
    return column.type in roles.TEXTS and fits("status", column.name)
