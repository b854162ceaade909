"""Catalogue and index compared both ways, and brought in step. The catalogue is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband.catalogue.catalogue import Catalogue
from proband.catalogue.chunk_rows import StoredChunk
from proband.ingest.points import Indexer, Vectors, point, vectors_of
from proband.model import ChunkId, Corpus, Point, SparseVector
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
        altered: points that do not say what their chunk says; only `examine` looks for them.
    """

    missing: tuple[ChunkId, ...] = ()
    orphaned: tuple[ChunkId, ...] = ()
    misdated: tuple[ChunkId, ...] = ()
    altered: tuple[ChunkId, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether index and catalogue hold the same."""
        return not (self.missing or self.orphaned or self.misdated or self.altered)


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


def examine(indexer: Indexer, corpus: Corpus) -> Reconciliation:
    """`compare`, and each point of the visible generation against one made anew from its chunk. Reads only.

    Older generations are left out: another model or analyser may have made their points.
    """
    report = compare(indexer.catalogue, indexer.index, corpus)
    active = indexer.catalogue.active(corpus)
    number = active.number if active else 0
    ids = [found for found, (born, died) in indexer.index.ids().items() if born <= number < died]
    altered = (
        found
        for start in range(0, len(ids), TOGETHER)
        for found in _altered(indexer, ids[start : start + TOGETHER])
    )
    return replace(report, altered=_sorted(altered))


def repair(indexer: Indexer, report: Reconciliation) -> None:
    """Makes the index hold what the catalogue says. Doing it again changes nothing."""
    indexer.index.remove(report.orphaned)
    rewritten = (*report.missing, *report.misdated, *report.altered)
    for start in range(0, len(rewritten), TOGETHER):
        _rewrite(indexer, rewritten[start : start + TOGETHER])
    indexer.index.flush()
    if rewritten:
        indexer.index.optimize()


def _rewrite(indexer: Indexer, ids: Sequence[ChunkId]) -> None:
    stored = indexer.catalogue.chunks(ids)
    vectors = _vectors(indexer, stored)
    indexer.catalogue.keep_vectors(vectors.fresh, indexer.embedder.digest)
    indexer.index.write([_made(found, vectors, indexer) for found in stored.values()])


def _altered(indexer: Indexer, ids: Sequence[ChunkId]) -> Iterator[ChunkId]:
    held = indexer.index.fetch(ids)
    stored = indexer.catalogue.chunks(ids)
    vectors = _vectors(indexer, stored)
    made = (_made(found, vectors, indexer) for found in stored.values())
    return (one.id for one in made if not says_the_same(one, held[one.id]))


def _vectors(indexer: Indexer, stored: Mapping[ChunkId, StoredChunk]) -> Vectors:
    texts = {found.text_digest: found.chunk.embed_text for found in stored.values()}
    return vectors_of(texts, indexer, {})


def _made(stored: StoredChunk, vectors: Vectors, indexer: Indexer) -> Point:
    vector = vectors.every[stored.text_digest]
    return point(
        stored.id, stored.chunk, vector, indexer.analysis, born=stored.born, died=stored.died
    )


def says_the_same(made: Point, held: Point) -> bool:
    """Whether a point is as it was written: lifetimes aside, weights to float32, the vector's direction to 1e-3."""
    return (
        (made.document, made.kind, made.ordinal) == (held.document, held.kind, held.ordinal)
        and (made.exact, made.facets) == (held.exact, held.facets)
        and _same_terms(made.sparse, held.sparse)
        and _same_terms(made.document_terms, held.document_terms)
        and bool(np.dot(made.dense, held.dense) > (1 - 1e-3) * np.linalg.norm(made.dense))
    )


def _same_terms(made: SparseVector | None, held: SparseVector | None) -> bool:
    if made is None or held is None:
        return made is held
    return made.indices == held.indices and np.allclose(made.values, held.values, rtol=1e-6)


def _sorted(ids: Iterable[ChunkId]) -> tuple[ChunkId, ...]:
    return tuple(sorted(ids))
