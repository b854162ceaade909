"""Bringing the index in step with the catalogue: the outbox of the generation being built, batch by batch.

Every batch has these effects, in this order, and a kill may fall between any two of them:

| what was done                               | what a reader at g sees     | what the next run does                 |
|---------------------------------------------|-----------------------------|----------------------------------------|
| 1 studies and outbox entries committed      | g: rows begin or end at g+1 | drains the entries                     |
| 2 points born at g+1 removed                | g: they were never visible  | reconciles: writes them again          |
| 3 old points given died = g+1               | g: they live at g           | reconciles: gives them their life back |
| 4 new points written, born = g+1            | g: they are not born at g   | reconciles: removes them, drains again |
| 5 index flushed                             | g                           | as 4                                   |
| 6 chunks and vectors committed, entries out | g: rows begin or end at g+1 | drains the entries that are left       |
| 7 (finish) the generation's row updated     | g+1, whole                  | nothing is left to do                  |

Reconciliation runs only when a generation is resumed. Effects 2 to 5 are idempotent, so that after it the same entries
give the same points under the same ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from proband.catalogue.catalogue import Changes
from proband.catalogue.chunk_rows import ChunkMark, NewChunk
from proband.catalogue.generations import Generation
from proband.catalogue.outbox import Action
from proband.ingest.chunker import cut
from proband.ingest.difference import Difference, difference, merged
from proband.ingest.identity import identified, recipe
from proband.ingest.points import Indexer, Vectors, point, vectors_of
from proband.ingest.progress import Progress
from proband.ingest.reconcile import compare, repair
from proband.model import Document

CUT_TOGETHER = 64
"""Documents whose readings are in memory at once: each character of a reading costs about 80 bytes."""

DocumentLoader = Callable[[Sequence[str]], Iterable[Document]]
"""Gives the documents of these keys in the generation being built; one that it cannot give it leaves out."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One batch of the outbox, cut and compared, before its new texts are embedded."""

    documents: tuple[str, ...]
    change: Difference
    skipped: tuple[str, ...]

    @property
    def texts(self) -> dict[bytes, str]:
        """The texts of its points by digest."""
        found = (*self.change.new, *self.change.again)
        return {new.text_digest: new.chunk.embed_text for new in found}


@dataclass(frozen=True, slots=True)
class Indexed:
    """What draining the outbox did. `skipped` are documents that could not be loaded: they have no chunks."""

    documents: int = 0
    new: int = 0
    expired: int = 0
    embedded: int = 0
    skipped: tuple[str, ...] = ()

    def plus(self, draft: Draft, vectors: Vectors) -> Indexed:
        """This and one batch more."""
        return Indexed(
            documents=self.documents + len(draft.documents),
            new=self.new + len(draft.change.new),
            expired=self.expired + len(draft.change.expired),
            embedded=self.embedded + len(vectors.fresh),
            skipped=self.skipped + draft.skipped,
        )


def index_outbox(
    indexer: Indexer, built: Generation, load: DocumentLoader, progress: Progress
) -> Indexed:
    """Drains the outbox of the generation being built. An interrupt leaves a state that a next run goes on from.

    While a batch is embedded, one thread beside it writes the batch before and cuts the batch after.
    """
    if built.resumed:
        repair(indexer, compare(indexer.catalogue, indexer.index, built.corpus))
    with ThreadPoolExecutor(1, "index") as beside:
        try:
            return _drain(indexer, built, load, progress, beside)
        except BaseException:
            beside.shutdown(wait=False, cancel_futures=True)  # only what has begun is finished
            raise


def _drain(
    indexer: Indexer,
    built: Generation,
    load: DocumentLoader,
    progress: Progress,
    beside: ThreadPoolExecutor,
) -> Indexed:
    total = indexer.catalogue.waiting_count(built)
    done, vectors = Indexed(), Vectors({}, {})
    written: Future[None] | None = None
    for draft in _drafts(indexer, built, load, beside):
        # The vectors of the batch before may not be committed yet.
        vectors = vectors_of(draft.texts, indexer, vectors.fresh)
        if written:
            written.result()
        written = beside.submit(_write, indexer, built, draft, vectors)
        done = done.plus(draft, vectors)
        progress.advance("index", done.documents, total)
    if written:
        written.result()
    return done


def _drafts(
    indexer: Indexer, built: Generation, load: DocumentLoader, beside: ThreadPoolExecutor
) -> Iterator[Draft]:
    """The batches in order of document key, each with the next one already begun."""
    coming = beside.submit(_draft, indexer, built, load, "")
    while draft := coming.result():
        coming = beside.submit(_draft, indexer, built, load, draft.documents[-1])
        yield draft


def _draft(indexer: Indexer, built: Generation, load: DocumentLoader, after: str) -> Draft | None:
    """The batch after this document; None when nothing more waits."""
    entries = indexer.catalogue.waiting(built, after, indexer.batch_documents)
    if not entries:
        return None
    keys = tuple(entry.document for entry in entries)
    stored = _by_document(indexer.catalogue.chunk_marks(built.corpus, keys))
    loading = [entry.document for entry in entries if entry.action is Action.INDEX]
    wanted = _wanted(indexer, built, load, loading)
    changes = [difference(wanted.get(key, ()), stored.get(key, ()), built.number) for key in keys]
    skipped = tuple(key for key in loading if key not in wanted)
    return Draft(keys, merged(changes), skipped)


def _wanted(
    indexer: Indexer, built: Generation, load: DocumentLoader, keys: Sequence[str]
) -> dict[str, tuple[NewChunk, ...]]:
    """The chunks that each document has now; a document that cannot be loaded is absent."""
    wanted: dict[str, tuple[NewChunk, ...]] = {}
    made_by = recipe(built.manifest)
    documents = iter(load(keys)) if keys else iter(())
    while together := list(islice(documents, CUT_TOGETHER)):
        cuts = cut(together, indexer.embedder, indexer.overlap_tokens)
        for document, chunks in zip(together, cuts, strict=True):
            wanted[str(document.key)] = identified(chunks, made_by)
    return wanted


def _write(indexer: Indexer, built: Generation, draft: Draft, vectors: Vectors) -> None:
    change = draft.change
    points = [
        point(new.id, new.chunk, vectors.every[new.text_digest], indexer.analysis, built.number)
        for new in (*change.new, *change.again)
    ]
    indexer.index.remove(change.removed)  # before writing: a new chunk may take over a removed id
    indexer.index.expire(change.expired, built.number)
    indexer.index.write(points)
    indexer.index.flush()
    indexer.catalogue.commit(
        built,
        Changes(
            documents=draft.documents,
            new=change.new,
            expired=change.expired,
            removed=change.removed,
            vectors=vectors.fresh,
            model_digest=indexer.embedder.digest,
        ),
    )


def _by_document(marks: Iterable[ChunkMark]) -> dict[str, list[ChunkMark]]:
    groups: defaultdict[str, list[ChunkMark]] = defaultdict(list)
    for mark in marks:
        groups[mark.document].append(mark)
    return groups
