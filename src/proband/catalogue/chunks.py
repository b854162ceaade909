"""Chunks: what is shown and cited, and what the index is rebuilt from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, select, update

from proband.catalogue.chunk_rows import (
    ChunkMark,
    ChunkText,
    NewChunk,
    StoredChunk,
    chunk_from,
    chunk_row,
    chunk_text_from,
    facets_body,
    facets_from,
)
from proband.catalogue.database import in_lists
from proband.catalogue.generations import Counts
from proband.catalogue.schema import chunk, facets
from proband.model import ChunkId, Corpus, Facets, SectionKind

# Made once: to build this statement took longer than to run it for sixty ids.
_SHOWN: Select[Any] = select(
    *(chunk.c[name] for name in ChunkText.__dataclass_fields__ if name != "span"),
    chunk.c.span_start,
    chunk.c.span_end,
).where(chunk.c.id.in_(bindparam("ids", expanding=True)))
_MARK: Select[Any] = select(*(chunk.c[name] for name in ChunkMark.__dataclass_fields__))


def texts(connection: Connection, ids: Iterable[ChunkId]) -> dict[ChunkId, ChunkText]:
    """The chunks as they are shown, of any generation; unknown ids are absent."""
    found: dict[ChunkId, ChunkText] = {}
    for some in in_lists(ids):
        rows = connection.execute(_SHOWN, {"ids": some}).all()
        found |= {ChunkId(row.id): chunk_text_from(row) for row in rows}
    return found


def whole(connection: Connection, ids: Iterable[ChunkId]) -> dict[ChunkId, StoredChunk]:
    """The chunks with all that their points are made of; unknown ids are absent."""
    found: dict[ChunkId, StoredChunk] = {}
    for some in in_lists(ids):
        rows = connection.execute(select(chunk).where(chunk.c.id.in_(some))).all()
        known = _facets(connection, {row.facets_digest for row in rows})
        found |= {ChunkId(row.id): chunk_from(row, known[row.facets_digest]) for row in rows}
    return found


def marks(connection: Connection, corpus: Corpus, documents: Iterable[str]) -> Iterator[ChunkMark]:
    """Every stored chunk of these documents, dead ones too, in no order."""
    for some in in_lists(documents):
        rows = connection.execute(_MARK.where(chunk.c.corpus == corpus, chunk.c.document.in_(some)))
        for row in rows:
            mark = row._asdict()
            yield ChunkMark(**{**mark, "kind": SectionKind(row.kind)})


def lifetimes(connection: Connection, corpus: Corpus) -> dict[ChunkId, tuple[int, int]]:
    """(born, died) of every stored chunk."""
    rows = connection.execute(
        select(chunk.c.id, chunk.c.born, chunk.c.died).where(chunk.c.corpus == corpus)
    )
    return {ChunkId(found): (born, died) for found, born, died in rows}


def count(connection: Connection, corpus: Corpus, number: int) -> Counts:
    """How many chunks live in this generation, and of how many documents."""
    counted = select(func.count(chunk.c.document.distinct()), func.count()).where(
        chunk.c.corpus == corpus, chunk.c.born <= number, chunk.c.died > number
    )
    documents, chunks = connection.execute(counted).one()
    return Counts(documents, chunks)


def insert_new(connection: Connection, corpus: Corpus, born: int, new: Sequence[NewChunk]) -> None:
    """Stores the chunks, and their facets where they are not known yet."""
    if not new:
        return
    wanted = {found.facets_digest: found.chunk.facets for found in new}
    for digests in in_lists(wanted):
        known = _facets(connection, digests)
        absent = [digest for digest in digests if digest not in known]
        if absent:
            rows = [{"digest": digest, "body": facets_body(wanted[digest])} for digest in absent]
            connection.execute(insert(facets), rows)
    connection.execute(insert(chunk), [chunk_row(found, corpus, born) for found in new])


def expire(connection: Connection, ids: Iterable[ChunkId], number: int) -> None:
    """Ends the lives of these chunks: readers from this generation on no longer see them."""
    for some in in_lists(ids):
        connection.execute(update(chunk).where(chunk.c.id.in_(some)).values(died=number))


def remove(connection: Connection, ids: Iterable[ChunkId]) -> None:
    """Removes chunks for good."""
    for some in in_lists(ids):
        connection.execute(delete(chunk).where(chunk.c.id.in_(some)))


def _facets(connection: Connection, digests: Iterable[bytes]) -> dict[bytes, Facets]:
    found: dict[bytes, Facets] = {}
    for some in in_lists(digests):
        rows = connection.execute(
            select(facets.c.digest, facets.c.body).where(facets.c.digest.in_(some))
        )
        found |= {row.digest: facets_from(row.body) for row in rows}
    return found
