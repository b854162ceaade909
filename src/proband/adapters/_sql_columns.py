"""What a database says of the columns of a table: their types as families that are the same in every database.

The catalogues are asked directly, not through SQLAlchemy's inspector: on MariaDB the inspector needs rights on views
that a reader should not have, and it knows nothing of masked or encrypted columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, text

from proband.records.record import Gap


class Family(StrEnum):
    """What a column holds, whatever the database calls it."""

    TEXT = "text"
    CHAR = "char"
    """Text that the database pads with blanks."""
    WHOLE = "whole"
    DECIMAL = "decimal"
    FLOAT = "float"
    SINGLE = "single"
    """A float of 24 binary digits that arrives widened to 53."""
    BOOLEAN = "boolean"
    BITS = "bits"
    DATE = "date"
    DATETIME = "datetime"
    INSTANT = "instant"
    CLOCK = "clock"
    UUID = "uuid"
    BINARY = "binary"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Declared:
    """A column as its table declares it.

    Args:
        name: as the database spells it.
        type: as the database writes it, in lower case and without its length.
        family: what it holds.
        length: the most characters; 0 where none is stated.
        scale: decimals that the type declares; None for none.
        nullable: whether it may be empty.
        key: its place in the primary key, from 1; 0 outside.
        hidden: why a reader gets nothing of it, where the source hides it.
    """

    name: str
    type: str
    family: Family
    length: int = 0
    scale: int | None = None
    nullable: bool = True
    key: int = 0
    hidden: Gap | None = None


def declared(connection: Connection, schema: str, table: str) -> tuple[Declared, ...]:
    """The columns of a table or view of exactly this name, in its order; () when there is none."""
    dialect = connection.dialect.name
    rows = connection.execute(text(_CATALOGUE[dialect]), {"schema": schema, "table": table})
    return tuple(
        _column(
            dialect, str(name), str(kind), bool(nullable), int(key), int(masked), int(encrypted)
        )
        for name, kind, nullable, key, masked, encrypted in rows.all()
    )


def family_of(dialect: str, written: str) -> Family:
    """The family of a type name in lower case without its length, such as `timestamp with time zone`."""
    special = _SPECIAL.get(dialect, {}).get(written)
    if special:
        return special
    return _FAMILIES.get(written) or (_affinity(written) if dialect == "sqlite" else Family.OTHER)


def _column(
    dialect: str, name: str, kind: str, nullable: bool, key: int, masked: int, encrypted: int
) -> Declared:
    written, first, second = _parts(kind)
    family = family_of(dialect, written)
    hidden = Gap.ENCRYPTED if encrypted else Gap.MASKED if masked else None
    if family is Family.DECIMAL:
        scale = second if first is not None and second is not None else (0 if first else None)
        return Declared(name, written, family, 0, scale, nullable, key, hidden)
    return Declared(name, written, family, first or 0, None, nullable, key, hidden)


_TYPE = re.compile(r"(?P<before>[^(]*)(?:\((?P<inside>.*)\)(?P<after>[^)]*))?", re.DOTALL)


def _parts(kind: str) -> tuple[str, int | None, int | None]:
    """`TIMESTAMP(0) WITH TIME ZONE` as ("timestamp with time zone", 0, None)."""
    found = _TYPE.fullmatch(kind.strip())
    if not found:
        return kind.strip().lower(), None, None
    written = f"{found['before']} {found['after'] or ''}".lower()
    written = re.sub(r"\b(unsigned|signed|zerofill)\b", " ", written)
    numbers = [
        int(part) if part.strip().isdigit() else None for part in (found["inside"] or "").split(",")
    ]
    return " ".join(written.split()).replace(" []", "[]"), numbers[0], [*numbers, None][1]


def _affinity(written: str) -> Family:
    """SQLite's own rule for names that it does not know (its documentation, "Determination Of Column Affinity")."""
    for words, family in (
        (("int",), Family.WHOLE),
        (("char", "clob", "text"), Family.TEXT),
        (("blob",), Family.BINARY),
        (("real", "floa", "doub"), Family.FLOAT),
    ):
        if any(word in written for word in words):
            return family
    return Family.OTHER


_WRITTEN: Mapping[Family, tuple[str, ...]] = {
    Family.TEXT: (
        "text", "varchar", "nvarchar", "character varying", "varchar2", "nvarchar2", "ntext", "clob", "tinytext",
        "mediumtext", "longtext", "string", "citext", "name", "sysname", "enum", "set",
    ),
    Family.CHAR: ("char", "nchar", "character", "bpchar"),
    Family.WHOLE: ("int", "integer", "smallint", "bigint", "tinyint", "mediumint", "int2", "int4", "int8", "year"),
    Family.DECIMAL: ("decimal", "numeric", "money", "smallmoney", "dec", "number"),
    Family.FLOAT: ("float", "real", "double", "double precision", "float4", "float8"),
    Family.BOOLEAN: ("bool", "boolean"),
    Family.DATE: ("date",),
    Family.DATETIME: ("datetime", "datetime2", "smalldatetime", "timestamp", "timestamp without time zone"),
    Family.INSTANT: ("timestamp with time zone", "timestamptz", "datetimeoffset"),
    Family.CLOCK: ("time", "time without time zone", "time with time zone", "timetz"),
    Family.UUID: ("uuid", "uniqueidentifier"),
    Family.BINARY: (
        "blob", "tinyblob", "mediumblob", "longblob", "binary", "varbinary", "bytea", "image", "vector", "geography",
        "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
        "geometrycollection", "hierarchyid",
    ),
}  # fmt: skip
_FAMILIES = {written: family for family, names in _WRITTEN.items() for written in names}
_SPECIAL: Mapping[str, Mapping[str, Family]] = {
    "postgresql": {"money": Family.OTHER, "point": Family.OTHER, "polygon": Family.OTHER},
    "mysql": {"timestamp": Family.INSTANT, "bit": Family.BITS},
    "mariadb": {"timestamp": Family.INSTANT, "bit": Family.BITS},
    # SQL Server's timestamp is a row version, eight bytes that count up.
    "mssql": {
        "timestamp": Family.BINARY,
        "rowversion": Family.BINARY,
        "bit": Family.BOOLEAN,
        "real": Family.SINGLE,
    },
}

_POSTGRESQL = """
SELECT a.attname,
       format_type(COALESCE(NULLIF(t.typbasetype, 0), a.atttypid),
                   CASE WHEN t.typbasetype <> 0 THEN t.typtypmod ELSE a.atttypmod END),
       NOT a.attnotnull,
       -- A primary key does not span the children of a table that others inherit from.
       CASE WHEN c.relhassubclass AND c.relkind = 'r' THEN 0
            ELSE COALESCE(array_position(k.conkey, a.attnum), 0) END,
       0, 0
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
WHERE c.relname = :table AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
  AND (n.nspname = :schema OR (:schema = '' AND pg_catalog.pg_table_is_visible(c.oid)))
ORDER BY a.attnum
"""
_MYSQL = """
SELECT column_name, column_type, is_nullable = 'YES', column_key = 'PRI', 0, 0
FROM information_schema.columns
WHERE table_schema = COALESCE(NULLIF(:schema, ''), DATABASE()) AND table_name = :table
ORDER BY ordinal_position
"""
_SQLITE = """
SELECT name, type, "notnull" = 0, pk, 0, 0
FROM pragma_table_xinfo(:table, COALESCE(NULLIF(:schema, ''), 'main'))
WHERE hidden <> 1
ORDER BY cid
"""
_MSSQL = """
SELECT c.name,
       CASE WHEN t.name IN ('decimal', 'numeric') THEN CONCAT(t.name, '(', c.precision, ',', c.scale, ')')
            WHEN t.name IN ('char', 'varchar') AND c.max_length > 0 THEN CONCAT(t.name, '(', c.max_length, ')')
            WHEN t.name IN ('nchar', 'nvarchar') AND c.max_length > 0 THEN CONCAT(t.name, '(', c.max_length / 2, ')')
            ELSE COALESCE(t.name, TYPE_NAME(c.user_type_id)) END,
       c.is_nullable, COALESCE(k.key_ordinal, 0), c.is_masked, COALESCE(c.encryption_type, 0)
FROM sys.columns c
LEFT JOIN sys.types t ON t.user_type_id = c.system_type_id
LEFT JOIN (SELECT x.object_id, x.column_id, x.key_ordinal
           FROM sys.index_columns x
           JOIN sys.indexes i ON i.object_id = x.object_id AND i.index_id = x.index_id AND i.is_primary_key = 1) k
  ON k.object_id = c.object_id AND k.column_id = c.column_id
WHERE c.object_id = OBJECT_ID(CASE WHEN :schema = '' THEN QUOTENAME(:table)
                                   ELSE CONCAT(QUOTENAME(:schema), '.', QUOTENAME(:table)) END)
ORDER BY c.column_id
"""
_CATALOGUE = {
    "postgresql": _POSTGRESQL,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "sqlite": _SQLITE,
    "mssql": _MSSQL,
}
