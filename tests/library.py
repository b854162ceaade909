"""A few texts in memory that can be searched: the index, the texts and the fake embedder in one place."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from fakes import HashEmbedder
from proband.adapters.memory import MemoryIndex
from proband.model import (
    Chunk,
    ChunkId,
    DocumentKey,
    Facets,
    Point,
    SectionKind,
    SparseVector,
)
from proband.ports import IndexWriter, Manifest
from proband.search.recall import Reader
from proband.text.analyser import ANALYSER_VERSION, terms
from proband.text.bm25 import CHUNK, DOCUMENT, weights
from proband.text.exact import exact_terms, own_terms
from proband.text.reading import Span

MANIFEST = Manifest("hash", "hash-words", 64, ANALYSER_VERSION, 1)


class Library:
    """Texts by chunk id, and an index of them at generation 1."""

    def __init__(
        self, embedder: HashEmbedder | None = None, index: IndexWriter | None = None
    ) -> None:
        self.embedder = embedder or HashEmbedder(64)
        self.index = index or MemoryIndex(MANIFEST)
        self.chunks: dict[ChunkId, Chunk] = {}

    def chunk_texts(self, ids: Iterable[ChunkId]) -> dict[ChunkId, Chunk]:
        return {chunk_id: self.chunks[chunk_id] for chunk_id in ids if chunk_id in self.chunks}

    def add(
        self,
        name: str,
        text: str,
        kind: SectionKind = SectionKind.INCLUSION_CRITERION,
        facets: Facets | None = None,
        exact: tuple[str, ...] = (),
    ) -> ChunkId:
        """Adds one chunk to the document `name`; its id follows from name and text.

        `exact` are terms beside those of the text and of the document's name, if that is a registry number.
        """
        chunk_id = ChunkId(str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name} {kind} {text}")))
        key = DocumentKey("test", "studies", (name,))
        ordinal = 1 + sum(1 for chunk in self.chunks.values() if chunk.document == key)
        chunk = Chunk(
            document=key,
            kind=kind,
            ordinal=ordinal,
            part=0,
            field="text",
            span=Span(0, len(text)),
            text=text,
            embed_text=text,
            facets=facets or Facets(),
            exact=(*own_terms(key.parts if name.startswith("NCT") else ()), *exact),
        )
        self.chunks[chunk_id] = chunk
        self.index.write([self._point(chunk_id, chunk)])
        return chunk_id

    def _point(self, chunk_id: ChunkId, chunk: Chunk) -> Point:
        return Point(
            id=chunk_id,
            document=str(chunk.document),
            kind=chunk.kind,
            ordinal=chunk.ordinal,
            dense=self.embedder.embed_query(chunk.text),
            sparse=SparseVector(*weights(terms(chunk.text), CHUNK)),
            exact=(*chunk.exact, *exact_terms(chunk.text)),
            facets=chunk.facets,
            born=1,
            document_terms=SparseVector(*weights(terms(chunk.text), DOCUMENT))
            if chunk.kind is SectionKind.TITLE
            else None,
        )

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """What a search reads, with a pool of two."""
        with ThreadPoolExecutor(2) as pool:
            yield Reader(self.index, self.embedder, self, pool)


def key(name: str) -> str:
    """The document key of the library's document `name`."""
    return str(DocumentKey("test", "studies", (name,)))
