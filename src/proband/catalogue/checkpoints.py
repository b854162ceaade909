"""Checkpoints: how far each source of an unfinished import was read."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select

from proband.catalogue.generations import Generation
from proband.catalogue.schema import checkpoint


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a source was read.

    `position` and `digest` are opaque: the catalogue gives back what the reader of the source wrote. `digest` tells
    whether the source is still the same.
    """

    source: str
    position: str
    digest: str | None = None


def save(connection: Connection, built: Generation, reached: Checkpoint) -> None:
    """Remembers how far a source was read."""
    connection.execute(delete(checkpoint).where(_of(built), checkpoint.c.source == reached.source))
    connection.execute(
        insert(checkpoint).values(
            corpus=built.corpus,
            generation=built.number,
            source=reached.source,
            position=reached.position,
            digest=reached.digest,
        )
    )


def saved(connection: Connection, built: Generation) -> dict[str, Checkpoint]:
    """The checkpoints of an unfinished generation by source."""
    rows = connection.execute(
        select(checkpoint.c.source, checkpoint.c.position, checkpoint.c.digest).where(_of(built))
    )
    return {row.source: Checkpoint(*row) for row in rows}


def _of(built: Generation) -> ColumnElement[bool]:
    return and_(checkpoint.c.corpus == built.corpus, checkpoint.c.generation == built.number)
