"""A facility's own database as a source: one read-only state of it, read table by table through SQLAlchemy Core.

PostgreSQL, MariaDB and MySQL, SQL Server, SQLite. What the mapping does not name is never selected.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select
from sqlalchemy.exc import DBAPIError

from proband.adapters._sql_connect import (
    restart_clock,
    resume,
    snapshot_of,
    source_url,
    with_time_limit,
    without_time_limit,
)
from proband.adapters._sql_errors import Place, read_error
from proband.adapters._sql_labels import Labels, labels_of
from proband.adapters._sql_plan import (
    Catalogue,
    Plan,
    check_key,
    check_path,
    copied_rows,
    plan_of,
    shape_of,
)
from proband.adapters._sql_rows import RowReader
from proband.adapters._sql_statements import (
    LIMIT,
    after,
    after_parameters,
    in_key_order,
    kept,
    selected,
)
from proband.adapters._sql_values import key_reader
from proband.errors import TableStopped
from proband.records.mapping import SourceMapping, TableMapping
from proband.records.record import SourceRow
from proband.records.source import Shape, Snapshot, Source
from proband.records.source_url import filled_url, password_of

PAGE_CHARACTERS = 8_000_000
"""Characters that a page should hold: 2,000 notes of 4,000 characters, about 40 MB as Python keeps them."""

FIRST_PAGE = 200
"""Rows of the first page, before it is known how long they are."""

Keys = Iterator[tuple[tuple[str, ...], tuple[str, ...]]]


def open_source(mapping: SourceMapping, environment: Mapping[str, str] = os.environ) -> Source:
    """The database that the mapping names. Connects to nothing yet.

    Args:
        mapping: what is read; its URL may stand for variables of `environment`.
        environment: where those and the password are.

    Raises:
        MappingError: the URL needs a variable that is not set.
        SourceUnavailable: the URL cannot be read, or is of a database that is not supported.
    """
    rules = mapping.source
    url = source_url(
        filled_url(rules.url, environment), rules.name, password_of(rules, environment)
    )
    return SqlSource(mapping, Place(rules.name, url, rules.timeout_s))


class SqlSource:
    """A database that a mapping names."""

    def __init__(self, mapping: SourceMapping, place: Place) -> None:
        self._mapping, self._place = mapping, place

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """One state of it, until the context ends. Raises SourceUnavailable when it is entered."""
        return self._snapshot()

    @contextmanager
    def _snapshot(self) -> Iterator[Snapshot]:
        with snapshot_of(self._place) as connection:
            yield SqlSnapshot(connection, self._mapping, self._place)


class SqlSnapshot:
    """One state of a database. Tables are read one after the other: `pages` of one table end before the next begins."""

    def __init__(self, connection: Connection, mapping: SourceMapping, place: Place) -> None:
        self._connection, self._mapping, self._place = connection, mapping, place
        self._catalogue = Catalogue(connection)
        self._labels = Labels(connection, self._catalogue, mapping.source)
        self._plans: dict[str, Plan] = {}
        self._taken_at = datetime.now(UTC)

    @property
    def taken_at(self) -> datetime:
        """When this state was the source's, in UTC."""
        return self._taken_at

    def shape(self, table: TableMapping) -> Shape:
        """Raises TableStopped for what is not there, a key that is not unique, or a path that leads to several rows."""
        with self._reading(table.name):
            plan = self._plan(table)
            check_key(self._connection, self._catalogue, plan)
            check_path(self._connection, self._catalogue, plan)
            labels_of(self._labels, plan)
            note = self._connection.info.get("note")
            return shape_of(plan, (note,) if note else ())

    def count(self, table: TableMapping, kept: bool = False) -> int:
        """All rows of the table, or those that the mapping does not leave out."""
        with self._reading(table.name):
            plan = self._plan(table)
            counted = select(func.count()).select_from(plan.found.clause)
            return self._connection.execute(
                counted.where(*self._conditions(plan, kept))
            ).scalar_one()

    def pages(self, table: TableMapping) -> Iterator[Sequence[SourceRow]]:
        """Every row that the mapping does not leave out, once: in the key's order, or as the source has them.

        Raises TableStopped when this table cannot be read on, SourceUnavailable when the source cannot.
        """
        with self._reading(table.name):
            plan = self._plan(table)
            labels = labels_of(self._labels, plan)
            rows = copied_rows(plan, labels.selected, self._catalogue.dialect)
            reader = RowReader(plan, labels, self._mapping.source)
            yield from (
                self._by_key(plan, rows, reader) if table.key else self._in_one_go(rows, reader)
            )

    def merges(self) -> Keys:
        """(old key, surviving key) of each merged patient, ordered by the old key."""
        merged = self._mapping.patient.merged
        if merged is None:
            return
        columns = (merged.old, merged.new)
        with self._reading(merged.table):
            found = self._catalogue.find(
                merged.table, merged.schema, merged.table, columns, "merged"
            )
            read = [key_reader(found.columns[name]) for name in columns]
            dialect = self._catalogue.dialect
            chosen = [selected(found, name, dialect, key=True) for name in columns]
            rows = self._connection.execute(select(*chosen))
            pairs = [
                ((read[0](old),), (read[1](new),)) for old, new in rows if None not in (old, new)
            ]
        yield from sorted(pairs)

    @contextmanager
    def _reading(self, table: str) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            failure = read_error(error, table, self._place)
            if isinstance(failure, TableStopped):
                with suppress(DBAPIError):
                    resume(self._connection)
            raise failure from error
        except UnicodeError as error:
            raise TableStopped(
                table, "a key holds text that is not valid UTF-8; have that repaired at the source."
            ) from error

    def _plan(self, table: TableMapping) -> Plan:
        if table.name not in self._plans:
            self._plans[table.name] = plan_of(self._catalogue, self._mapping, table)
        return self._plans[table.name]

    def _conditions(self, plan: Plan, only_kept: bool) -> Sequence[Any]:
        tests = plan.table.leave_out_when if only_kept else ()
        return kept(plan.found, tests, self._catalogue.dialect)

    def _by_key(
        self, plan: Plan, rows: Select[Any], reader: RowReader
    ) -> Iterator[Sequence[SourceRow]]:
        key, dialect = plan.table.key, self._catalogue.dialect
        first = in_key_order(plan.found, key, rows, dialect)
        following = first.where(after(plan.found, key, dialect))
        size = self._first_size()
        statement, parameters = first, after_parameters(())
        while raw := self._connection.execute(statement, {LIMIT: size, **parameters}).all():
            page, characters = reader.page(raw)
            yield page
            if len(raw) < size:
                return
            statement, parameters = following, after_parameters(raw[-1][: len(key)])
            size = self._next_size(size, characters)

    def _in_one_go(self, rows: Select[Any], reader: RowReader) -> Iterator[Sequence[SourceRow]]:
        size = self._first_size()
        without_time_limit(self._connection)
        result = self._connection.execute(
            rows,
            execution_options={"stream_results": True, "max_row_buffer": self._mapping.source.page},
        )
        try:
            while raw := result.fetchmany(size):
                page, characters = reader.page(raw)
                yield page
                size = self._next_size(size, characters)
                restart_clock(self._connection)
        finally:
            with suppress(DBAPIError):
                result.close()
                with_time_limit(self._connection, self._place.timeout_s)

    def _first_size(self) -> int:
        return min(FIRST_PAGE, self._mapping.source.page)

    def _next_size(self, rows: int, characters: int) -> int:
        """As many rows as keep a page within its characters, were all as long as those of the last page."""
        fitting = rows * PAGE_CHARACTERS // max(characters, 1)
        return max(1, min(self._mapping.source.page, fitting, rows * 10))
