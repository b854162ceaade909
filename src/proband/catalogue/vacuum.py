"""What no readable generation sees, and taking it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Table, delete, not_, or_, select, true

from proband.catalogue.schema import (
    chunk,
    condition,
    embedding,
    facets,
    intervention,
    study,
    study_condition,
    study_intervention,
)
from proband.model import ChunkId, Corpus


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """How many rows went."""

    studies: int
    chunks: int
    embeddings: int


def invisible_chunks(
    connection: Connection, corpus: Corpus, numbers: Sequence[int]
) -> tuple[ChunkId, ...]:
    """The chunks of the corpus that none of these generations sees, in order of id."""
    found = select(chunk.c.id).where(chunk.c.corpus == corpus, _unseen(chunk, numbers))
    return tuple(ChunkId(id_) for id_ in connection.scalars(found.order_by(chunk.c.id)))


def remove_invisible(connection: Connection, corpus: Corpus, numbers: Sequence[int]) -> Vacuumed:
    """Removes the rows that none of these generations sees, then names, facets and vectors that nothing uses."""
    chunks = connection.execute(
        delete(chunk).where(chunk.c.corpus == corpus, _unseen(chunk, numbers))
    ).rowcount
    studies = 0
    if corpus is Corpus.TRIALS:
        studies = connection.execute(delete(study).where(_unseen(study, numbers))).rowcount
    for table, used in (
        (condition.c.id, study_condition.c.condition_id),
        (intervention.c.id, study_intervention.c.intervention_id),
        (facets.c.digest, chunk.c.facets_digest),
    ):
        connection.execute(delete(table.table).where(table.not_in(select(used))))
    embeddings = connection.execute(
        delete(embedding).where(embedding.c.text_digest.not_in(select(chunk.c.text_digest)))
    ).rowcount
    return Vacuumed(studies, chunks, embeddings)


def _unseen(table: Table, numbers: Sequence[int]) -> ColumnElement[bool]:
    seen = [(table.c.born <= number) & (table.c.died > number) for number in numbers]
    return not_(or_(*seen)) if seen else true()
