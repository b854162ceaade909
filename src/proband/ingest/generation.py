"""The end of an import: the built generation becomes visible, or is given up."""

from __future__ import annotations

from collections.abc import Callable

from proband.catalogue.catalogue import Catalogue
from proband.catalogue.generations import Generation
from proband.errors import GenerationIncomplete
from proband.ingest.pipeline import DocumentLoader, Indexed, index_outbox
from proband.ingest.points import Indexer
from proband.ingest.progress import Progress
from proband.ingest.reconcile import compare, repair
from proband.ingest.vacuum import vacuum
from proband.model import FOREVER, Corpus, Filter, View
from proband.ports import IndexWriter, Manifest


def index_and_finish(
    indexer: Indexer, built: Generation, load: DocumentLoader, progress: Progress
) -> tuple[Indexed, Generation]:
    """Drains the outbox and makes the generation visible; what was done, and what readers see from now on.

    Raises GenerationIncomplete as `finish` does.
    """
    indexed = index_outbox(indexer, built, load, progress)
    visible = finish(indexer.catalogue, indexer.index, built)
    if indexer.index.manifest() != visible.manifest:
        indexer.index.describe(visible.manifest)
    if indexed.new:
        indexer.index.optimize()
    return indexed, visible


def rebuild(
    indexer: Indexer,
    corpus: Corpus,
    manifest: Manifest,
    enqueue: Callable[[Generation], int],
    loader: Callable[[int], DocumentLoader],
    progress: Progress,
) -> tuple[Indexed, Generation]:
    """Makes every document's chunks anew as a new generation; vectors of unchanged texts are reused.

    An index that was emptied for it gets this generation alone: what was unfinished is given up, and older
    generations cannot be read any more.
    """
    catalogue, index = indexer.catalogue, indexer.index
    anew = is_emptied(catalogue, index, corpus)
    unfinished = catalogue.building(corpus)
    if anew and unfinished:
        roll_back(catalogue, index, unfinished)
    built = catalogue.begin(corpus, "rebuild", manifest)
    enqueue(built)
    done = index_and_finish(indexer, built, loader(built.number), progress)
    if anew:
        vacuum(catalogue, index, corpus, keep=1)
        # Nothing was new to the catalogue if only the index was lost.
        repair(indexer, compare(catalogue, index, corpus))
    return done


def is_emptied(catalogue: Catalogue, index: IndexWriter, corpus: Corpus) -> bool:
    """Whether the index holds nothing of a visible generation that has chunks."""
    active = catalogue.active(corpus)
    return bool(
        active
        and active.counts
        and active.counts.chunks
        and not index.count(View(active.number, Filter()))
    )


def finish(catalogue: Catalogue, index: IndexWriter, built: Generation) -> Generation:
    """The generation that readers see from now on: `built`, or the active one when `built` changed nothing.

    Raises GenerationIncomplete, and activates nothing, when documents still wait for the index or when catalogue and
    index do not hold the same number of chunks.
    """
    waiting = catalogue.waiting_count(built)
    if waiting:
        raise GenerationIncomplete(
            f"{waiting} documents of generation {built.number} still wait for the index; "
            "run `proband index` to go on."
        )
    active = catalogue.active(built.corpus)
    if active and active.manifest == built.manifest and catalogue.is_unchanged(built):
        catalogue.discard(built)
        return active
    index.flush()
    counts = catalogue.counts(built.corpus, built.number)
    held = index.count(View(built.number, Filter()))
    if held != counts.chunks:
        raise GenerationIncomplete(
            f"Generation {built.number} has {counts.chunks} chunks in the catalogue and {held} in "
            "the index, so it was not made visible; run `proband reconcile`, then `proband index`."
        )
    return catalogue.activate(built, counts)


def roll_back(catalogue: Catalogue, index: IndexWriter, built: Generation) -> None:
    """Gives up a generation that is being built; what readers see is not touched.

    The index goes first and is asked what it holds: a killed run may have written what the catalogue does not know.
    """
    held = index.ids()
    index.remove([found for found, (born, _) in held.items() if born == built.number])
    revived = [
        found
        for found, (born, died) in held.items()
        if died == built.number and born != built.number
    ]
    index.expire(revived, FOREVER)
    index.flush()
    catalogue.roll_back(built)
