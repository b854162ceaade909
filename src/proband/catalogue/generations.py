"""Generations: the visible states of a corpus, and the one that is being built."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    delete,
    func,
    insert,
    select,
    true,
    update,
)

from proband.catalogue.schema import checkpoint, chunk, generation, outbox, study
from proband.errors import CatalogueError, ManifestMismatch
from proband.model import FOREVER, Corpus
from proband.ports import Manifest


class GenerationState(StrEnum):
    """Where a generation is in its life."""

    BUILDING = "building"
    """An import writes it; no reader sees it."""
    ACTIVE = "active"
    """The one that readers see."""
    RETIRED = "retired"
    """Superseded, still whole."""
    ROLLED_BACK = "rolled_back"
    """Given up before it was ever visible."""
    VACUUMED = "vacuumed"
    """Superseded, and what only it could see is removed."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What lives in a generation."""

    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Generation:
    """One state of a corpus. `runs` counts how often it was begun: more than once means that it was resumed.

    `manifest` is what it was built with; `counts` and `activated_at` are None until it is activated.
    """

    corpus: Corpus
    number: int
    state: GenerationState
    cause: str
    runs: int
    manifest: Manifest
    created_at: datetime
    activated_at: datetime | None
    counts: Counts | None

    @property
    def resumed(self) -> bool:
        """Whether an earlier run left it unfinished: the index may then hold what the catalogue does not know."""
        return self.runs > 1


def active(connection: Connection, corpus: Corpus) -> Generation | None:
    """The generation that readers see; None before the first import."""
    return _only(connection, corpus, GenerationState.ACTIVE)


def building(connection: Connection, corpus: Corpus) -> Generation | None:
    """The generation that is being built, or was left unfinished."""
    return _only(connection, corpus, GenerationState.BUILDING)


def readable(connection: Connection, corpus: Corpus) -> tuple[Generation, ...]:
    """The generations that can still be read whole, newest first."""
    states = (GenerationState.ACTIVE, GenerationState.RETIRED)
    return tuple(
        _generation(row)
        for row in connection.execute(
            select(generation)
            .where(generation.c.corpus == corpus, generation.c.state.in_(states))
            .order_by(generation.c.number.desc())
        )
    )


def begin(connection: Connection, corpus: Corpus, cause: str, manifest: Manifest) -> Generation:
    """The generation being built, one run further, or a new one.

    Raises ManifestMismatch when the unfinished one was begun with another model, analyser or chunker.
    """
    found = building(connection, corpus)
    if found is None:
        return _new(connection, corpus, cause, manifest)
    if found.manifest != manifest:
        raise ManifestMismatch(
            f"Generation {found.number} was begun with model {found.manifest.model} and other "
            f"settings than these ({manifest.model}); finish it with its own settings, "
            "or give it up with `proband reconcile --roll-back`."
        )
    connection.execute(
        update(generation).where(*_is(found)).values(runs=generation.c.runs + 1, cause=cause)
    )
    return _read(connection, corpus, found.number)


def activate(connection: Connection, built: Generation, counts: Counts) -> Generation:
    """Makes a built generation the visible one. Raises CatalogueError when it is not being built."""
    connection.execute(
        update(generation)
        .where(generation.c.corpus == built.corpus)
        .where(generation.c.state == GenerationState.ACTIVE)
        .values(state=GenerationState.RETIRED)
    )
    _leave_building(
        connection,
        built,
        GenerationState.ACTIVE,
        activated_at=_now(),
        documents=counts.documents,
        chunks=counts.chunks,
    )
    return _read(connection, built.corpus, built.number)


def roll_back(connection: Connection, built: Generation) -> None:
    """Undoes everything that was written for a generation that is being built."""
    number = built.number
    mine = chunk.c.corpus == built.corpus
    connection.execute(delete(chunk).where(mine, chunk.c.born == number))
    connection.execute(update(chunk).where(mine, chunk.c.died == number).values(died=FOREVER))
    if built.corpus is Corpus.TRIALS:
        connection.execute(delete(study).where(study.c.born == number))
        connection.execute(update(study).where(study.c.died == number).values(died=FOREVER))
    _leave_building(connection, built, GenerationState.ROLLED_BACK)


def is_unchanged(connection: Connection, built: Generation) -> bool:
    """Whether nothing was written for this generation: it reads exactly as the one before it."""
    tables = (chunk, study) if built.corpus is Corpus.TRIALS else (chunk,)
    touched = (
        select(table.c.born)
        .where((table.c.born == built.number) | (table.c.died == built.number))
        .where(chunk.c.corpus == built.corpus if table is chunk else true())
        .limit(1)
        for table in tables
    )
    return not any(connection.execute(statement).first() for statement in touched)


def discard(connection: Connection, built: Generation) -> None:
    """Forgets a generation for which nothing was written; its number is free again."""
    connection.execute(
        delete(generation).where(*_is(built), generation.c.state == GenerationState.BUILDING)
    )
    _forget_run(connection, built)


def retire_beyond(connection: Connection, corpus: Corpus, keep: int) -> tuple[int, ...]:
    """Marks all but the `keep` newest readable generations as vacuumed; the numbers that stay, newest first."""
    numbers = [found.number for found in readable(connection, corpus)]
    connection.execute(
        update(generation)
        .where(generation.c.corpus == corpus, generation.c.number.in_(numbers[keep:]))
        .values(state=GenerationState.VACUUMED)
    )
    return tuple(numbers[:keep])


def _new(connection: Connection, corpus: Corpus, cause: str, manifest: Manifest) -> Generation:
    newest = connection.execute(
        select(func.max(generation.c.number)).where(generation.c.corpus == corpus)
    ).scalar()
    number = (newest or 0) + 1
    connection.execute(
        insert(generation).values(
            corpus=corpus,
            number=number,
            state=GenerationState.BUILDING,
            cause=cause,
            runs=1,
            created_at=_now(),
            model=manifest.model,
            model_digest=manifest.model_digest,
            dimensions=manifest.dimensions,
            analyser_version=manifest.analyser_version,
            chunker_version=manifest.chunker_version,
        )
    )
    return _read(connection, corpus, number)


def _leave_building(
    connection: Connection,
    built: Generation,
    state: GenerationState,
    *,
    activated_at: datetime | None = None,
    documents: int | None = None,
    chunks: int | None = None,
) -> None:
    left = connection.execute(
        update(generation)
        .where(*_is(built), generation.c.state == GenerationState.BUILDING)
        .values(state=state, activated_at=activated_at, documents=documents, chunks=chunks)
    )
    if left.rowcount != 1:
        raise CatalogueError(
            f"Generation {built.number} of {built.corpus} is not being built any more; "
            "another process finished it or gave it up."
        )
    _forget_run(connection, built)


def _forget_run(connection: Connection, built: Generation) -> None:
    for table in (outbox, checkpoint):
        connection.execute(
            delete(table).where(table.c.corpus == built.corpus, table.c.generation == built.number)
        )


def _is(found: Generation) -> tuple[ColumnElement[bool], ...]:
    return generation.c.corpus == found.corpus, generation.c.number == found.number


def _only(connection: Connection, corpus: Corpus, state: GenerationState) -> Generation | None:
    row = connection.execute(
        select(generation).where(generation.c.corpus == corpus, generation.c.state == state)
    ).one_or_none()
    return _generation(row) if row else None


def _read(connection: Connection, corpus: Corpus, number: int) -> Generation:
    return _generation(
        connection.execute(
            select(generation).where(generation.c.corpus == corpus, generation.c.number == number)
        ).one()
    )


def _generation(row: Row[Any]) -> Generation:
    manifest = Manifest(
        row.model, row.model_digest, row.dimensions, row.analyser_version, row.chunker_version
    )
    return Generation(
        corpus=Corpus(row.corpus),
        number=row.number,
        state=GenerationState(row.state),
        cause=row.cause,
        runs=row.runs,
        manifest=manifest,
        created_at=row.created_at.replace(tzinfo=UTC),
        activated_at=row.activated_at and row.activated_at.replace(tzinfo=UTC),
        counts=None if row.chunks is None else Counts(row.documents, row.chunks),
    )


def _now() -> datetime:
    """Now in UTC without a zone: what a portable DateTime column keeps."""
    return datetime.now(UTC).replace(tzinfo=None)
