"""The outbox: documents whose chunks have to be brought in step, entered in the transaction that changed them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select

from proband.catalogue.database import in_lists
from proband.catalogue.generations import Generation
from proband.catalogue.schema import outbox


class Action(StrEnum):
    """What the indexer has to do for a document."""

    INDEX = "index"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """One document that waits for the indexer."""

    document: str
    action: Action


def put(
    connection: Connection, built: Generation, documents: Iterable[str], action: Action
) -> None:
    """Enters the documents; an earlier entry of the same document is replaced."""
    for some in in_lists(documents):
        drop(connection, built, some)
        connection.execute(
            insert(outbox),
            [
                {
                    "corpus": built.corpus,
                    "generation": built.number,
                    "document": document,
                    "action": action,
                }
                for document in some
            ],
        )


def drop(connection: Connection, built: Generation, documents: Iterable[str]) -> None:
    """Removes the entries of documents that were brought in step."""
    for some in in_lists(documents):
        connection.execute(delete(outbox).where(_of(built), outbox.c.document.in_(some)))


def waiting(
    connection: Connection, built: Generation, after: str, limit: int
) -> tuple[OutboxEntry, ...]:
    """The next entries after this document, in order of document key."""
    rows = connection.execute(
        select(outbox.c.document, outbox.c.action)
        .where(_of(built), outbox.c.document > after)
        .order_by(outbox.c.document)
        .limit(limit)
    )
    return tuple(OutboxEntry(row.document, Action(row.action)) for row in rows)


def count(connection: Connection, built: Generation) -> int:
    """How many documents wait."""
    counted = select(func.count()).select_from(outbox).where(_of(built))
    return connection.execute(counted).scalar_one()


def _of(built: Generation) -> ColumnElement[bool]:
    return and_(outbox.c.corpus == built.corpus, outbox.c.generation == built.number)
