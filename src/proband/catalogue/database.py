"""Opening the database, and its failures as proband's errors.

The only module that knows which database it is: SQLite is told to keep a write-ahead log, so that readers never wait
for the writer and a kill at any moment loses no committed transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from proband.errors import CatalogueError, HomeError, SettingsError, StoreError

Item = TypeVar("Item")

IN_LIST = 1_000
"""Values in one IN list: SQL Server allows 2,100 parameters a statement, SQLite 32,766."""

BUSY_TIMEOUT_MS = 10_000
"""How long a writer waits for another: the longest transaction (a batch of chunks) took under 3 s."""

SQLITE_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA journal_mode = WAL",
    # FULL: a commit survives power loss. About sixty commits an import make its cost unmeasurable.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -65536",  # 64 MiB: random inserts into the id index stay in memory
)

WRITES = {"writes": True}
"""Execution option of connections that write: they take SQLite's write lock at BEGIN, where waiting is possible."""


def open_engine(url: str) -> Engine:
    """An engine for the SQLAlchemy URL. Connects to nothing yet. Raises SettingsError for a URL it cannot read."""
    try:
        engine = create_engine(make_url(url))
    except (ArgumentError, ImportError) as error:
        raise SettingsError(
            "Setting catalogue.url is no SQLAlchemy URL of an installed driver; "
            "leave it empty for SQLite."
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = (
        None  # the driver starts no transactions of its own; `_begin_sqlite` does
    )
    for pragma in SQLITE_PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def in_lists(items: Iterable[Item]) -> Iterator[Sequence[Item]]:
    """The items in slices that fit one IN list; no items: no slice."""
    every = list(items)
    for start in range(0, len(every), IN_LIST):
        yield every[start : start + IN_LIST]


def place(url: URL) -> str:
    """Where the database is, for messages: the file, or the URL without its password."""
    return url.database or "memory" if url.drivername.startswith("sqlite") else str(url)


@contextmanager
def store_errors(url: URL) -> Iterator[None]:
    """Turns what the database raises into one clear StoreError."""
    try:
        yield
    except DBAPIError as error:
        raise _translated(str(error.orig), place(url)) from error
    except SQLAlchemyError as error:
        raise CatalogueError(
            f"The catalogue at {place(url)} failed: {type(error).__name__}."
        ) from error


def _translated(reason: str, where: str) -> StoreError:
    for words, kind, sentence in _SQLITE_FAILURES:
        if any(word in reason for word in words):
            return kind(sentence.format(where=where))
    # The database's own words may quote a row, so they are not repeated.
    return CatalogueError(f"The catalogue at {where} failed; run `proband doctor`.")


_SQLITE_FAILURES: tuple[tuple[tuple[str, ...], type[StoreError], str], ...] = (
    (
        ("database is locked", "database table is locked"),
        CatalogueError,
        "Another process is writing to the catalogue at {where}; "
        "wait until it is done and run the command again.",
    ),
    (
        ("disk is full", "disk I/O error"),
        HomeError,
        "The disk that holds the catalogue at {where} is full or failing; free some space and run "
        "the command again, it goes on where it stopped.",
    ),
    (
        ("readonly database", "read-only"),
        HomeError,
        "The catalogue at {where} cannot be written; make the file and its folder writable.",
    ),
    (
        ("unable to open database file",),
        HomeError,
        "The catalogue at {where} cannot be opened; check that its folder exists and is writable.",
    ),
    (
        ("malformed", "is not a database", "file is encrypted"),
        CatalogueError,
        "The file at {where} is damaged or no catalogue; restore it from a backup, or move it away "
        "and run `proband init`.",
    ),
)
