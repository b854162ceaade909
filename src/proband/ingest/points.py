"""Chunks to points: the vectors and terms that the index holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from proband.catalogue.catalogue import Catalogue
from proband.catalogue.embeddings import rounded
from proband.ingest.chunker import OVERLAP_TOKENS
from proband.model import (
    FOREVER,
    Chunk,
    ChunkId,
    Float32Vector,
    Point,
    SparseVector,
)
from proband.ports import Embedder, IndexWriter


@dataclass(frozen=True, slots=True)
class Analysis:
    """How text becomes terms.

    Args:
        version: of the analyser; part of the manifest.
        sparse: the term weights of an `embed_text`.
        exact: the exact terms of a chunk's text.
        document: the term weights of a `document_text`, which is many times longer.
    """

    version: int
    sparse: Callable[[str], SparseVector]
    exact: Callable[[str], tuple[str, ...]]
    document: Callable[[str], SparseVector]


@dataclass(frozen=True, slots=True)
class Indexer:
    """What indexing works with, and its sizes.

    Args:
        overlap_tokens: what two parts of a long section share.
        batch_documents: documents a batch; one call embeds all their new texts, and one transaction stores them.
    """

    catalogue: Catalogue
    index: IndexWriter
    embedder: Embedder
    analysis: Analysis
    overlap_tokens: int = OVERLAP_TOKENS
    batch_documents: int = 1_000


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vector of each text by the text's digest, and which of them the catalogue does not have yet."""

    every: Mapping[bytes, Float32Vector]
    fresh: Mapping[bytes, Float32Vector]


def vectors_of(
    texts: Mapping[bytes, str], indexer: Indexer, known: Mapping[bytes, Float32Vector]
) -> Vectors:
    """A vector for each text: from `known`, else from the catalogue, else embedded, all in one call."""
    reused = {digest: known[digest] for digest in texts if digest in known}
    unknown = [digest for digest in texts if digest not in reused]
    reused |= indexer.catalogue.vectors(unknown, indexer.embedder.digest)
    unknown = [digest for digest in unknown if digest not in reused]
    if not unknown:
        return Vectors(reused, {})
    matrix = rounded(indexer.embedder.embed_documents([texts[digest] for digest in unknown]))
    fresh = dict(zip(unknown, matrix, strict=True))
    return Vectors({**reused, **fresh}, fresh)


def point(
    chunk_id: ChunkId,
    chunk: Chunk,
    vector: Float32Vector,
    analysis: Analysis,
    born: int,
    died: int = FOREVER,
) -> Point:
    """The point of a chunk."""
    return Point(
        id=chunk_id,
        document=str(chunk.document),
        kind=chunk.kind,
        ordinal=chunk.ordinal,
        dense=vector,
        sparse=analysis.sparse(chunk.embed_text),
        exact=tuple(dict.fromkeys((*chunk.exact, *analysis.exact(chunk.text)))),
        facets=chunk.facets,
        born=born,
        died=died,
        document_terms=analysis.document(chunk.document_text) if chunk.document_text else None,
    )
