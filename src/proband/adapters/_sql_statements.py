"""The SELECT statements that read a mapped table: named columns only, page by page along the key.

Order and comparison of keys are both the database's own, so that whatever its collation says, no row is skipped or
read twice. Databases differ in how they seek along a composite key and in what a parameter is compared as.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    TableClause,
    Text,
    and_,
    bindparam,
    case,
    cast,
    column,
    false,
    func,
    literal_column,
    not_,
    or_,
    quoted_name,
    select,
    table,
    tuple_,
)
from sqlalchemy.types import CHAR, VARCHAR, NullType

from proband.adapters._sql_columns import Declared, Family
from proband.records.mapping import Comparison, Test
from proband.records.record import Gap

LIMIT = "page_rows"
"""Name of the parameter with the most rows of a page."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table of the source as a query names it, and its declared columns by the names that the mapping uses."""

    name: str
    clause: FromClause
    columns: Mapping[str, Declared]

    def __getitem__(self, name: str) -> ColumnElement[Any]:
        return self.clause.c[self.columns[name].name]


def from_table(schema: str, name: str, declared: Sequence[Declared], alias: str) -> FromClause:
    """The table as `alias`, every name quoted, so that it is exactly the one that the catalogue of the source has."""
    columns = [column(quoted_name(one.name, True), NullType()) for one in declared]
    plain: TableClause = table(
        quoted_name(name, True), *columns, schema=quoted_name(schema, True) if schema else None
    )
    return plain.alias(alias)


def selected(found: Found, name: str, dialect: str, *, key: bool = False) -> ColumnElement[Any]:
    """A column in the select list. What nobody may or can read is asked only whether it is there."""
    one, expression = found.columns[name], found[name]
    if unread(found, name, key):
        return case((expression.is_(None), None), else_=1)
    return _as_text(one, expression, dialect)


def unread(found: Found, name: str, key: bool) -> Gap | None:
    """Why the values of a column stay in the source; None where they are selected."""
    one = found.columns[name]
    return one.hidden or (Gap.BINARY if one.family is Family.BINARY and not key else None)


def _as_text(one: Declared, expression: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    """Types that a driver hands over with loss, or not at all, leave the database as text."""
    if dialect == "postgresql" and one.family not in _PLAIN_IN_POSTGRESQL:
        return cast(expression, Text)
    if dialect == "mssql":
        written = _MSSQL_TEXT.get(one.family)
        if written:
            return func.convert(
                literal_column(written[0]), expression, *map(literal_column, written[1:])
            )
    return expression


def in_key_order(found: Found, key: Sequence[str], rows: Select[Any], dialect: str) -> Select[Any]:
    """`rows` in the order of the key, no more than the parameter `page_rows`."""
    ordered = [_ordered(found, name, dialect) for name in key]
    return rows.order_by(*ordered).limit(bindparam(LIMIT))


def after(found: Found, key: Sequence[str], dialect: str) -> ColumnElement[bool]:
    """The rows whose key comes after the parameters `after_0`, `after_1` ..."""
    columns = [_ordered(found, name, dialect) for name in key]
    values = [
        _bound(found.columns[name], f"after_{place}", dialect) for place, name in enumerate(key)
    ]
    if len(key) > 1 and dialect in _SEEKS_BY_ROW:
        return tuple_(*columns) > tuple_(*values)
    return or_(
        *(
            and_(
                *(one == value for one, value in zip(columns[:place], values, strict=False)),
                columns[place] > values[place],
            )
            for place in range(len(key))
        )
    )


def after_parameters(values: Sequence[Any]) -> dict[str, Any]:
    """The parameters of `after` for the last key of a page."""
    return {f"after_{place}": value for place, value in enumerate(values)}


def is_left_out(found: Found, tests: Sequence[Test], dialect: str) -> ColumnElement[bool]:
    """Whether all comparisons are true; one that meets nothing is not true, as SQL's NULL is not."""
    conditions = [
        compared(found, test.column, test.comparison, test.value, dialect) for test in tests
    ]
    return case((and_(*conditions), 1), else_=0) == 1 if conditions else false()


def kept(found: Found, tests: Sequence[Test], dialect: str) -> list[ColumnElement[bool]]:
    """The condition of rows that are copied; none where all are."""
    return [not_(is_left_out(found, tests, dialect))] if tests else []


def compared(
    found: Found, name: str, comparison: Comparison, value: str, dialect: str
) -> ColumnElement[bool]:
    """One comparison, of numbers as numbers, of all else by the database's own rules."""
    expression, one = found[name], found.columns[name]
    match comparison:
        case Comparison.IS_NULL:
            return expression.is_(None)
        case Comparison.IS_NOT_NULL:
            return expression.is_not(None)
    if one.family in _NUMERIC:
        number = _number(value, one.family, dialect)
        if number is None:  # a number is never this text
            return false() if comparison is Comparison.EQUAL else expression.is_not(None)
        bound: ColumnElement[Any] = bindparam(None, number, type_=NullType(), unique=True)
    elif one.family is Family.OTHER and dialect in ("sqlite", "postgresql"):
        expression, bound = (
            cast(expression, Text),
            bindparam(None, value, type_=Text(), unique=True),
        )
    else:
        bound = _typed(one, bindparam(None, value, type_=NullType(), unique=True), dialect)
    return expression == bound if comparison is Comparison.EQUAL else expression != bound


def _number(value: str, family: Family, dialect: str) -> int | Decimal | float | None:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    if family is Family.BOOLEAN:
        return bool(number)
    if number.is_finite() and number == number.to_integral_value():
        return int(number)
    inexact = dialect == "sqlite" or family in (Family.FLOAT, Family.SINGLE)
    return float(number) if inexact else number


def _ordered(found: Found, name: str, dialect: str) -> ColumnElement[Any]:
    """What a key is ordered by. MariaDB orders an enum by its place and compares it as text: the text does for both."""
    if dialect == "mysql" and found.columns[name].type in ("enum", "set"):
        return cast(found[name], CHAR)
    return found[name]


def _bound(one: Declared, name: str, dialect: str) -> ColumnElement[Any]:
    return _typed(one, bindparam(name, type_=NullType()), dialect)


def _typed(one: Declared, bound: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    """SQL Server would turn a varchar column into nvarchar for an nvarchar value: another order, and no index."""
    if dialect == "mssql" and one.type in ("varchar", "char", "text"):
        return cast(bound, VARCHAR(8000))
    return bound


_SEEKS_BY_ROW = ("postgresql", "sqlite")
"""Databases that seek an index for `(a, b) > (1, 2)`. MariaDB reads it whole, SQL Server does not know the form."""

_NUMERIC = (Family.WHOLE, Family.DECIMAL, Family.FLOAT, Family.SINGLE, Family.BOOLEAN, Family.BITS)
_PLAIN_IN_POSTGRESQL = (Family.TEXT, Family.CHAR, Family.WHOLE, Family.BOOLEAN, Family.BINARY)
_MSSQL_TEXT: Mapping[Family, tuple[str, ...]] = {
    # Styles that no setting of the session's language changes, on the way out and on the way back.
    Family.DATE: ("varchar(10)", "23"),
    Family.DATETIME: ("varchar(33)", "126"),
    Family.INSTANT: ("varchar(40)", "127"),
    Family.CLOCK: ("varchar(16)",),
    Family.OTHER: ("nvarchar(max)",),
}


def rows_statement(columns: Sequence[ColumnElement[Any]], source: FromClause) -> Select[Any]:
    """The columns as c0, c1, ... in this order."""
    return select(*(one.label(f"c{place}") for place, one in enumerate(columns))).select_from(
        source
    )
