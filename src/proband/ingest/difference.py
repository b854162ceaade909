"""What has to change so that the stored chunks of a document are the wanted ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from proband.catalogue.chunk_rows import ChunkMark, NewChunk
from proband.ingest.identity import chunk_id
from proband.model import ChunkId, SectionKind

Place = tuple[SectionKind, int, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """The change of one or several documents.

    Args:
        new: chunks to store, under ids that no older generation reads.
        again: stored chunks that were born in this generation: a run that was killed may have left their points as
            they were before a later change.
        expired: chunks that older generations still read.
        removed: chunks that no generation will ever read.
    """

    new: tuple[NewChunk, ...] = ()
    again: tuple[NewChunk, ...] = ()
    expired: tuple[ChunkId, ...] = ()
    removed: tuple[ChunkId, ...] = ()


def difference(
    wanted: Sequence[NewChunk], stored: Iterable[ChunkMark], generation: int
) -> Difference:
    """From the stored chunks of a document (dead ones too) to the wanted ones, in this generation.

    Raises ValueError when two wanted chunks stand in the same place.
    """
    marks = list(stored)
    live = {_place_of(mark): mark for mark in marks if mark.died > generation}
    places = {_place(found): found for found in wanted}
    if len(places) < len(wanted):
        raise ValueError(f"{wanted[0].chunk.document} has two sections of one kind and ordinal")
    kept = {
        place: mark
        for place, mark in live.items()
        if place in places and places[place].digest == mark.digest
    }
    leaving = [mark for place, mark in live.items() if place not in kept]
    removed = tuple(mark.id for mark in leaving if mark.born == generation)
    taken = {mark.id for mark in marks}.difference(removed)
    return Difference(
        new=tuple(
            _fresh(found, taken, generation) for place, found in places.items() if place not in kept
        ),
        again=tuple(
            replace(places[place], id=mark.id)
            for place, mark in kept.items()
            if mark.born == generation
        ),
        expired=tuple(mark.id for mark in leaving if mark.born < generation),
        removed=removed,
    )


def merged(differences: Iterable[Difference]) -> Difference:
    """The change of all these documents."""
    every = list(differences)
    return Difference(
        new=tuple(found for one in every for found in one.new),
        again=tuple(found for one in every for found in one.again),
        expired=tuple(found for one in every for found in one.expired),
        removed=tuple(found for one in every for found in one.removed),
    )


def _fresh(found: NewChunk, taken: set[ChunkId], generation: int) -> NewChunk:
    if found.id not in taken:
        return found
    return replace(found, id=chunk_id(found.chunk, found.text_digest, generation))


def _place(found: NewChunk) -> Place:
    return found.chunk.kind, found.chunk.ordinal, found.chunk.part


def _place_of(mark: ChunkMark) -> Place:
    return mark.kind, mark.ordinal, mark.part
