"""How one mapped table is read from one database: its columns, the way to its patient, its labels, its statements.

Everything that can be wrong with a table is found here, before its first row is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    func,
    inspect,
    or_,
    select,
)

from proband.adapters._sql_columns import Declared, Family, declared
from proband.adapters._sql_statements import Found, from_table, kept, rows_statement, selected
from proband.errors import TableStopped
from proband.records.mapping import ColumnName, Join, SourceMapping, TableMapping
from proband.records.source import Shape


@dataclass(frozen=True, slots=True)
class Plan:
    """How a table is read.

    Args:
        table: what the mapping says of it.
        found: the table in the source.
        patient: the patient's key columns, in the table that the path ends in; () for none.
        patient_key: their declarations.
        source: the table with the tables of its path.
        columns: the names of the key and of the copied columns, each once.
    """

    table: TableMapping
    found: Found
    patient: tuple[ColumnElement[Any], ...]
    patient_key: tuple[Declared, ...]
    source: FromClause
    columns: tuple[str, ...]


class Catalogue:
    """What the source says of its tables, asked once for each."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[str, str], tuple[str, tuple[Declared, ...]]] = {}

    @property
    def dialect(self) -> str:
        """The name of the SQL dialect."""
        return self._connection.dialect.name

    def find(
        self, stopped: str, schema: str, name: str, columns: Sequence[str], alias: str
    ) -> Found:
        """The table with these columns, under `alias`. Raises TableStopped for the table `stopped`."""
        spelled, every = self._table(stopped, schema, name)
        used = {wanted: _column(stopped, name, wanted, every) for wanted in dict.fromkeys(columns)}
        once = {one.name: one for one in used.values()}
        return Found(spelled, from_table(schema, spelled, tuple(once.values()), alias), used)

    def primary_key(self, stopped: str, schema: str, name: str) -> tuple[str, ...]:
        """Its columns in the key's order; () for none."""
        every = self._table(stopped, schema, name)[1]
        return tuple(one.name for one in sorted(every, key=lambda one: one.key) if one.key)

    def _table(self, stopped: str, schema: str, name: str) -> tuple[str, tuple[Declared, ...]]:
        if (schema, name) not in self._known:
            self._known[schema, name] = self._looked_up(stopped, schema, name)
        return self._known[schema, name]

    def _looked_up(self, stopped: str, schema: str, name: str) -> tuple[str, tuple[Declared, ...]]:
        exact = declared(self._connection, schema, name)
        if exact:
            return name, exact
        there = self._names(schema)
        same = [one for one in there if one.casefold() == name.casefold()]
        if len(same) == 1 and (columns := declared(self._connection, schema, same[0])):
            return same[0], columns
        what = f"{schema}.{name}" if schema else name
        raise TableStopped(
            stopped,
            f"table `{what}` is not in the source any more{_near(name, there)}; look at the mapping.",
        )

    def _names(self, schema: str) -> list[str]:
        inspector = inspect(self._connection)
        within = schema or None
        return [*inspector.get_table_names(within), *inspector.get_view_names(within)]


def plan_of(catalogue: Catalogue, mapping: SourceMapping, table: TableMapping) -> Plan:
    """How `table` is read. Raises TableStopped for what is not there, or a path that cannot be followed."""
    used = [*table.key, *table.columns, *(test.column for test in table.leave_out_when)]
    steps = list(_steps(table))
    ends = (table.name, table.schema) if not steps else steps[-1][0]
    patient_key = mapping.patient.key if table.path is not None else ()
    wanted: dict[tuple[str, str], list[str]] = {(table.name, table.schema): used}
    for join in table.path or ():
        for side in (join.left, join.right):
            wanted.setdefault((side.table, side.schema), []).append(side.column)
    wanted[ends] = [*wanted[ends], *patient_key]
    found = {
        place: catalogue.find(table.name, place[1], place[0], columns, f"t{at}")
        for at, (place, columns) in enumerate(wanted.items())
    }
    own, last = found[table.name, table.schema], found[ends]
    _refuse_float_keys(table, own)
    return Plan(
        table,
        own,
        tuple(selected(last, name, catalogue.dialect, key=True) for name in patient_key),
        tuple(last.columns[name] for name in patient_key),
        _joined(own, steps, found),
        tuple(dict.fromkeys([*table.key, *table.columns])),
    )


_Place = tuple[str, str]
"""A table and its schema."""


def _steps(table: TableMapping) -> Iterator[tuple[_Place, list[tuple[ColumnName, ColumnName]]]]:
    """The tables of the path in order, each with the pairs of columns (known, new) that lead to it."""
    known = {(table.name, table.schema)}
    at: _Place | None = None
    pairs: list[tuple[ColumnName, ColumnName]] = []
    for join in table.path or ():
        before, new = _directed(table, join, known, at)
        place = (new.table, new.schema)
        if place != at:
            if at is not None:
                yield at, pairs
            at, pairs = place, []
            known.add(place)
        pairs.append((before, new))
    if at is not None:
        yield at, pairs


def _directed(
    table: TableMapping, join: Join, known: set[_Place], at: _Place | None
) -> tuple[ColumnName, ColumnName]:
    """(column of a known table, column of the new one); two columns may lead to the table that was joined last."""
    for before, new in ((join.left, join.right), (join.right, join.left)):
        from_place, to_place = (before.table, before.schema), (new.table, new.schema)
        if from_place in known and (to_place not in known or from_place != to_place == at):
            return before, new
    raise TableStopped(
        table.name,
        f"its path does not lead on at {join.left.table}.{join.left.column} = {join.right.table}."
        f"{join.right.column}; each step joins one new table to one that comes before it.",
    )


def _joined(
    own: Found,
    steps: Sequence[tuple[_Place, list[tuple[ColumnName, ColumnName]]]],
    found: Mapping[_Place, Found],
) -> FromClause:
    """Outer joins, so that a row whose path leads to nobody is read too."""
    source = own.clause
    for place, pairs in steps:
        on = and_(
            *(
                found[before.table, before.schema][before.column] == found[place][new.column]
                for before, new in pairs
            )
        )
        source = source.outerjoin(found[place].clause, on)
    return source


def row_columns(plan: Plan, dialect: str) -> list[ColumnElement[Any]]:
    """What is selected of a row: the key and the copied columns, then the patient's key."""
    own = [selected(plan.found, name, dialect, key=name in plan.table.key) for name in plan.columns]
    return [*own, *plan.patient]


def copied_rows(plan: Plan, labels: Sequence[ColumnElement[Any]], dialect: str) -> Select[Any]:
    """The rows that are copied, in no order; the labels come last."""
    rows = rows_statement([*row_columns(plan, dialect), *labels], plan.source)
    return rows.where(*kept(plan.found, plan.table.leave_out_when, dialect))


def fingerprint(plan: Plan) -> str:
    """sha256 of the names and families of the columns that the mapping uses."""
    columns = sorted(
        f"{name} {one.family.value}{'' if one.scale is None else one.scale} {one.hidden or ''}"
        for name, one in plan.found.columns.items()
    )
    return hashlib.sha256("\n".join(columns).encode()).hexdigest()


def shape_of(plan: Plan, extra: Sequence[str] = ()) -> Shape:
    """The fingerprint, and what a user should know of how the table is read."""
    notes = list(extra)
    if not plan.table.key:
        notes.append("It has no key, so its rows are told apart by their content.")
    hidden = [f"`{name}`" for name in plan.table.columns if plan.found.columns[name].hidden]
    if hidden:
        notes.append(f"The source hides {', '.join(hidden)} from readers; nothing of it is copied.")
    return Shape(fingerprint(plan), tuple(notes))


def check_key(connection: Connection, catalogue: Catalogue, plan: Plan) -> None:
    """Raises TableStopped when a copied row has no key, or shares it."""
    table, found = plan.table, plan.found
    conditions = kept(found, table.leave_out_when, catalogue.dialect)
    optional = [found[name] for name in table.key if found.columns[name].nullable]
    if optional:
        empty = (
            select(1)
            .select_from(found.clause)
            .where(or_(*(one.is_(None) for one in optional)), *conditions)
        )
        if connection.execute(empty.limit(1)).first():
            raise TableStopped(
                table.name,
                f"rows have nothing in the key ({_list(table.key)}); name other columns in `key`.",
            )
    if table.key and not _is_key(catalogue, table.name, table.schema, table.name, found, table.key):
        _refuse_repeated(connection, table.name, found, table.key, conditions, "rows", "`key`")


def check_path(connection: Connection, catalogue: Catalogue, plan: Plan) -> None:
    """Raises TableStopped when a step of the path leads from one row to several."""
    for (name, schema), pairs in _steps(plan.table):
        columns = [new.column for _, new in pairs]
        found = catalogue.find(plan.table.name, schema, name, columns, "step")
        if not _is_key(catalogue, plan.table.name, schema, name, found, columns):
            there = [found[column].is_not(None) for column in columns]
            _refuse_repeated(
                connection, plan.table.name, found, columns, there, f"rows of {name}", "`path`"
            )


def _is_key(
    catalogue: Catalogue, stopped: str, schema: str, name: str, found: Found, columns: Sequence[str]
) -> bool:
    primary = set(catalogue.primary_key(stopped, schema, name))
    return bool(primary) and primary <= {found.columns[column].name for column in columns}


def _refuse_repeated(
    connection: Connection,
    stopped: str,
    found: Found,
    columns: Sequence[str],
    conditions: Sequence[ColumnElement[bool]],
    whose: str,
    where: str,
) -> None:
    keys = [found[column] for column in columns]
    repeated = (
        select(1)
        .select_from(found.clause)
        .where(*conditions)
        .group_by(*keys)
        .having(func.count() > 1)
    )
    if connection.execute(repeated.limit(1)).first():
        raise TableStopped(
            stopped,
            f"several {whose} have the same {_list(columns)}; name columns in {where} that tell them apart.",
        )


def _refuse_float_keys(table: TableMapping, own: Found) -> None:
    for name in table.key:
        if own.columns[name].family in (Family.FLOAT, Family.SINGLE):
            raise TableStopped(
                table.name,
                f"column `{name}` is a floating-point number, which is no key; name another column.",
            )


def _column(stopped: str, table: str, wanted: str, every: Sequence[Declared]) -> Declared:
    exact = [one for one in every if one.name == wanted]
    same = exact or [one for one in every if one.name.casefold() == wanted.casefold()]
    if len(same) == 1:
        return same[0]
    near = _near(wanted, [one.name for one in every])
    raise TableStopped(
        stopped, f"column `{wanted}` is not in {table} any more{near}; look at the mapping."
    )


def _near(wanted: str, there: Sequence[str]) -> str:
    """The nearest existing names: those that hold the wanted one or look like it."""
    lower = {name.casefold(): name for name in there}
    holding = [name for name in there if wanted.casefold() in name.casefold()]
    alike = [lower[name] for name in get_close_matches(wanted.casefold(), lower, n=2)]
    near = list(dict.fromkeys([*holding[:2], *alike]))[:2]
    return f"; there is {_list(near, ' and ')}" if near else ""


def _list(names: Sequence[str], between: str = ", ") -> str:
    return between.join(f"`{name}`" for name in names)
