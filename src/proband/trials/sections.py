"""Studies as documents, read from their records: for the indexer, and for what stands around a passage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proband.model import Document, DocumentKey, Section
from proband.trials.documents import study_document
from proband.trials.registry import parse_study

Records = Callable[[Iterable[str], int], Mapping[str, Mapping[str, Any]]]
"""The records of a generation as fetched, by NCT id."""


@dataclass(frozen=True, slots=True)
class StudySections:
    """The documents of studies, made anew from `records` each time."""

    records: Records

    def documents(self, keys: Iterable[DocumentKey], generation: int) -> Iterator[Document]:
        """The documents of these keys in this generation, in their order; unknown ones are left out."""
        ids = [key.parts[0] for key in keys]
        raw = self.records(ids, generation)
        return (study_document(parse_study(raw[nct_id])) for nct_id in ids if nct_id in raw)

    def loader(self, generation: int) -> Callable[[Iterable[str]], Iterator[Document]]:
        """As `documents`, of this generation, by keys in writing."""
        return lambda keys: self.documents(map(DocumentKey.parse, keys), generation)

    def sections(
        self, documents: Iterable[DocumentKey], generation: int
    ) -> dict[str, tuple[Section, ...]]:
        """The sections of these documents as they are in this generation, in order, by key; unknown keys are absent."""
        found = self.documents(documents, generation)
        return {str(document.key): document.sections for document in found}
