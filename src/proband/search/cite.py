"""Opening what was found: only what the asker's own view still shows.

Ids and keys travel in links and logs, so having one proves nothing: what is out of scope is as if it did not exist.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from proband.errors import CitationError
from proband.model import (
    AnyOf,
    ChunkId,
    DocumentKey,
    Field,
    Filter,
    Passage,
    Scope,
    View,
)
from proband.ports import Index, Texts

NOT_FOUND = "There is no such passage among what you may see; search for it again."
"""Said of what never was, of what is gone and of what is out of scope: the answer tells them not apart."""


def seen(documents: Collection[DocumentKey], view: View, index: Index) -> frozenset[str]:
    """The keys of those documents of which the view shows anything."""
    wanted = tuple(sorted({str(key) for key in documents}))
    if not wanted:
        return frozenset()
    mine = view.narrowed(Filter((AnyOf(Field.DOCUMENT, wanted),)))
    return frozenset(key for key, _ in index.facets(Field.DOCUMENT, mine, len(wanted)))


def open_citation(
    document: DocumentKey,
    chunk_id: ChunkId,
    scope: Scope,
    generation: int,
    index: Index,
    texts: Texts,
) -> Passage:
    """The cited passage, verbatim, as it is in this generation; its score is 0, since nothing was asked.

    Raises CitationError, always the same one, for what the scope does not let through and for what is not there.
    """
    mine = Filter((AnyOf(Field.DOCUMENT, (str(document),)),))
    view = scope.view(generation, mine)
    if not _is_id(chunk_id) or not _shows(chunk_id, view, index):
        raise CitationError(NOT_FOUND)
    chunk = texts.chunk_texts([chunk_id]).get(chunk_id)
    if chunk is None:
        raise CitationError(NOT_FOUND)
    return Passage(
        chunk_id=chunk_id,
        kind=chunk.kind,
        ordinal=chunk.ordinal,
        part=chunk.part,
        field=chunk.field,
        span=chunk.span,
        text=chunk.text,
        parents=chunk.parents,
        labels=chunk.labels,
        arms=chunk.arms,
        score=0.0,
        found=(),
    )


def _is_id(text: str) -> bool:
    """Whether an index can be asked for it; what people paste need not be an id at all."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _shows(chunk_id: ChunkId, view: View, index: Index) -> bool:
    """Whether a search in this view of one document gives the chunk: the index itself applies every condition."""
    held = index.count(view)
    point = index.fetch([chunk_id]).get(chunk_id) if held else None
    if point is None:
        return False
    return any(hit.chunk_id == chunk_id for hit in index.dense(point.dense, view, held).hits)
