"""A private SQLite file in which files are laid out as tables, so that one SQL reader reads every source.

It holds health records: the folder is open to its owner only, and it goes with the block that made it, also after an
error. What a killed process left is removed by the next one; a lock that the kernel drops tells the two apart.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from proband.adapters._disk import cannot_write
from proband.errors import HomeError

PREFIX = "staged-"
LONGEST_VALUE = 64 * 2**20
"""Characters that one value, line or field of a staged file may have; a damaged file would be held in memory whole."""
_FILE, _LOCK = "source.sqlite", "lock"


@dataclass(frozen=True, slots=True)
class Staged:
    """Files as a database.

    Args:
        url: a SQLAlchemy URL, good while the block lasts.
        notes: sentences for the user: what was left out, and where.
    """

    url: str
    notes: tuple[str, ...]


@contextmanager
def staging_file(folder: Path) -> Iterator[Path]:
    """A new empty file (mode 0600) below `folder`, which is made where it is missing; removed with the block.

    Raises HomeError when it cannot be written, also when the disk becomes full inside the block.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_abandoned(folder)
        private = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
    except OSError as error:
        raise cannot_write(folder, error) from error
    lock = os.open(private / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.close(os.open(private / _FILE, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        yield private / _FILE
    finally:
        shutil.rmtree(private, ignore_errors=True)
        os.close(lock)


@contextmanager
def filling(path: Path) -> Iterator[sqlite3.Connection]:
    """The database while its tables are filled; nothing of it survives a crash, so nothing is synchronised.

    Raises HomeError when the disk is full.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for setting in ("journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
            db.execute(f"PRAGMA {setting}")
        db.execute("BEGIN")
        try:
            yield db
            db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise
            raise HomeError(
                f"There is no space left for {path.parent}; free some and try again."
            ) from error


def create_table(
    db: sqlite3.Connection, name: str, columns: Sequence[str], key: Sequence[str] = ()
) -> None:
    """A table of text columns, with `key` as its primary key where one is given."""
    parts = [f"{quoted(column)} TEXT" for column in columns]
    if key:
        parts.append(f"PRIMARY KEY ({', '.join(map(quoted, key))})")
    db.execute(f"CREATE TABLE {quoted(name)} ({', '.join(parts)})")


def add_index(db: sqlite3.Connection, table: str, columns: Sequence[str]) -> None:
    """Lets a table be read in the order of these columns; one that lacks them is the reader's to report."""
    there = {name.lower() for _, name, *_ in db.execute(f"PRAGMA table_info({quoted(table)})")}
    if columns and {column.lower() for column in columns} <= there:
        names = ", ".join(map(quoted, columns))
        db.execute(f"CREATE INDEX {quoted(f'{table} in order')} ON {quoted(table)} ({names})")


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 row`, `2,000 rows`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def places(lines: Sequence[int]) -> str:
    """`line 7`, `lines 7, 9 and 12`, or the first few of many."""
    shown = [f"{line:,}" for line in lines[:_SHOWN]]
    if len(lines) > _SHOWN:
        return f"lines {', '.join(shown)} and {len(lines) - _SHOWN:,} more"
    if len(shown) == 1:
        return f"line {shown[0]}"
    return f"lines {', '.join(shown[:-1])} and {shown[-1]}"


_SHOWN = 5


def _remove_abandoned(folder: Path) -> None:
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = os.open(left / _LOCK, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)
