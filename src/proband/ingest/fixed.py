"""A fixed set of documents in an index of its own, without a catalogue: what an evaluation searches.

The documents go the way that studies go: cut, identified, embedded, written. What the catalogue would keep is kept by
the caller: the texts in memory, the vectors by the digest of their text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from proband.catalogue.chunk_rows import NewChunk
from proband.catalogue.embeddings import rounded
from proband.ingest.chunker import OVERLAP_TOKENS, cut
from proband.ingest.identity import identified, recipe
from proband.ingest.pipeline import CUT_TOGETHER
from proband.ingest.points import Analysis, point
from proband.ingest.progress import Progress
from proband.model import Chunk, ChunkId, Document, Float32Vector
from proband.ports import Embedder, IndexWriter, Manifest

GENERATION = 1
"""The only one that a fixed set has."""

EMBED_TOGETHER = 2_000
"""Texts embedded between two reports of progress, and points written at once."""

ByDigest = Mapping[bytes, Float32Vector]
"""Vectors by the digest of their text."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class FixedTexts:
    """The chunks of a fixed set in memory; satisfies the port Texts."""

    chunks: Mapping[ChunkId, Chunk]

    def chunk_texts(self, ids: Iterable[ChunkId]) -> Mapping[ChunkId, Chunk]:
        """The chunks of these ids; unknown ids are absent."""
        return {found: self.chunks[found] for found in ids if found in self.chunks}


def fixed_chunks(
    documents: Iterable[Document], embedder: Embedder, manifest: Manifest
) -> list[NewChunk]:
    """The chunks of all documents in order, with their ids."""
    made_by, coming = recipe(manifest), iter(documents)
    found: list[NewChunk] = []
    while together := list(islice(coming, CUT_TOGETHER)):
        for chunks in cut(together, embedder, OVERLAP_TOKENS):
            found += identified(chunks, made_by)
    return found


def fixed_vectors(
    chunks: Sequence[NewChunk], known: ByDigest, embedder: Embedder, progress: Progress
) -> ByDigest:
    """A vector for each text of the chunks: from `known`, else embedded."""
    texts = {new.text_digest: new.chunk.embed_text for new in chunks}
    vectors = {digest: known[digest] for digest in texts if digest in known}
    unknown = [digest for digest in texts if digest not in vectors]
    for some in _slices(unknown, EMBED_TOGETHER):
        matrix = rounded(embedder.embed_documents([texts[digest] for digest in some]))
        vectors.update(zip(some, matrix, strict=True))
        progress.advance("embed", len(vectors), len(texts))
    return vectors


def write_fixed(
    chunks: Sequence[NewChunk], vectors: ByDigest, index: IndexWriter, analysis: Analysis
) -> None:
    """Fills an empty index with the chunks; it survives a kill afterwards."""
    for some in _slices(chunks, EMBED_TOGETHER):
        index.write(
            [
                point(new.id, new.chunk, vectors[new.text_digest], analysis, GENERATION)
                for new in some
            ]
        )
    index.optimize()
    index.flush()


def _slices(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
