"""The schema of a source as it describes itself: what a first mapping is drafted from. It holds no row's values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ColumnType(StrEnum):
    """What a column holds, whatever the database calls it."""

    TEXT = "text"
    LONG_TEXT = "long text"
    """Text without a limit, or with one above 1,000 characters."""
    WHOLE = "whole"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    """A date with a time of day."""
    BINARY = "binary"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column.

    Args:
        name: the column.
        type: what it holds.
        nullable: whether it may be empty.
        length: the most characters of a text, 0 where none is stated.
        hidden: how the source hides its values, such as "masked"; "" where it does not.
    """

    name: str
    type: ColumnType
    nullable: bool = True
    length: int = 0
    hidden: str = ""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of the table name the row of `table` whose `referred` have the same values, part by part."""

    columns: tuple[str, ...]
    table: str
    referred: tuple[str, ...]
    schema: str = ""


@dataclass(frozen=True, slots=True)
class SchemaTable:
    """A table as the source describes it.

    Args:
        name: the table.
        schema: its schema, "" for the default one.
        columns: in the table's order.
        primary_key: its columns; () for a table without one.
        foreign_keys: the declared ones.
        unique_keys: further sets of columns that no two rows share.
        rows: about how many rows it has; None where that is not known.
    """

    name: str
    schema: str = ""
    columns: tuple[SchemaColumn, ...] = ()
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    rows: int | None = None

    def column(self, name: str) -> SchemaColumn:
        """The column of this name. Raises KeyError."""
        for found in self.columns:
            if found.name == name:
                return found
        raise KeyError(name)
