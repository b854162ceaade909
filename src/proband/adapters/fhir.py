"""FHIR R4 files as a database: each resource a row of its type's table, the newest version of each.

Memory is bounded by one resource. References are resolved when everything is read, because they lead to other files.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from proband.adapters.fhir_attachments import left_out_note
from proband.adapters.fhir_links import Links, link
from proband.adapters.fhir_references import local_id
from proband.adapters.fhir_resources import READERS
from proband.adapters.fhir_rows import Reading, Row
from proband.adapters.fhir_stream import Deleted, Entry, Skipped, iter_resources
from proband.adapters.fhir_tables import BY_NAME, STAMPS, TABLES, Table
from proband.adapters.fhir_values import Json, child, moment, text
from proband.adapters.staging import counted, create_table, places, quoted

_BATCH = 1_000  # rows a write


def stage_fhir(paths: Sequence[Path], into: sqlite3.Connection) -> tuple[str, ...]:
    """The resources of files and folders as tables (`fhir_tables`).

    Returns:
        What the user should know: resource types that are not read, lines that could not be, attachments left out,
        rows whose patient is not there.

    Raises:
        SourceUnavailable: a path is not there, holds no FHIR file, or breaks off.
    """
    for table in BY_NAME.values():
        create_table(into, table.name, (*table.columns, *STAMPS), _key(table))
    filled = _Filled(into)
    for item in iter_resources(paths):
        match item:
            case Entry():
                filled.take(item)
            case Deleted():
                filled.delete(item)
            case Skipped():
                filled.skipped[item.file, item.reason].append(item.line)
    filled.flush()
    return _notes(filled, link(into))


def _key(table: Table) -> tuple[str, ...]:
    """Parts of several versions of one resource lie side by side until only the newest is kept."""
    return (*table.key, "_serial") if table.parent else table.key


@dataclass
class _Filled:
    """The tables while resources are written to them, and what is counted on the way."""

    db: sqlite3.Connection
    read: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    reading: Reading = field(default_factory=lambda: Reading(Counter(), Counter()))
    skipped: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    _rows: dict[str, list[tuple[str | None, ...]]] = field(default_factory=dict)
    _serial: int = 0

    def take(self, entry: Entry) -> None:
        """Writes the rows of one resource."""
        kind = text(entry.resource.get("resourceType")) or ""
        reader = READERS.get(kind)
        if reader is None:
            self.unread[kind] += 1
            return
        self.read[kind] += 1
        self._serial += 1
        resource = _identified(entry, kind)
        meta = child(resource, "meta")
        version = text(meta.get("versionId")) or ""
        stamps = (
            moment(meta.get("lastUpdated")) or "",
            f"{version:0>20}" if version.isdecimal() else "",
            f"{self._serial:012d}",
        )
        for name, row in reader(resource, self.reading):
            self._add(name, row, stamps)
        if entry.full_url:
            row = {"url": entry.full_url, "type": kind, "id": text(resource.get("id"))}
            self._add("_urls", row, stamps)

    def delete(self, deleted: Deleted) -> None:
        """Remembers that a resource is gone."""
        kind = deleted.reference.rstrip("/").rpartition("/")[0].rpartition("/")[2]
        if id := local_id(deleted.reference, kind):
            row = {"type": kind, "id": id, "at": deleted.at}
            self._add("_deleted", row, (deleted.at, "", ""))

    def flush(self) -> None:
        """Writes what is still to be written."""
        for name in self._rows:
            self._write(name)

    def _add(self, name: str, row: Row, stamps: tuple[str, str, str]) -> None:
        rows = self._rows.setdefault(name, [])
        rows.append((*map(row.get, BY_NAME[name].columns), *stamps))
        if len(rows) >= _BATCH:
            self._write(name)

    def _write(self, name: str) -> None:
        self.db.executemany(_INSERT[name], self._rows[name])
        self._rows[name].clear()


def _insert(table: Table) -> str:
    """The statement that writes a row, unless a newer version of it is there."""
    columns = (*table.columns, *STAMPS)
    name, marks = quoted(table.name), ", ".join("?" * len(columns))
    values = ", ".join(f"{quoted(column)} = excluded.{quoted(column)}" for column in columns)
    new, old = (", ".join(f"{side}.{stamp}" for stamp in STAMPS) for side in ("excluded", name))
    return (
        f"INSERT INTO {name} VALUES ({marks}) ON CONFLICT DO UPDATE SET {values} "
        f"WHERE ({new}) >= ({old})"
    )


_INSERT = {table.name: _insert(table) for table in BY_NAME.values()}


def _identified(entry: Entry, kind: str) -> Json:
    """The resource with an id: its own, else that of its URL, else one made of its content."""
    if text(entry.resource.get("id")):
        return entry.resource
    tail = PurePath(entry.full_url.replace("urn:uuid:", "")).name
    if not tail:
        content = json.dumps(entry.resource, sort_keys=True, default=str)
        tail = hashlib.sha256(f"{kind} {content}".encode(errors="replace")).hexdigest()[:32]
    return {**entry.resource, "id": tail}


# --- what is said -----------------------------------------------------------------------------------------------------


def _notes(filled: _Filled, links: Links) -> tuple[str, ...]:
    notes = [
        f"{file}, {places(lines)}: skipped, {reason}."
        for (file, reason), lines in filled.skipped.items()
    ]
    if filled.unread:
        types = ", ".join(f"{kind} {n:,}" for kind, n in sorted(filled.unread.items()))
        notes.append(f"Resource types that are not read: {types}.")
    again = sum(_of_types(filled.read)) - links.rows - links.deleted
    if again:
        versions = counted(again, "older version")
        notes.append(f"{versions} of resources that came more than once; the newest counts.")
    if links.deleted:
        notes.append(
            f"{counted(links.deleted, 'resource')} left out that a bundle says was deleted."
        )
    for table, strays in links.strays.items():
        rows = counted(strays, "row")
        notes.append(f"{table}: {rows} about a patient who is not in these files, or about none.")
    for kind, number in filled.reading.values.items():
        were = "was" if number == 1 else "were"
        notes.append(f"{counted(number, 'value')} of the type {kind} {were} left out.")
    filled.reading.attachments["only links"] += links.unread_links
    attachments = left_out_note(+filled.reading.attachments)
    return (*notes, attachments) if attachments else tuple(notes)


def _of_types(read: Counter[str]) -> list[int]:
    """How many resources were read of the types that have a table."""
    return [read[table.resource] for table in TABLES if not table.parent]
