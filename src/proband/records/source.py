"""What the import needs of a source: one consistent state of it, table by table, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from proband.records.mapping import TableMapping
from proband.records.record import SourceRow


@dataclass(frozen=True, slots=True)
class Shape:
    """The copied columns of a table with their types, as `fingerprint`: it changes when the source's schema does.

    `notes` are sentences for the user, such as that rows of a table without a key are told apart by their content.
    """

    fingerprint: str
    notes: tuple[str, ...] = ()


class Snapshot(Protocol):
    """One state of a source: what is read later is as old as what was read first."""

    @property
    def taken_at(self) -> datetime:
        """When this state was the source's, in UTC."""
        ...

    def shape(self, table: TableMapping) -> Shape:
        """Raises TableStopped for a table or column that is not there, or a key that is not unique."""
        ...

    def count(self, table: TableMapping, kept: bool = False) -> int:
        """All rows of the table, or with `kept` those that the mapping does not leave out."""
        ...

    def pages(self, table: TableMapping) -> Iterator[Sequence[SourceRow]]:
        """Every row that the mapping does not leave out, once, in no promised order.

        Raises TableStopped when this table cannot be read on, SourceUnavailable when the source cannot.
        """
        ...

    def merges(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """(old key, surviving key) of each merged patient."""
        ...


class Source(Protocol):
    """A database, or files staged as one."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Raises SourceUnavailable in one sentence: unknown host, nobody listens, wrong password, no such database."""
        ...
