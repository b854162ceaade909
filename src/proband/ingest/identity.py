"""Ids of chunks: the same chunk always has the same id, and no id is used for two different points."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from proband.catalogue.chunk_rows import NewChunk, chunk_digest, facets_digest, text_digest
from proband.model import NAMESPACE, Chunk, ChunkId


def chunk_id(chunk: Chunk, digest: bytes, born: int | None = None) -> ChunkId:
    """UUIDv5 of document key, section, ordinal, part and `digest`, the sha256 of `embed_text`.

    With `born` it is the id of a chunk that came back after it died, or whose facets or place changed: an older
    generation still reads the point that has the id without.
    """
    parts = (str(chunk.document), chunk.kind, str(chunk.ordinal), str(chunk.part), digest.hex())
    name = "/".join(parts if born is None else (*parts, str(born)))
    return ChunkId(str(uuid.uuid5(NAMESPACE, name)))


def identified(chunks: Sequence[Chunk]) -> tuple[NewChunk, ...]:
    """The chunks of one document with their first ids and their digests."""
    if not chunks:
        return ()
    facets = facets_digest(chunks[0].facets)
    return tuple(_identified(chunk, facets) for chunk in chunks)


def _identified(chunk: Chunk, facets: bytes) -> NewChunk:
    digest = text_digest(chunk.embed_text)
    return NewChunk(chunk_id(chunk, digest), chunk, digest, facets, chunk_digest(chunk, facets))
