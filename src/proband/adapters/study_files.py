"""Studies from files: API v2 JSON and JSON lines, classic XML, AACT dumps; plain, gzip, in folders and zip archives.

What a file is, its first bytes say; its name is only a hint. What cannot be read is delivered as a rejection.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from proband.adapters.archives import ZIP, ZipArchive, file_chunks, is_zip
from proband.errors import ParseError, SourceUnavailable
from proband.text.json_stream import encoding_of
from proband.trials.aact import COLUMNS, iter_aact
from proband.trials.api_json import iter_api_json
from proband.trials.classic_xml import iter_classic_xml
from proband.trials.fetched import Fetched, Place, Raw, Rejected, read_study

LINE_SUFFIXES = (".jsonl", ".ndjson")
SUFFIXES = (".json", *LINE_SUFFIXES, ".xml")
NOTHING_HERE = (
    "no file with studies in it (.json, .jsonl, .ndjson, .xml, each also .gz; .zip; AACT .txt)"
)

Records = Iterator[Raw | Rejected]


def iter_studies(
    paths: Sequence[Path], *, after: Place | None = None
) -> Iterator[Fetched | Rejected]:
    """The studies of files and folders, in a fixed order: as given, folders by name, files from top to bottom.

    Args:
        paths: files and folders. A folder is read with its subfolders; in it and in archives only files with a known
            suffix are read, a file given by itself always.
        after: where an interrupted run over the same paths had come to; what it delivered is not delivered again.

    Returns:
        Each study with its place, or what was rejected. Of several studies with one id the last counts: those after
        the first are marked `repeated`.

    Raises:
        SourceUnavailable: at once, before anything is read, when a path does not exist or may not be read.
    """
    return _studies(_sources(paths), after)


def total_bytes(paths: Sequence[Path]) -> int:
    """Size of all files that `iter_studies` would read, to compare `Place.read_bytes` with."""
    return sum(_size(source) for source in _sources(paths))


def files_digest(paths: Sequence[Path]) -> str:
    """sha256 over name, size and time of change of all files that `iter_studies` would read."""
    facts = hashlib.sha256()
    for source in _sources(paths):
        for file in _files(source):
            facts.update(f"{file}\0{_state(file)}\n".encode(errors="replace"))
    return facts.hexdigest()


def _files(source: Path) -> list[Path]:
    """The files of an AACT dump, else the source itself; what cannot be listed has none: reading it will say so."""
    try:
        return sorted(_dump(source).values()) if source.is_dir() else [source]
    except OSError:
        return []


def _state(file: Path) -> tuple[int, int] | None:
    """Size and time of change; None when the file cannot be reached."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


class _Meter:
    """Bytes read: of the sources that are done, and of the present one."""

    def __init__(self) -> None:
        self.done = 0
        self.present = 0

    def read(self, size: int) -> None:
        self.present = size

    def finish(self, size: int) -> None:
        self.done, self.present = self.done + size, 0


def _studies(sources: Sequence[Path], after: Place | None) -> Iterator[Fetched | Rejected]:
    names = [str(source) for source in sources]
    known = after is not None and after.source in names
    first, skip = (names.index(after.source), after.ordinal) if after and known else (0, 0)
    seen: set[str] = set()
    meter = _Meter()
    for number, source in enumerate(sources):
        if number >= first:
            for item in _delivered(source, meter, skip if number == first else 0):
                yield _marked(item, seen) if isinstance(item, Fetched) else item
        meter.finish(_size(source))


def _marked(item: Fetched, seen: set[str]) -> Fetched:
    if item.study.nct_id in seen:
        return Fetched(item.study, item.place, repeated=True)
    seen.add(item.study.nct_id)
    return item


def _delivered(source: Path, meter: _Meter, skip: int) -> Iterator[Fetched | Rejected]:
    """The studies of one source after its first `skip` records; where it breaks off, a rejection says so."""
    ordinal = 0
    try:
        for ordinal, record in enumerate(_records(source, meter), 1):
            if ordinal > skip:
                place = Place(str(source), ordinal, meter.done + meter.present)
                yield _item(record, place)
    except ParseError as error:
        read = f"; {ordinal:,} records before that were read" if ordinal else ""
        yield Rejected(str(source), f"{error}{read}")


def _item(record: Raw | Rejected, place: Place) -> Fetched | Rejected:
    if isinstance(record, Rejected):
        return Rejected(f"{place.source}, {record.where}", record.reason)
    study = read_study(record.value, ", ".join(filter(None, (place.source, record.at))))
    return study if isinstance(study, Rejected) else Fetched(study, place)


# --- which files ------------------------------------------------------------------------------------------------------


def _sources(paths: Sequence[Path]) -> list[Path]:
    """Files, folders that are AACT dumps, and folders that hold nothing or cannot be listed."""
    return [source for path in paths for source in _sources_of(path)]


def _sources_of(path: Path) -> list[Path]:
    if not path.exists():
        raise SourceUnavailable(f"{path} does not exist; give a file or folder with studies.")
    if not os.access(path, os.R_OK):
        raise SourceUnavailable(f"{path} may not be read; check its permissions.")
    if path.is_dir():
        return list(_in_folder(path)) or [path]
    if not path.is_file():
        raise SourceUnavailable(f"{path} is no file and no folder.")
    return [path]


def _in_folder(folder: Path) -> Iterator[Path]:
    unlisted: list[Path] = []
    for name, folders, files in os.walk(
        folder, onerror=lambda e: unlisted.append(Path(e.filename))
    ):
        folders.sort()
        if "studies" in _tables(files):
            yield Path(name)
        known = (Path(name, file) for file in sorted(files) if _is_known(file))
        yield from (
            path for path in known if path.is_file() or path.is_symlink()
        )  # no pipe: it may never end
    yield from unlisted


def _is_known(name: str) -> bool:
    """Whether a file of this name in a folder or archive may hold studies."""
    path = PurePath(name.lower())
    if path.name.startswith((".", "__macosx")) or "__macosx" in path.parts:
        return False
    suffix = PurePath(path.stem).suffix if path.suffix == ".gz" else path.suffix
    return suffix in SUFFIXES or path.suffix == ".zip" or (path.suffix == ".gz" and not suffix)


def _tables(names: Sequence[str]) -> dict[str, str]:
    """The names that are tables of an AACT dump, by table."""
    stems = {name: PurePath(name.lower().removesuffix(".gz")) for name in names}
    return {p.stem: name for name, p in stems.items() if p.suffix == ".txt" and p.stem in COLUMNS}


def _size(source: Path) -> int:
    return sum(state[0] for file in _files(source) if (state := _state(file)))


def _dump(folder: Path) -> Mapping[str, Path]:
    tables = _tables(sorted(path.name for path in folder.iterdir()))
    return {table: folder / name for table, name in tables.items()}


# --- what is in them --------------------------------------------------------------------------------------------------


def _records(source: Path, meter: _Meter) -> Records:
    try:
        if source.is_dir():
            return _dump_records(source)
        if is_zip(source):
            return _archive_records(source, meter)
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}") from error
    return _stream_records(source.name, file_chunks(source, meter.read))


def _dump_records(folder: Path) -> Records:
    tables = _dump(folder)
    if not tables:
        raise ParseError(NOTHING_HERE)
    return iter_aact({table: file_chunks(path, lambda _: None) for table, path in tables.items()})


def _archive_records(path: Path, meter: _Meter) -> Records:
    with ZipArchive(path) as archive:
        names = archive.names()
        tables = _tables(names)
        if "studies" in tables:
            yield from iter_aact({table: archive.chunks(name) for table, name in tables.items()})
        members = [name for name in names if _is_known(name)]
        if not members and not tables:
            raise ParseError(NOTHING_HERE)
        packed = 0
        for name in members:
            yield from _member_records(archive, name)
            packed += archive.packed_bytes(name)
            meter.read(packed)


def _member_records(archive: ZipArchive, name: str) -> Records:
    """The records of one file in an archive. One that cannot be read is rejected, and the next one read."""
    try:
        for record in _stream_records(name, archive.chunks(name)):
            if isinstance(record, Rejected):
                yield Rejected(f"{name}, {record.where}", record.reason)
            else:
                yield Raw(record.value, ", ".join(filter(None, (name, record.at))))
    except ParseError as error:
        yield Rejected(name, str(error))


def _stream_records(name: str, chunks: Iterator[bytes]) -> Records:
    head = next(chunks, b"")
    stream = itertools.chain((head,), chunks)
    start = head.decode(encoding_of(head), "replace").lstrip("\ufeff \t\r\n")
    lines = PurePath(name.lower().removesuffix(".gz")).suffix in LINE_SUFFIXES
    if head.startswith(ZIP):
        raise ParseError("a zip archive inside another file; unpack it first")
    if start.startswith("<"):
        return iter_classic_xml(stream)
    if start.startswith(("{", "[")) or (lines and start):
        return iter_api_json(stream, lines=lines)
    raise ParseError(_unknown(start))


def _unknown(start: str) -> str:
    if not start:
        return "empty"
    if "nct_id" in start.partition("\n")[0].split("|"):
        return "one table of an AACT dump; give the folder or zip archive with all tables"
    return "neither JSON nor XML nor an AACT dump"
