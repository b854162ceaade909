"""Catalogue and index compared both ways, and brought in step. The catalogue is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proband.catalogue.catalogue import Catalogue
from proband.ingest.points import Indexer, point, vectors_of
from proband.model import ChunkId, Corpus
from proband.ports import IndexWriter

TOGETHER = 2_000
"""Chunks that are repaired in one step."""


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Where index and catalogue differ, each in order of id.

    Args:
        missing: chunks that a readable generation, or the one being built, needs and the index lacks.
        orphaned: points that the catalogue does not know.
        misdated: points with another `born` or `died` than the catalogue has.
    """

    missing: tuple[ChunkId, ...] = ()
    orphaned: tuple[ChunkId, ...] = ()
    misdated: tuple[ChunkId, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether index and catalogue hold the same."""
        return not (self.missing or self.orphaned or self.misdated)


def compare(catalogue: Catalogue, index: IndexWriter, corpus: Corpus) -> Reconciliation:
    """Compares ids and lifetimes; an id covers document, place and text of its chunk. Reads only."""
    stored = catalogue.lifetimes(corpus)
    held = index.ids()
    numbers = [found.number for found in catalogue.readable(corpus)]
    building = catalogue.building(corpus)
    numbers += [building.number] if building else []
    return Reconciliation(
        missing=_sorted(
            found
            for found, (born, died) in stored.items()
            if found not in held and any(born <= number < died for number in numbers)
        ),
        orphaned=_sorted(held.keys() - stored.keys()),
        misdated=_sorted(
            found for found, life in stored.items() if found in held and held[found] != life
        ),
    )


def repair(indexer: Indexer, report: Reconciliation) -> None:
    """Makes the index hold what the catalogue says. Doing it again changes nothing."""
    indexer.index.remove(report.orphaned)
    rewritten = (*report.missing, *report.misdated)
    for start in range(0, len(rewritten), TOGETHER):
        _rewrite(indexer, rewritten[start : start + TOGETHER])
    indexer.index.flush()


def _rewrite(indexer: Indexer, ids: Sequence[ChunkId]) -> None:
    stored = indexer.catalogue.chunks(ids)
    texts = {found.text_digest: found.chunk.embed_text for found in stored.values()}
    vectors = vectors_of(texts, indexer, {})
    indexer.catalogue.keep_vectors(vectors.fresh, indexer.embedder.digest)
    indexer.index.write(
        [
            point(
                found.id,
                found.chunk,
                vectors.every[found.text_digest],
                indexer.analysis,
                found.born,
                found.died,
            )
            for found in stored.values()
        ]
    )


def _sorted(ids: Iterable[ChunkId]) -> tuple[ChunkId, ...]:
    return tuple(sorted(ids))
