"""The catalogue: the store of record, as one object over a database engine.

Every method is one transaction and raises StoreErrors only. Reading methods take a generation's number and see that
generation whole; writing methods take the Generation that is being built.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine

from proband.catalogue import (
    checkpoints,
    chunks,
    embeddings,
    generations,
    migrate,
    outbox,
    studies,
    syncs,
)
from proband.catalogue import places as cities
from proband.catalogue import vacuum as leftovers
from proband.catalogue.checkpoints import Checkpoint
from proband.catalogue.chunk_rows import ChunkMark, ChunkText, NewChunk, StoredChunk
from proband.catalogue.database import WRITES, open_engine, store_errors
from proband.catalogue.generations import Counts, Generation
from proband.catalogue.outbox import Action, OutboxEntry
from proband.catalogue.places import Place
from proband.catalogue.studies import Stored, StudyCard, StudyMark
from proband.catalogue.syncs import Synced
from proband.catalogue.vacuum import Vacuumed
from proband.errors import CatalogueError, StoreError
from proband.model import ChunkId, Corpus, Float32Vector
from proband.ports import Manifest
from proband.trials.study import Study, study_key


@dataclass(frozen=True, slots=True)
class Changes:
    """What bringing some documents in step changed; committed in one transaction.

    `removed` are chunks that were born in this very generation and were replaced within it; `vectors` are those that
    the catalogue does not have yet, by text digest.
    """

    documents: tuple[str, ...]
    new: tuple[NewChunk, ...]
    expired: tuple[ChunkId, ...]
    removed: tuple[ChunkId, ...]
    vectors: Mapping[bytes, Float32Vector]
    model_digest: str


class Catalogue:
    """Studies, chunks, generations, outbox and embeddings. May be used from several threads; one process writes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writer = engine.execution_options(**WRITES)

    @classmethod
    def create(cls, url: str) -> Catalogue:
        """Makes or upgrades the tables, then opens. Does nothing more when they are current."""
        with _opening(url) as engine:
            migrate.upgrade(engine)
        return cls(engine)

    @classmethod
    def open(cls, url: str) -> Catalogue:
        """Opens an existing catalogue. Raises CatalogueError when it is missing or of another version."""
        with _opening(url) as engine:
            _refuse_missing_file(engine)
            with engine.connect() as connection:
                migrate.check(connection)
        return cls(engine)

    def close(self) -> None:
        """Gives back every connection."""
        self._engine.dispose()

    # --- generations

    def active(self, corpus: Corpus) -> Generation | None:
        """The generation that readers see; None before the first import."""
        with self._reading() as connection:
            return generations.active(connection, corpus)

    def building(self, corpus: Corpus) -> Generation | None:
        """The generation that is being built, or was left unfinished."""
        with self._reading() as connection:
            return generations.building(connection, corpus)

    def readable(self, corpus: Corpus) -> tuple[Generation, ...]:
        """The generations that can still be read whole, newest first."""
        with self._reading() as connection:
            return generations.readable(connection, corpus)

    def begin(self, corpus: Corpus, cause: str, manifest: Manifest) -> Generation:
        """The unfinished generation, one run further, or a new one.

        Raises ManifestMismatch when the unfinished one was begun with another model, analyser or chunker.
        """
        with self._writing() as connection:
            return generations.begin(connection, corpus, cause, manifest)

    def is_unchanged(self, built: Generation) -> bool:
        """Whether nothing was written for this generation: it reads exactly as the one before it."""
        with self._reading() as connection:
            return generations.is_unchanged(connection, built)

    def activate(self, built: Generation, counts: Counts) -> Generation:
        """Makes a built generation the visible one and drops its checkpoints."""
        with self._writing() as connection:
            return generations.activate(connection, built, counts)

    def discard(self, built: Generation) -> None:
        """Forgets a generation for which nothing was written."""
        with self._writing() as connection:
            generations.discard(connection, built)

    def roll_back(self, built: Generation) -> None:
        """Undoes everything that was written for a generation that is being built; other ones are not touched."""
        with self._writing() as connection:
            generations.roll_back(connection, built)

    def counts(self, corpus: Corpus, number: int) -> Counts:
        """What lives in this generation: documents with chunks, and chunks."""
        with self._reading() as connection:
            return chunks.count(connection, corpus, number)

    # --- studies

    def store_studies(
        self,
        built: Generation,
        batch: Iterable[Study],
        reached: Checkpoint | None = None,
        *,
        keep_newer: bool = False,
    ) -> Stored:
        """Writes new and changed studies, their outbox entries and the checkpoint; see `studies.store`."""
        with self._writing() as connection:
            stored = studies.store(connection, built, batch, keep_newer=keep_newer)
            keys = _keys((*stored.new, *stored.changed))
            outbox.put(connection, built, keys, Action.INDEX)
            if reached:
                checkpoints.save(connection, built, reached)
            return stored

    def remove_studies(self, built: Generation, nct_ids: Iterable[str]) -> tuple[str, ...]:
        """Ends studies that the registry no longer has; the ids of those that lived."""
        with self._writing() as connection:
            ended = studies.end(connection, built, nct_ids)
            outbox.put(connection, built, _keys(ended), Action.REMOVE)
            return ended

    def enqueue_studies(self, built: Generation) -> int:
        """Enters every live study in the outbox, as a new chunker needs it; how many."""
        with self._writing() as connection:
            keys = _keys(mark.nct_id for mark in studies.marks(connection, built.number))
            outbox.put(connection, built, keys, Action.INDEX)
            return len(keys)

    def studies(self, nct_ids: Iterable[str], number: int) -> dict[str, StudyCard]:
        """The studies of this generation by NCT id, as a result shows them; unknown ids are absent."""
        with self._reading() as connection:
            return studies.cards(connection, nct_ids, number)

    def raw_studies(self, nct_ids: Iterable[str], number: int) -> dict[str, Mapping[str, Any]]:
        """The records of this generation as fetched, by NCT id; unknown ids are absent."""
        with self._reading() as connection:
            return dict(studies.raw_records(connection, nct_ids, number))

    def study_marks(self, number: int) -> tuple[StudyMark, ...]:
        """Id, last update and digest of every study of this generation, in order of NCT id."""
        with self._reading() as connection:
            return studies.marks(connection, number)

    def study_count(self, number: int) -> int:
        """How many studies live in this generation."""
        with self._reading() as connection:
            return studies.count(connection, number)

    def current_ids(self, ids: Iterable[str], number: int) -> dict[str, str]:
        """For each id that is an old one (an alias) of a study in this generation, the id it has now."""
        with self._reading() as connection:
            return studies.current_ids(connection, ids, number)

    def places(self, text: str, number: int) -> tuple[Place, ...]:
        """The cities with sites in this generation that `text` names, most sites first."""
        with self._reading() as connection:
            return cities.places(connection, text, number)

    def unplaced_sites(self, text: str, number: int) -> int:
        """How many sites of this generation are in the city that `text` names and have no coordinates."""
        with self._reading() as connection:
            return cities.unplaced(connection, text, number)

    def checkpoints(self, built: Generation) -> dict[str, Checkpoint]:
        """How far each source of this unfinished generation was read, by source."""
        with self._reading() as connection:
            return checkpoints.saved(connection, built)

    def reach(self, built: Generation, reached: Checkpoint) -> None:
        """Remembers how far a source was read, when nothing is stored with it."""
        with self._writing() as connection:
            checkpoints.save(connection, built, reached)

    # --- the registry

    def last_sync(self, query: str) -> Synced | None:
        """The last complete sync of this query."""
        with self._reading() as connection:
            return syncs.last(connection, query)

    def record_sync(self, synced: Synced) -> None:
        """Remembers that a query was asked in full."""
        with self._writing() as connection:
            syncs.record(connection, synced)

    def deliver(self, nct_ids: Iterable[str]) -> None:
        """Remembers that the registry delivered these studies."""
        with self._writing() as connection:
            syncs.deliver(connection, nct_ids)

    def delivered(self, number: int) -> tuple[str, ...]:
        """The studies of this generation that the registry once delivered, in order of NCT id."""
        with self._reading() as connection:
            return syncs.delivered(connection, number)

    # --- chunks

    def chunk_texts(self, ids: Iterable[ChunkId]) -> dict[ChunkId, ChunkText]:
        """The chunks as they are shown, of any generation; unknown ids are absent."""
        with self._reading() as connection:
            return chunks.texts(connection, ids)

    def chunks(self, ids: Iterable[ChunkId]) -> dict[ChunkId, StoredChunk]:
        """The chunks with all that their points are made of; unknown ids are absent."""
        with self._reading() as connection:
            return chunks.whole(connection, ids)

    def chunk_marks(self, corpus: Corpus, documents: Iterable[str]) -> list[ChunkMark]:
        """Every stored chunk of these documents, dead ones too, in no order."""
        with self._reading() as connection:
            return list(chunks.marks(connection, corpus, documents))

    def lifetimes(self, corpus: Corpus) -> dict[ChunkId, tuple[int, int]]:
        """(born, died) of every stored chunk."""
        with self._reading() as connection:
            return chunks.lifetimes(connection, corpus)

    def vectors(self, digests: Iterable[bytes], model_digest: str) -> dict[bytes, Float32Vector]:
        """The stored vectors of texts by their digest; unknown texts are absent."""
        with self._reading() as connection:
            return embeddings.known(connection, digests, model_digest)

    def keep_vectors(self, vectors: Mapping[bytes, Float32Vector], model_digest: str) -> None:
        """Stores vectors of texts that are not known yet."""
        with self._writing() as connection:
            embeddings.keep(connection, vectors, model_digest)

    # --- outbox

    def waiting(self, built: Generation, after: str, limit: int) -> tuple[OutboxEntry, ...]:
        """The next outbox entries after this document (at first ""), in order of document key."""
        with self._reading() as connection:
            return outbox.waiting(connection, built, after, limit)

    def waiting_count(self, built: Generation) -> int:
        """How many documents wait for the indexer."""
        with self._reading() as connection:
            return outbox.count(connection, built)

    def commit(self, built: Generation, changes: Changes) -> None:
        """Stores what bringing documents in step changed, and takes their entries out of the outbox."""
        with self._writing() as connection:
            chunks.remove(connection, changes.removed)
            chunks.expire(connection, changes.expired, built.number)
            chunks.insert_new(connection, built.corpus, built.number, changes.new)
            embeddings.keep(connection, changes.vectors, changes.model_digest)
            outbox.drop(connection, built, changes.documents)

    # --- vacuum

    def retire_beyond(self, corpus: Corpus, keep: int) -> tuple[int, ...]:
        """Makes all but the `keep` newest readable generations unreadable; the numbers that stay, newest first."""
        with self._writing() as connection:
            return generations.retire_beyond(connection, corpus, keep)

    def invisible_chunks(self, corpus: Corpus, numbers: Sequence[int]) -> tuple[ChunkId, ...]:
        """The chunks that none of these generations sees, in order of id."""
        with self._reading() as connection:
            return leftovers.invisible_chunks(connection, corpus, numbers)

    def remove_invisible(self, corpus: Corpus, numbers: Sequence[int]) -> Vacuumed:
        """Removes what none of these generations sees, and vectors that no chunk uses."""
        with self._writing() as connection:
            return leftovers.remove_invisible(connection, corpus, numbers)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with store_errors(self._engine.url), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with store_errors(self._engine.url), self._writer.begin() as connection:
            yield connection


@contextmanager
def _opening(url: str) -> Iterator[Engine]:
    """An engine that is given back when opening fails."""
    engine = open_engine(url)
    try:
        with store_errors(engine.url):
            yield engine
    except StoreError:
        engine.dispose()
        raise


def _keys(nct_ids: Iterable[str]) -> list[str]:
    return [str(study_key(nct_id)) for nct_id in nct_ids]


def _refuse_missing_file(engine: Engine) -> None:
    """SQLite would make an empty file where there is none."""
    file = engine.url.database
    if engine.dialect.name == "sqlite" and file and not Path(file).is_file():
        raise CatalogueError(f"There is no catalogue at {file}; run `proband init`.")


if TYPE_CHECKING:
    from proband.ports import Texts

    _: Texts = Catalogue(open_engine(""))
