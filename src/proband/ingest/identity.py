"""Ids of chunks: the same chunk always has the same id, and no id is used for two different points."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from proband.catalogue.chunk_rows import NewChunk, chunk_digest, facets_digest, text_digest
from proband.model import NAMESPACE, Chunk, ChunkId
from proband.ports import Manifest


def chunk_id(chunk: Chunk, digest: bytes, born: int | None = None) -> ChunkId:
    """UUIDv5 of document key, section, ordinal, part and `digest`, the sha256 of `embed_text`.

    With `born` it is the id of a chunk that came back after it died, or whose facets or place changed: an older
    generation still reads the point that has the id without.
    """
    parts = (str(chunk.document), chunk.kind, str(chunk.ordinal), str(chunk.part), digest.hex())
    name = "/".join(parts if born is None else (*parts, str(born)))
    return ChunkId(str(uuid.uuid5(NAMESPACE, name)))


def recipe(manifest: Manifest) -> str:
    """What turns a chunk's text into vectors: part of its digest, so that another model or analyser makes it new."""
    return f"{manifest.model_digest} {manifest.analyser_version}"


def identified(chunks: Sequence[Chunk], made_by: str) -> tuple[NewChunk, ...]:
    """The chunks of one document with their first ids and their digests; `made_by` is the `recipe`."""
    if not chunks:
        return ()
    facets = facets_digest(chunks[0].facets)
    return tuple(_identified(chunk, facets, made_by) for chunk in chunks)


def _identified(chunk: Chunk, facets: bytes, made_by: str) -> NewChunk:
    text = text_digest(chunk.embed_text)
    whole = chunk_digest(chunk, facets, made_by)
    return NewChunk(chunk_id(chunk, text), chunk, text, facets, whole)
