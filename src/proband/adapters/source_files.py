"""Sources that are files: `csv:FOLDER` and `fhir:PATH`, staged as a database for as long as they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL

from proband.adapters.csv_files import stage_csv
from proband.adapters.fhir import stage_fhir
from proband.adapters.staging import Staged, add_index, filling, staging_file
from proband.errors import SourceUnavailable

_CSV, _FHIR = "csv:", "fhir:"
NO_KEYS: Mapping[str, Sequence[str]] = {}


def names_files(url: str) -> bool:
    """Whether a source's URL names files that are staged first."""
    return url.startswith((_CSV, _FHIR))


@contextmanager
def stage(url: str, folder: Path, keys: Mapping[str, Sequence[str]] = NO_KEYS) -> Iterator[Staged]:
    """The files of a source as a SQLite database, removed with the block.

    Args:
        url: `csv:FOLDER` or `fhir:PATH`, a file or a folder; a relative path begins at the working folder.
        folder: where the private file lies; it needs room for about the unpacked size of the files.
        keys: the key columns of each table, as the mapping names them: what they read in order is indexed.

    Raises:
        SourceUnavailable: a path is not there, may not be read, or breaks off, so that it cannot be known to be whole.
        HomeError: the folder cannot be written or is full.
    """
    kind, _, path = url.partition(":")
    if not path or not names_files(url):
        raise SourceUnavailable(f"{url} names no files; write csv:FOLDER or fhir:PATH.")
    source = Path(path).expanduser()
    with staging_file(folder) as file:
        with filling(file) as db:
            notes = stage_csv(source, db) if kind == "csv" else stage_fhir((source,), db)
            for table, columns in keys.items():
                add_index(db, table, columns)
        yield Staged(URL.create("sqlite", database=str(file)).render_as_string(), notes)
