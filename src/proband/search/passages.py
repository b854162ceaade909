"""From ranked documents to what is shown: texts with their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.model import (
    Candidate,
    ChunkId,
    DocumentHit,
    DocumentKey,
    Grouped,
    Passage,
    Scale,
)
from proband.ports import ShownChunk, Texts

Shown = tuple[tuple[DocumentHit, ...], tuple[str, ...]]
"""The documents that can be shown, and the keys of those whose texts are gone."""


def passages(groups: Sequence[Grouped], wanted: int, each: int, texts: Texts) -> Shown:
    """The first `wanted` documents that have texts, each with its `each` best passages.

    A document without texts is named and the next one takes its place.
    """
    hits: list[DocumentHit] = []
    missing: list[str] = []
    place = 0
    while len(hits) < wanted and place < len(groups):
        some = groups[place : place + wanted - len(hits)]
        place += len(some)
        for group, hit in zip(some, _hits(some, each, texts), strict=True):
            if hit.passages:
                hits.append(hit)
            else:
                missing.append(group.document)
    return tuple(hits), tuple(missing)


def _hits(groups: Sequence[Grouped], each: int, texts: Texts) -> list[DocumentHit]:
    ids = [candidate.chunk_id for group in groups for candidate in group.candidates[:each]]
    shown = texts.chunk_texts(ids)
    return [_hit(group, each, shown) for group in groups]


def _hit(group: Grouped, each: int, shown: Mapping[ChunkId, ShownChunk]) -> DocumentHit:
    found = tuple(
        _passage(candidate, shown[candidate.chunk_id])
        for candidate in group.candidates[:each]
        if candidate.chunk_id in shown
    )
    return DocumentHit(
        DocumentKey.parse(group.document), group.score, Scale.RRF, found, group.found
    )


def _passage(candidate: Candidate, chunk: ShownChunk) -> Passage:
    return Passage(
        chunk_id=candidate.chunk_id,
        kind=chunk.kind,
        ordinal=chunk.ordinal,
        part=chunk.part,
        field=chunk.field,
        span=chunk.span,
        text=chunk.text,
        parents=chunk.parents,
        labels=chunk.labels,
        arms=chunk.arms,
        score=candidate.score,
        found=candidate.found,
    )
