"""The schema of a database: its tables with columns, keys and what they refer to. No row is read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from sqlalchemy import Connection, Inspector, inspect
from sqlalchemy.exc import DBAPIError

from proband.adapters._sql_columns import Declared, Family, declared
from proband.adapters._sql_connect import snapshot_of, source_url
from proband.adapters._sql_errors import Place, read_error
from proband.records.mapping import SourceRules
from proband.records.schema import ColumnType, ForeignKey, SchemaColumn, SchemaTable
from proband.records.source_url import filled_url, name_from, password_of

LONG_TEXT = 1_000
"""Characters above which a column with a limit is taken for free text."""

_TYPES = {
    Family.TEXT: ColumnType.TEXT,
    Family.CHAR: ColumnType.TEXT,
    Family.WHOLE: ColumnType.WHOLE,
    Family.DECIMAL: ColumnType.DECIMAL,
    Family.FLOAT: ColumnType.DECIMAL,
    Family.SINGLE: ColumnType.DECIMAL,
    Family.BOOLEAN: ColumnType.BOOLEAN,
    Family.BITS: ColumnType.BOOLEAN,
    Family.DATE: ColumnType.DATE,
    Family.DATETIME: ColumnType.TIME,
    Family.INSTANT: ColumnType.TIME,
    Family.BINARY: ColumnType.BINARY,
}


def read_schema(
    url: str, schema: str = "", environment: Mapping[str, str] = os.environ
) -> tuple[SchemaTable, ...]:
    """The tables of a database, without its views.

    Args:
        url: where it is; `${NAME}` and a missing password come from `environment`.
        schema: whose tables; "": those of the default schema.

    Raises MappingError for a variable that is not set, SourceUnavailable for a database that cannot be read.
    """
    rules = SourceRules(name_from(url), url)
    parsed = source_url(filled_url(url, environment), rules.name, password_of(rules, environment))
    place = Place(rules.name, parsed, rules.timeout_s)
    with snapshot_of(place) as connection:
        return tuple(_tables(connection, schema, place))


def _tables(connection: Connection, schema: str, place: Place) -> Iterator[SchemaTable]:
    name = "the schema"
    try:
        inspector = inspect(connection)
        for name in inspector.get_table_names(schema or None):
            yield _table(connection, inspector, schema, name)
    except DBAPIError as error:
        raise read_error(error, name, place) from error


def _table(connection: Connection, inspector: Inspector, schema: str, name: str) -> SchemaTable:
    columns = declared(connection, schema, name)
    keyed = sorted((column for column in columns if column.key), key=lambda column: column.key)
    primary = tuple(column.name for column in keyed)
    unique = dict.fromkeys(_unique_keys(inspector, schema, name))
    return SchemaTable(
        name,
        schema,
        tuple(map(_column, columns)),
        primary,
        tuple(_foreign_keys(inspector, schema, name)),
        tuple(key for key in unique if key != primary),
    )


def _column(column: Declared) -> SchemaColumn:
    kind = _TYPES.get(column.family, ColumnType.OTHER)
    if kind is ColumnType.TEXT and not 0 < column.length <= LONG_TEXT:
        kind = ColumnType.LONG_TEXT
    return SchemaColumn(column.name, kind, column.nullable, column.length, str(column.hidden or ""))


def _foreign_keys(inspector: Inspector, schema: str, name: str) -> Iterator[ForeignKey]:
    for key in inspector.get_foreign_keys(name, schema or None):
        columns, referred = tuple(key["constrained_columns"]), tuple(key["referred_columns"])
        if len(columns) == len(referred):
            yield ForeignKey(columns, key["referred_table"], referred, key["referred_schema"] or "")


def _unique_keys(inspector: Inspector, schema: str, name: str) -> Iterator[tuple[str, ...]]:
    with suppress(NotImplementedError):  # SQL Server has them among its indexes alone
        for unique in inspector.get_unique_constraints(name, schema or None):
            yield tuple(unique["column_names"])
    # What SQLite makes for a column declared UNIQUE is told only when it is asked for.
    automatic = {"include_auto_indexes": True} if inspector.dialect.name == "sqlite" else {}
    for index in inspector.get_indexes(name, schema or None, **automatic):
        names = index["column_names"]
        if index["unique"] and all(names):
            yield tuple(column for column in names if column)
