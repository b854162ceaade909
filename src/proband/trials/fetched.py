"""What an import source delivers: studies with their places, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass

from proband.errors import StudyParseError
from proband.trials.registry import parse_study
from proband.trials.study import Study

LARGEST_RECORD = 64 * 2**20
"""Bytes that one record may have. The longest of the 60 full records read was 1 MB; without a bound, one damaged file
(a quotation mark that is never closed) would be held in memory whole."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A record as it was read, not yet a study; `at` is its place in the file ("line 7"), perhaps empty."""

    value: object
    at: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something that could not be read: where it stands and why, without quoting it."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a study was read, so that an interrupted run can go on after it.

    `source` is the file or folder or, in a walk through the registry, the day of the study's last update; `ordinal`
    counts the records of the file or walk from 1. `read_bytes` is how much of all files had been read by then, for a
    progress bar.
    """

    source: str
    ordinal: int
    read_bytes: int = 0

    @property
    def position(self) -> str:
        """The place in one word, for a checkpoint."""
        return f"{self.source}#{self.ordinal}"

    @classmethod
    def at(cls, position: str) -> Place:
        """The place of a `position`."""
        source, _, ordinal = position.rpartition("#")
        return cls(source, int(ordinal))


@dataclass(frozen=True, slots=True)
class Fetched:
    """A study and its place. `repeated`: its id came before in this run; the later one counts."""

    study: Study
    place: Place
    repeated: bool = False


def read_study(raw: object, where: str) -> Study | Rejected:
    """The study in an API v2 object, or why it is none. Never raises on any value that JSON can hold."""
    try:
        return parse_study(raw, where)
    except StudyParseError as error:
        return Rejected(error.where, error.reason)
