"""One copied row: as a source delivers it, and as the catalogue keeps it.

Values are canonical text, so that one row is the same from every database: whole numbers and decimals as they are
written (`70.50` keeps its zero), truth as `1` and `0`, dates as `2024-03-05`, naive times as `2024-03-05T10:15:00`,
instants in UTC as `2024-03-05T07:15:00+00:00`, UUIDs in lower case.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from proband.model import DocumentKey


class Gap(StrEnum):
    """Why a column of a row holds nothing that can be read. Gaps are counted, never embedded."""

    NULL = "null"
    EMPTY = "empty"
    """White space, or a text that the mapping declares empty."""
    BINARY = "binary"
    MASKED = "masked"
    ENCRYPTED = "encrypted"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One row as a source delivers it.

    Args:
        key: the values of the key columns; () for a table without a key.
        patient: the key of the patient whom the path leads to; None where it leads to nobody.
        values: canonical text by column, those of gaps left out.
        labels: what the code tables say of coded columns, by column.
        gaps: the columns that hold nothing to read.
    """

    key: tuple[str, ...]
    patient: tuple[str, ...] | None
    values: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    gaps: Mapping[str, Gap] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """One row as the catalogue keeps it.

    `patient` is the key of the patient's own record as text (`patient_key`), "" for nobody.
    """

    key: DocumentKey
    patient: str
    values: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    gaps: Mapping[str, Gap] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The name of the source."""
        return self.key.source

    @property
    def table(self) -> str:
        """The name of the table."""
        return self.key.collection

    @property
    def digest(self) -> bytes:
        """sha256 of all that was copied: two equal rows have equal digests, whatever database they came from."""
        body = [str(self.key), self.patient, *map(_sorted, (self.values, self.labels, self.gaps))]
        return hashlib.sha256(json.dumps(body).encode()).digest()


def patient_key(source: str, table: str, key: tuple[str, ...]) -> str:
    """How a patient is named in facets, scopes and rows: the key of the row in the patients' table."""
    return str(DocumentKey(source, table, key))


def _sorted(values: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted((name, str(value)) for name, value in values.items())
