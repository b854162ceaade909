"""A folder of CSV files as a database: each file a table, the header's columns, every value as it is written.

A table is staged whole or not at all: rows that a broken file lacks would look like rows that the source deleted.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from proband.adapters.archives import file_chunks
from proband.adapters.staging import LONGEST_VALUE, counted, create_table, places, quoted
from proband.errors import ParseError, SourceUnavailable
from proband.text.json_stream import BOMS, encoding_of

SUFFIXES = (".csv", ".tsv")
DELIMITERS = ",;\t|"
_SAMPLE = 65_536  # characters by which the delimiter is told
_FALLBACK = "cp1252"


def stage_csv(folder: Path, into: sqlite3.Connection) -> tuple[str, ...]:
    """Each `NAME.csv`, `NAME.tsv` of a folder, also packed with gzip, as the table NAME.

    All columns are text; an empty field is NULL. No key is declared.

    Returns:
        What the user should know: files that were left out, rows that do not fit, columns that were renamed.

    Raises:
        SourceUnavailable: there is no such folder, it holds no CSV file, or two files are the same table.
    """
    before = csv.field_size_limit(LONGEST_VALUE)
    try:
        return tuple(
            note for table, path in _tables(folder).items() for note in _staged(path, table, into)
        )
    finally:
        csv.field_size_limit(before)


def _staged(path: Path, table: str, into: sqlite3.Connection) -> list[str]:
    try:
        return list(_stage_file(path, table, into))
    except ParseError as error:
        into.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        return [f"{path.name} was left out, and there is no table {table}: {error}."]


def _tables(folder: Path) -> dict[str, Path]:
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise SourceUnavailable(
            f"{folder} cannot be read as a folder of CSV files: {error.strerror}."
        ) from None
    found: dict[str, Path] = {}
    for path in files:
        name = Path(path.name[:-3] if path.name.lower().endswith(".gz") else path.name)
        if name.suffix.lower() not in SUFFIXES or name.name.startswith("."):
            continue
        twin = next((table for table in found if table.lower() == name.stem.lower()), None)
        if twin:
            raise SourceUnavailable(
                f"{found[twin]} and {path.name} are the same table {twin}; take one of them away."
            )
        found[name.stem] = path
    if not found:
        raise SourceUnavailable(f"{folder} holds no CSV file (.csv, .tsv, each also .gz).")
    return found


def _stage_file(path: Path, table: str, into: sqlite3.Connection) -> Iterator[str]:
    """Fills one table and gives what is to be said of it."""
    encoding, note = _encoding(path)
    if note:
        yield f"{path.name} {note}"
    delimiter = _delimiter(path, encoding)
    with _opened(path, encoding) as text:
        reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
        header = next(reader, [])
        if not any(map(str.strip, header)):
            raise ParseError("the first line names no columns")
        columns = _columns(header)
        for wanted, given in zip(map(str.strip, header), columns, strict=True):
            if wanted != given:
                yield f"{path.name}: a second or unnamed column of the header is called {given}."
        faults: list[int] = []
        _fill(into, table, columns, _rows(reader, len(columns), faults))
    if faults:
        rows = counted(len(faults), "row")
        yield f"{path.name}: {rows} not as wide as the header, left out ({places(faults)})."


def _fill(
    into: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Iterator[list[str | None]],
) -> None:
    try:
        create_table(into, table, columns)
    except sqlite3.OperationalError as error:
        raise ParseError(f"{counted(len(columns), 'column')} are too many") from error
    marks = ", ".join("?" * len(columns))
    into.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", rows)


def _columns(header: Sequence[str]) -> list[str]:
    """The columns' names, each once whatever its case, as SQL compares them."""
    seen: Counter[str] = Counter()
    taken = {name.strip().lower() for name in header}
    columns: list[str] = []
    for place, written in enumerate(header, 1):
        name = written.strip() or f"column_{place}"
        seen[name.lower()] += 1
        number = seen[name.lower()]
        while number > 1 and f"{name}_{number}".lower() in taken:
            number += 1
        columns.append(name if number == 1 else f"{name}_{number}")
        taken.add(columns[-1].lower())
    return columns


def _rows(reader: Any, width: int, faults: list[int]) -> Iterator[list[str | None]]:
    """The rows that are as wide as the header; blank lines are none. `faults` takes the lines of the others."""
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            if not str(error).startswith(_ENDLESS):
                faults.append(line)
                continue
            raise ParseError(f"a field that begins in line {line:,} never ends") from None
        if cells is None:
            return
        if len(cells) > width and not any(cells[width:]):
            del cells[width:]
        if len(cells) == width:
            yield [cell or None for cell in cells]
        elif cells:
            faults.append(line)


_ENDLESS = ("unexpected end of data", "field larger than")


# --- how a file is written --------------------------------------------------------------------------------------------


def _encoding(path: Path) -> tuple[str, str]:
    """The encoding, and what is to be said of it ("" for nothing).

    What is no UTF-8 throughout is Windows-1252, unless more of its letters are UTF-8 than are not.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    marked, letters, wrong = "", 0, 0
    for number, chunk in enumerate(_chunks(path)):
        if not number:
            marked = encoding_of(chunk) if chunk.startswith(tuple(bom for bom, _ in BOMS)) else ""
            if not marked and b"\0" in chunk:
                raise ParseError("it holds zero bytes; save it as UTF-8, or with a byte order mark")
        if marked.startswith("utf-16"):
            return marked, ""
        text = decoder.decode(chunk)
        if not text.isascii():
            letters += sum(map(len, _LETTERS.findall(text)))
            wrong += sum(map(len, _WRONG.findall(text)))
    if wrong > letters:
        return _FALLBACK, "is not UTF-8 and was read as Windows-1252; check its accented letters."
    note = f"holds {counted(wrong, 'byte')} that no UTF-8 has; each is shown as \N{REPLACEMENT CHARACTER}."
    return marked or "utf-8", note if wrong else ""


_LETTERS, _WRONG = re.compile("[^\0-\x7f\udc80-\udcff]+"), re.compile("[\udc80-\udcff]+")


def _delimiter(path: Path, encoding: str) -> str:
    """The delimiter by which the first rows are equally wide, and the widest."""
    with _opened(path, encoding) as text:
        sample = text.read(_SAMPLE)
    return max(DELIMITERS, key=lambda delimiter: _evenness(sample, delimiter))


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        widths = [len(row) for row in islice(reader, _SAMPLE_ROWS) if row]
    except csv.Error:
        return 0.0, 0
    if len(sample) == _SAMPLE and len(widths) < _SAMPLE_ROWS:
        widths = widths[:-1] or widths  # the sample may end inside a row
    if not widths or widths[0] < 2:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


_SAMPLE_ROWS = 50


def _opened(path: Path, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BufferedReader(_Bytes(_chunks(path))), encoding, errors="replace", newline=""
    )


def _chunks(path: Path) -> Iterator[bytes]:
    return file_chunks(path, lambda _: None)


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines with their ends, as the file has them."""
    while line := text.readline(LONGEST_VALUE):
        if len(line) == LONGEST_VALUE:
            raise ParseError(f"a line has more than {LONGEST_VALUE:,} characters")
        yield line


class _Bytes(io.RawIOBase):
    """Pieces of bytes as one file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = chunk
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size
