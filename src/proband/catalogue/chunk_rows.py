"""How a chunk becomes a row and back, and the digests by which chunks and texts are compared."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Row

from proband.model import (
    FOREVER,
    Chunk,
    ChunkId,
    Corpus,
    DocumentKey,
    Facets,
    GeoPoint,
    SectionKind,
)
from proband.text.reading import Span


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to be stored under its id, with the digests of its text, its facets and all of it."""

    id: ChunkId
    chunk: Chunk
    text_digest: bytes
    facets_digest: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with all that its point is made of."""

    id: ChunkId
    chunk: Chunk
    text_digest: bytes
    born: int
    died: int


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as it is shown: where it stands and what it says, without facets and `embed_text`."""

    id: ChunkId
    document: str
    kind: SectionKind
    ordinal: int
    part: int
    field: str
    span: Span
    text: str
    parents: tuple[str, ...]
    labels: tuple[str, ...]
    arms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkMark:
    """What tells a stored chunk from another: its place in the document, its lifetime, the digest of all of it."""

    id: ChunkId
    document: str
    kind: SectionKind
    ordinal: int
    part: int
    digest: bytes
    born: int
    died: int


def text_digest(embed_text: str) -> bytes:
    """sha256 of a text that is embedded: equal texts share one vector."""
    return hashlib.sha256(embed_text.encode()).digest()


def facets_digest(facets: Facets) -> bytes:
    """sha256 of the facets' canonical JSON."""
    return hashlib.sha256(json.dumps(facets_body(facets), sort_keys=True).encode()).digest()


def chunk_digest(chunk: Chunk, facets: bytes, recipe: str) -> bytes:
    """sha256 of everything that a chunk's point is made of.

    `facets` is its facets' digest; `recipe` says by what its text becomes vectors, and is the same for all chunks of a
    generation.
    """
    body = (
        recipe,
        str(chunk.document),
        chunk.kind,
        chunk.ordinal,
        chunk.part,
        chunk.field,
        chunk.span.start,
        chunk.span.end,
        chunk.text,
        chunk.embed_text,
        chunk.parents,
        chunk.labels,
        chunk.arms,
        chunk.document_text,
        chunk.exact,
    )
    return hashlib.sha256(json.dumps(body).encode() + facets).digest()


def facets_body(facets: Facets) -> dict[str, Any]:
    """The facets as JSON values; a place is [latitude, longitude]. Of a record row its own are named besides."""
    places = [[place.latitude, place.longitude] for place in facets.sites]
    body = {**asdict(facets), "sites": places}
    # A study has none of them, and its digest stays as it was before there were records.
    return {
        name: value
        for name, value in body.items()
        if name not in _OF_ROWS or value != _OF_ROWS[name]
    }


_OF_ROWS = {
    name: value
    for name, value in asdict(Facets()).items()
    if name in {"patient", "table", "first_day", "last_day", "facility", "sensitivity"}
}


def facets_from(body: dict[str, Any]) -> Facets:
    """What `facets_body` was made from."""
    lists = {name: tuple(value) for name, value in body.items() if isinstance(value, list)}
    places = tuple(GeoPoint(*place) for place in body["sites"])
    return Facets(**{**body, **lists, "sites": places})


def chunk_row(new: NewChunk, corpus: Corpus, born: int) -> dict[str, Any]:
    """The row of a new chunk, alive."""
    chunk = new.chunk
    return {
        "id": new.id,
        "corpus": corpus,
        "document": str(chunk.document),
        "kind": chunk.kind,
        "ordinal": chunk.ordinal,
        "part": chunk.part,
        "field": chunk.field,
        "span_start": chunk.span.start,
        "span_end": chunk.span.end,
        "text": chunk.text,
        "embed_text": chunk.embed_text,
        "parents": chunk.parents,
        "labels": chunk.labels,
        "arms": chunk.arms,
        "document_text": chunk.document_text or None,
        "exact": chunk.exact,
        "facets_digest": new.facets_digest,
        "text_digest": new.text_digest,
        "digest": new.digest,
        "born": born,
        "died": FOREVER,
    }


def chunk_from(row: Row[Any], facets: Facets) -> StoredChunk:
    """The stored chunk of a whole row."""
    chunk = Chunk(
        document=DocumentKey.parse(row.document),
        kind=SectionKind(row.kind),
        ordinal=row.ordinal,
        part=row.part,
        field=row.field,
        span=Span(row.span_start, row.span_end),
        text=row.text,
        embed_text=row.embed_text,
        facets=facets,
        parents=tuple(row.parents),
        labels=tuple(row.labels),
        arms=tuple(row.arms),
        document_text=row.document_text or "",
        exact=tuple(row.exact or ()),
    )
    return StoredChunk(ChunkId(row.id), chunk, row.text_digest, row.born, row.died)


def chunk_text_from(row: Row[Any]) -> ChunkText:
    """The chunk as it is shown."""
    return ChunkText(
        id=ChunkId(row.id),
        document=row.document,
        kind=SectionKind(row.kind),
        ordinal=row.ordinal,
        part=row.part,
        field=row.field,
        span=Span(row.span_start, row.span_end),
        text=row.text,
        parents=tuple(row.parents),
        labels=tuple(row.labels),
        arms=tuple(row.arms),
    )
