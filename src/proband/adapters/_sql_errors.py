"""What a database or its driver raises, as one clear sentence.

The database's own words may quote a row or a password, so they are looked at and never repeated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from proband.errors import SourceError, SourceUnavailable, TableStopped


@dataclass(frozen=True, slots=True)
class Place:
    """A source in messages: never its password, nor the options of its URL.

    Args:
        name: the source's name in the mapping; "" where there is no mapping yet.
        url: where it is.
        timeout_s: seconds that one query may take.
    """

    name: str
    url: URL
    timeout_s: int

    def __str__(self) -> str:
        database = self.url.database or "(none)"
        where = database if self.is_file else f"database {database} at {self.server}"
        return f"source {self.name} ({where})" if self.name else where

    @property
    def is_file(self) -> bool:
        """Whether it is an SQLite file."""
        return self.url.drivername.startswith("sqlite")

    @property
    def server(self) -> str:
        """Host and port."""
        host = self.url.host or "the local socket"
        return f"{host}:{self.url.port}" if self.url.port else host


def connect_error(error: Exception, place: Place) -> SourceUnavailable:
    """Why no connection came about."""
    kind = _kind(_code(error), _words(error))
    sentence = _CONNECTING.get(
        kind, "The {place} cannot be opened{code}; check the url of the mapping."
    )
    return SourceUnavailable(_filled(sentence, error, place))


def read_error(error: DBAPIError, table: str, place: Place) -> SourceError:
    """Why a table cannot be read on, or that the whole source cannot."""
    kind = _kind(_code(error), _words(error))
    if kind in _LOST or error.connection_invalidated:
        lost = (
            "The connection to the {place} was lost while {table} was read; run the command again."
        )
        return SourceUnavailable(_filled(lost, error, place, table))
    sentence = _READING.get(
        kind, "the database refused to read it{code}; try the mapping's columns in its own client."
    )
    return TableStopped(table, _filled(sentence, error, place, table))


def driver_error(place: Place) -> SourceUnavailable:
    """The library that speaks to this kind of database is not installed."""
    extra = "[mssql]" if place.url.drivername.startswith("mssql") else ""
    return SourceUnavailable(
        f"The {place} needs a driver that is not installed; run `pip install 'proband{extra}'`."
    )


def _filled(sentence: str, error: Exception, place: Place, table: str = "") -> str:
    code = _code(error)
    return sentence.format(
        place=place,
        server=place.server,
        database=place.url.database,
        user=place.url.username or "(none)",
        table=table,
        timeout=place.timeout_s,
        code=f" (its error {code})" if code else "",
    )


def _code(error: Exception) -> str:
    """SQLSTATE or the database's number: it names the fault and holds no data."""
    cause = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None)
    if state:
        return str(state)
    first = cause.args[0] if cause.args else ""
    return str(first) if isinstance(first, int) or re.fullmatch(r"[0-9A-Z]{5}", str(first)) else ""


def _words(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).lower()


def _kind(code: str, words: str) -> str:
    """What happened: by the code where it is exact, else by the words, which may quote anything."""
    by_code = next((kind for kind, codes in _CODES.items() if code in codes), "")
    if by_code and code not in _VAGUE:
        return by_code
    return next(
        (kind for kind, signs in _SIGNS.items() if any(sign in words for sign in signs)), by_code
    )


_SIGNS: dict[str, tuple[str, ...]] = {
    "host": (
        "name or service not known", "could not translate host", "failed to resolve host", "nodename nor servname",
        "temporary failure in name resolution", "no address associated", "getaddrinfo failed",
        "no such host is known",
    ),
    "tls": (
        "insecure transport", "insecure_transport", "no encryption", "ssl off", "ssl is required",
        "certificate verify failed", "requires encryption",
    ),
    "silent": (
        "connection refused", "timeout expired", "connection timeout", "timed out waiting for", "no route to host",
        "network is unreachable", "login timeout", "no such file or directory", "tcp provider",
        "(timed out)", "server is starting up", "shutting down",
    ),
    "odbc": ("can't open lib", "data source name not found"),
    "password": ("password authentication failed", "login failed", "no password supplied", "no pg_hba.conf entry"),
    "role": ("role \"",),
    "database": ("cannot open database", "unknown database", "does not exist"),
    "not_sqlite": ("file is not a database", "file is encrypted"),
    "missing_file": ("unable to open database file",),
    "damaged": ("malformed", "disk i/o error"),
    "locked": ("database is locked", "database table is locked", "database schema is locked"),
    "time": ("interrupted", "max_statement_time", "maximum statement execution time", "query timeout expired"),
    "rights": ("permission was denied", "not authorized"),
    "encoding": ("invalid byte sequence", "could not decode"),
    "lost": (
        "server closed the connection", "connection is lost", "the connection is closed", "communication link failure",
        "connection to server was lost", "terminating connection",
    ),
}  # fmt: skip
_CODES: dict[str, tuple[str, ...]] = {
    "host": ("2005",),
    "password": ("28P01", "28000", "1045", "1698", "18456", "1251"),
    "database": ("3D000", "1049", "1044", "4060"),
    "silent": ("2002", "2003", "1040", "53300", "57P03", "HYT01"),
    "lost": ("2006", "2013", "2055", "0", "08003", "08006", "08S01", "57P01", "57P02", "1927"),
    "time": ("57014", "1969", "3024", "1028", "HYT00", "25P04"),
    "rights": ("42501", "1142", "1143", "1370", "229", "230", "1356"),
    "tls": ("3159", "1130"),
    "odbc": ("IM002", "01000"),
    "gone": ("42P01", "42703", "1146", "1054", "42S02", "42S22"),
    "types": ("42883", "42804", "22P02", "22007", "1366"),
    "encoding": ("22021", "22P05"),
}
_VAGUE = ("0", "2002", "2003", "28000", "HYT00", "01000", "08001")
"""Codes that stand for several faults."""
_LOST = ("lost", "silent", "damaged", "host")

_CONNECTING = {
    "host": "The {place} cannot be reached: the host of its url is not known; check its name.",
    "silent": "The {place} cannot be reached: nobody answers at {server}; is the database running?",
    "password": "The {place} refuses the user {user}: wrong password or user; check the url and the variable of "
    "its password.",
    "role": "The {place} refuses the user {user}: there is no such user.",
    "database": "The {place} cannot be opened: there is no database {database}, or the user {user} may not use it.",
    "tls": "The {place} wants another encryption or host than this connection has; see docs/sources.md for the "
    "options of its url.",
    "odbc": "The {place} needs Microsoft's ODBC driver, which is not installed; see docs/sources.md.",
    "not_sqlite": "The {place} is no SQLite database.",
    "missing_file": "The {place} cannot be opened: there is no such file, or it may not be read.",
    "damaged": "The {place} is damaged or its disk is failing; restore it, then run the command again.",
    "locked": "The {place} is locked by another program; try again when that is done.",
    "time": "The {place} did not answer within {timeout} seconds (`timeout_s` in [source]).",
}
_READING = {
    "time": "one query took longer than {timeout} seconds; raise `timeout_s` in [source], or ask for an index on the "
    "key columns of {table}.",
    "rights": "the user {user} may not read it; grant SELECT on {table} and on the tables of its path and lookups.",
    "gone": "a table or column of its path or lookups is not there any more; look at the mapping.",
    "types": "a column is compared with one of another type, or with a value that it cannot hold; look at its "
    "`path`, `lookups` and `leave_out_when`.",
    "encoding": "it holds text that is not valid in the database's character set; have that repaired at the source.",
    "locked": "another program holds a lock on it; try again when that is done.",
}
