"""FHIR resources from files, one at a time: bundles, bulk export (NDJSON), single resources; plain or gzip.

A line of NDJSON that cannot be read is named and skipped. A file that breaks off ends the reading, because nobody
knows what it would still have held.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from proband.adapters.archives import file_chunks
from proband.adapters.fhir_values import DECODER, Json, child, moment, text
from proband.adapters.staging import LONGEST_VALUE
from proband.errors import ParseError, SourceUnavailable
from proband.text.json_stream import JsonText, json_value

LINE_SUFFIXES = (".ndjson", ".jsonl")
SUFFIXES = (".json", *LINE_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Entry:
    """A resource, and what its bundle calls it ("" outside of one)."""

    resource: Json
    full_url: str = ""


@dataclass(frozen=True, slots=True)
class Deleted:
    """A bundle says that the resource `Patient/x` was deleted; `at` is the instant in UTC, "" where it is not said."""

    reference: str
    at: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is no resource: where it stands and why, without quoting it."""

    file: str
    line: int
    reason: str


Item = Entry | Deleted | Skipped


def iter_resources(paths: Sequence[Path]) -> Iterator[Item]:
    """What is in the files and folders, in a fixed order; folders with their subfolders.

    Raises SourceUnavailable for a path that is not there, holds no such file, or breaks off.
    """
    for path in paths:
        for file in _files(path):
            try:
                yield from _file(file)
            except ParseError as error:
                raise SourceUnavailable(
                    f"{file} cannot be read to its end ({error}), so what it lacks is not known; "
                    "replace it, or take it out of the folder."
                ) from None


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(
            Path(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if _suffix(name) in SUFFIXES and not name.startswith(".")
        )
        if not found:
            raise SourceUnavailable(f"{path} holds no FHIR file (.json, .ndjson, each also .gz).")
        return found
    if not path.is_file():
        raise SourceUnavailable(
            f"{path} does not exist; give a file or folder with FHIR resources."
        )
    return [path]


def _suffix(name: str) -> str:
    return PurePath(name.lower().removesuffix(".gz")).suffix


def _file(file: Path) -> Iterator[Item]:
    stream = JsonText(file_chunks(file, lambda _: None), LONGEST_VALUE, DECODER)
    by_line = _suffix(file.name) in LINE_SUFFIXES and not stream.opens_over_lines()
    while stream.peek():
        if by_line:
            yield from _line(stream, file.name)
        elif stream.peek() == "[":
            yield from _elements(stream, file.name)
        else:
            yield from _object(stream, file.name)


def _line(stream: JsonText, file: str) -> Iterator[Item]:
    number = stream.line
    line = stream.take_line()
    if line is None:
        yield Skipped(file, number, f"longer than {LONGEST_VALUE:,} characters")
        return
    try:
        value = json_value(line, DECODER)
    except ParseError as error:
        yield Skipped(file, number, str(error))
    else:
        yield from _resource(value, file, number)


def _elements(stream: JsonText, file: str, *, of_bundle: bool = False) -> Iterator[Item]:
    """The resources, or entries of a bundle, in a list."""
    stream.take("[")
    separator = ","
    if stream.peek() == "]":
        separator = stream.take("]")
    while separator == ",":
        stream.peek()
        line = stream.line
        value = stream.take_value()
        yield from _entry(value, file, line) if of_bundle else _resource(value, file, line)
        separator = stream.take(",]")


def _object(stream: JsonText, file: str) -> Iterator[Item]:
    """A resource; the entries of a bundle are delivered as they are read."""
    line = stream.line
    whole: dict[str, Any] = {}
    separator = stream.take("{")
    if stream.peek() == "}":
        separator = stream.take("}")
    while separator != "}":
        name = stream.take_value()
        stream.take(":")
        if name == "entry" and stream.peek() == "[":
            yield from _elements(stream, file, of_bundle=True)
        else:
            whole[str(name)] = stream.take_value()
        separator = stream.take(",}")
    if whole.get("resourceType") != "Bundle":
        yield from _resource(whole, file, line)


def _resource(value: object, file: str, line: int, full_url: str = "") -> Iterator[Item]:
    whole = value if isinstance(value, dict) else {}
    kind = text(whole.get("resourceType"))
    if kind == "Bundle":
        entries = whole.get("entry")
        for entry in entries if isinstance(entries, list) else ():
            yield from _entry(entry, file, line)
    elif kind:
        yield Entry(whole, full_url)
    else:
        yield Skipped(file, line, "not a FHIR resource: it has no resourceType")


def _entry(value: object, file: str, line: int) -> Iterator[Item]:
    """What one entry of a bundle holds; an entry of a List resource holds none."""
    entry = child(value)
    if entry.get("resource") is not None:
        yield from _resource(entry["resource"], file, line, text(entry.get("fullUrl")) or "")
    elif text(child(entry, "request").get("method")) == "DELETE":
        at = moment(child(entry, "response").get("lastModified")) or ""
        yield Deleted(text(child(entry, "request").get("url")) or "", at)
