"""A connection that holds one read-only state of a database, with a limit on the time of each query."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from proband.adapters._sql_errors import Place, connect_error, driver_error
from proband.errors import SourceUnavailable

CONNECT_TIMEOUT_S = 10
"""Seconds for a connection: a server on a hospital's network answers in under one."""

IDLE_S = 8 * 3600
"""How long a server is asked to keep a connection that waits while rows are embedded."""

READ_SLACK_S = 30
"""Seconds beyond a query's limit after which a server that says nothing is taken for lost."""

_OPERATIONS = 20_000
"""SQLite's operations between two looks at the clock: 1 to 2 ms."""

_SCHEMES = {
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mysql+pymysql",
    "sqlite": "sqlite",
    "mssql": "mssql+pyodbc",
    "sqlserver": "mssql+pyodbc",
}
_FORMS = "postgresql://, mysql://, mariadb://, mssql:// or sqlite:///"


def source_url(url: str, source: str, password: str = "") -> URL:
    """The URL with the driver that proband brings. `password` is for a URL that has a user and no password.

    Raises SourceUnavailable for a URL that cannot be read or a database that is not supported.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise SourceUnavailable(
            f"The url of source {source} cannot be read; write {_FORMS}, then user@host:port/database or the file."
        ) from None
    driver = _SCHEMES.get(parsed.drivername.split("+")[0])
    if driver is None:
        raise SourceUnavailable(
            f"Source {source} is of a kind that is not read ({parsed.drivername}); its url begins with {_FORMS}."
        )
    parsed = parsed.set(drivername=driver)
    if password and parsed.username and parsed.password is None:
        parsed = parsed.set(password=password)
    return parsed.update_query_dict(_defaults(parsed))


def _defaults(url: URL) -> dict[str, str]:
    match url.get_backend_name():
        case "mysql":
            wanted = {"charset": "utf8mb4"}
        case "mssql" if "odbc_connect" not in url.query and url.host:
            wanted = {"driver": "ODBC Driver 18 for SQL Server", "ApplicationIntent": "ReadOnly"}
        case _:
            wanted = {}
    return {name: value for name, value in wanted.items() if name not in url.query}


@contextmanager
def snapshot_of(place: Place) -> Iterator[Connection]:
    """A connection inside one read-only transaction, rolled back at the end. Raises SourceUnavailable."""
    engine = _engine(place)
    connection = _opened(engine, place)
    try:
        yield connection
    finally:
        with suppress(DBAPIError):
            connection.rollback()
        with suppress(DBAPIError):
            connection.close()
        engine.dispose()


def restart_clock(connection: Connection) -> None:
    """Gives SQLite the full time again, as servers do for each query: its rows are worked out as they are fetched."""
    limit = connection.info.get("limit")
    if limit is not None:
        limit.restart()


def without_time_limit(connection: Connection) -> None:
    """For a result that is read as slowly as its rows are stored: MariaDB counts the time that the reader takes.

    A server that says nothing is still noticed, as the socket has a limit of its own.
    """
    if connection.dialect.name == "mysql":
        connection.exec_driver_sql(
            f"SET SESSION {_statement_limit(connection, 0)}, net_write_timeout = {IDLE_S}"
        )


def with_time_limit(connection: Connection, seconds: int) -> None:
    """The limit again that the snapshot began with."""
    if connection.dialect.name == "mysql":
        connection.exec_driver_sql(f"SET SESSION {_statement_limit(connection, seconds)}")


def _engine(place: Place) -> Engine:
    arguments: dict[str, Any] = {}
    if place.is_file:
        arguments["creator"] = lambda: _sqlite(place)
    try:
        engine = create_engine(
            place.url,
            poolclass=NullPool,
            hide_parameters=True,
            connect_args=_connect_arguments(place),
            **arguments,
        )
    except (ImportError, NoSuchModuleError):
        raise driver_error(place) from None
    if place.is_file:
        event.listen(
            engine, "before_cursor_execute", lambda connection, *_: restart_clock(connection)
        )
    return engine


def _connect_arguments(place: Place) -> Mapping[str, object]:
    match place.url.get_backend_name():
        case "postgresql":
            alive = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
            given = {
                "connect_timeout": CONNECT_TIMEOUT_S,
                "application_name": "proband",
                "client_encoding": "utf8",
            }
            return {
                name: value
                for name, value in (given | alive).items()
                if name not in place.url.query
            }
        case "mysql":
            return {
                "connect_timeout": CONNECT_TIMEOUT_S,
                "read_timeout": place.timeout_s + READ_SLACK_S,
            }
        case "mssql":
            return {"timeout": CONNECT_TIMEOUT_S}
        case _:
            return {}


def _opened(engine: Engine, place: Place) -> Connection:
    connection = None
    try:
        connection = engine.connect()
        return _BEGIN[engine.dialect.name](connection, place.timeout_s)
    except (DBAPIError, sqlite3.Error, OSError, UnicodeError) as error:
        if connection is not None:
            connection.close()
        engine.dispose()
        raise connect_error(error, place) from error


def _begin_postgresql(connection: Connection, timeout_s: int) -> Connection:
    connection = connection.execution_options(
        isolation_level="REPEATABLE READ", postgresql_readonly=True
    )
    for setting in (
        f"statement_timeout = {timeout_s * 1000}",
        "idle_in_transaction_session_timeout = 0",
        "TIME ZONE 'UTC'",
        "datestyle = 'ISO'",
        "intervalstyle = 'postgres'",
        "extra_float_digits = 1",
        "bytea_output = 'hex'",
    ):
        connection.exec_driver_sql(f"SET LOCAL {setting}")
    connection.exec_driver_sql("SELECT 1")  # the first query takes the snapshot
    # An error ends a transaction. Back at this point it goes on, in the same snapshot: `resume`.
    connection.exec_driver_sql("SAVEPOINT proband")
    return connection


def resume(connection: Connection) -> None:
    """After an error in one table: makes the transaction usable for the next, in the same snapshot."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ROLLBACK TO SAVEPOINT proband")


def _begin_mysql(connection: Connection, timeout_s: int) -> Connection:
    connection = connection.execution_options(isolation_level="AUTOCOMMIT")
    for setting in (
        "TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "time_zone = '+00:00'",
        f"wait_timeout = {IDLE_S}",
        f"lock_wait_timeout = {timeout_s}",
        _statement_limit(connection, timeout_s),
    ):
        connection.exec_driver_sql(f"SET SESSION {setting}")
    connection.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
    return connection


def _statement_limit(connection: Connection, seconds: int) -> str:
    if getattr(connection.dialect, "is_mariadb", False):
        return f"max_statement_time = {seconds}"
    return f"max_execution_time = {seconds * 1000}"


class _TimeLimit:
    """Ends an SQLite query that takes too long: the progress handler's answer says whether to stop."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        self._end = time.monotonic() + self._seconds

    def __call__(self) -> bool:
        return time.monotonic() > self._end


def _sqlite(place: Place) -> sqlite3.Connection:
    """Read-only, so that not even a journal is written; not immutable, as others may be writing."""
    path = quote(str(Path(place.url.database or "").absolute()))
    connection = sqlite3.connect(
        f"file:{path}?mode=ro",
        uri=True,
        timeout=CONNECT_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


def _begin_sqlite(connection: Connection, timeout_s: int) -> Connection:
    limit = _TimeLimit(timeout_s)
    connection.info["limit"] = limit
    driver: Any = connection.connection.driver_connection
    driver.set_progress_handler(limit, _OPERATIONS)
    connection.exec_driver_sql("PRAGMA query_only = ON")
    connection.exec_driver_sql("BEGIN")
    connection.exec_driver_sql(
        "SELECT 1 FROM sqlite_master LIMIT 1"
    ).all()  # the first query takes the snapshot
    return connection


_SNAPSHOTS_ALLOWED = (
    "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()"
)


def _begin_mssql(connection: Connection, timeout_s: int) -> Connection:
    driver: Any = connection.connection.driver_connection
    driver.timeout = timeout_s
    allowed = connection.execute(text(_SNAPSHOTS_ALLOWED)).scalar() == 1
    connection.rollback()
    return connection.execution_options(isolation_level="SNAPSHOT" if allowed else "READ COMMITTED")


_BEGIN = {
    "postgresql": _begin_postgresql,
    "mysql": _begin_mysql,
    "sqlite": _begin_sqlite,
    "mssql": _begin_mssql,
}
