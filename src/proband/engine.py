"""What proband does with studies: import, index, search, upkeep; functions over ports and catalogue.

Nothing here knows a concrete index, model or source: `wiring` puts those in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from itertools import islice

from proband.catalogue.catalogue import Catalogue
from proband.catalogue.checkpoints import Checkpoint
from proband.catalogue.generations import Generation
from proband.catalogue.places import one_place
from proband.catalogue.studies import StudyCard
from proband.catalogue.syncs import Synced
from proband.catalogue.vacuum import Vacuumed
from proband.certificates import Gates
from proband.errors import (
    SourceError,
    UsageError,
)
from proband.ingest.generation import index_and_finish, is_emptied, rebuild, roll_back
from proband.ingest.pipeline import Indexed
from proband.ingest.points import Indexer
from proband.ingest.progress import Progress
from proband.ingest.reading import WHOLE, require_read
from proband.ingest.reconcile import Reconciliation, compare
from proband.ingest.reconcile import repair as bring_in_step
from proband.ingest.vacuum import vacuum
from proband.manifests import manifest_of
from proband.model import (
    ChunkId,
    Corpus,
    DocumentKey,
    GeoPoint,
    Question,
    Scope,
    SearchResult,
)
from proband.ports import Manifest, PairScorer, TokenEmbedder
from proband.search.expand import Context, contexts
from proband.search.pipeline import OPEN, Ranked, rank, search
from proband.search.recall import Reader
from proband.settings import Settings
from proband.trials.fetched import Fetched, Place, Rejected
from proband.trials.filters import narrative_filter
from proband.trials.registry import parse_study
from proband.trials.sections import StudySections
from proband.trials.study import Study
from proband.trials.sync import Registry, Removed, StudyQuery, day_of

TRIALS = Corpus.TRIALS

Read = Callable[[Place | None], Iterable[Fetched | Rejected]]
"""Reads a source from where an interrupted run had come to (None: from its start)."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. `rejected` could not be read: each says where and why."""

    generation: int
    new: int
    changed: int
    unchanged: int
    removed: int
    repeated: int
    rejected: tuple[Rejected, ...]
    indexed: Indexed
    resumed: bool


@dataclass(slots=True)
class _Tally:
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    repeated: int = 0
    read: int = 0
    rejected: list[Rejected] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Engine:
    """One home's catalogue, index and model, for the trials corpus.

    Not for two writers at a time: the index belongs to one process.
    """

    settings: Settings
    model: str
    indexer: Indexer
    pool: Executor
    tokens: TokenEmbedder | None = None
    gates: Gates | None = None
    pairs: PairScorer | None = None

    @property
    def catalogue(self) -> Catalogue:
        """The store of record."""
        return self.indexer.catalogue

    @property
    def _sections(self) -> StudySections:
        return StudySections(self.catalogue.raw_studies)

    @property
    def manifest(self) -> Manifest:
        """What this process would build an index with."""
        return manifest_of(self.model, self.indexer.embedder, self.indexer.analysis)

    # --- writing

    def import_studies(
        self, source: str, read: Read, progress: Progress, digest: str | None = None
    ) -> Imported:
        """Stores what `read` delivers and makes it visible at once, or not at all.

        Args:
            source: names what is read; an unfinished import of the same source goes on where it stopped.
            read: delivers studies and rejections; one bad record is counted, never fatal.
            progress: is told how many studies are read and documents indexed.
            digest: tells whether the source is as it was; an unfinished import of one that changed begins anew.

        Raises GenerationIncomplete when an import of another source is unfinished, SourceError when the first import
        finds no study.
        """
        require_read(self.catalogue, TRIALS, except_for=source)
        self._give_up_changed(source, digest)
        built = self._begin(f"import {source}")
        tally = self._store(built, source, read, progress, digest)
        if self.catalogue.active(TRIALS) is None and self.catalogue.is_unchanged(built):
            self.catalogue.discard(built)
            raise SourceError(_nothing_read(source, tally))
        return self._finish(built, tally, 0, progress)

    def sync_studies(
        self, query: StudyQuery, registry: Registry, progress: Progress, *, sweep: bool
    ) -> tuple[Imported, Removed]:
        """Fetches what is new since the last complete sync of this query; with `sweep` removes what is gone.

        Only studies that the registry once delivered can be found removed. What was learnt of removals comes second.
        """
        version = registry.version()
        name = query.name
        source = f"registry: {name}"
        require_read(self.catalogue, TRIALS, except_for=source)
        before = self.catalogue.last_sync(name)
        since = query.since or (day_of(before.data_version[:10]) if before else None)
        built = self._begin(f"sync {name}")
        asked = replace(query, since=since)
        tally = self._store(
            built, source, lambda after: registry.fetch(asked, after), progress, deliver=True
        )
        gone = Removed()
        if sweep:
            gone = registry.removed(query, self.catalogue.delivered(built.number))
        ended = self.catalogue.remove_studies(built, gone.nct_ids)
        done = self._finish(built, tally, len(ended), progress)
        if query.since is None:
            self.catalogue.record_sync(Synced(name, version.data))
        return done, gone

    def index(self, progress: Progress) -> Imported | None:
        """Finishes a generation that was stored but not indexed whole; None when there is none.

        Raises GenerationIncomplete when a source of it was not read to its end.
        """
        if self.catalogue.building(TRIALS) is None:
            return None
        require_read(self.catalogue, TRIALS)
        return self._finish(self._begin("index"), _Tally(), 0, progress)

    def rebuild(self, progress: Progress) -> Imported:
        """Makes every study's chunks anew as a new generation; vectors of unchanged texts are reused.

        An index that was emptied for it gets this generation alone: what was unfinished is given up, and older
        generations cannot be read any more.
        """
        anew = is_emptied(self.catalogue, self.indexer.index, TRIALS)
        if not anew:
            require_read(self.catalogue, TRIALS)
        resumed = not anew and self.catalogue.building(TRIALS) is not None
        indexed, visible = rebuild(
            self.indexer,
            TRIALS,
            self.manifest,
            self.catalogue.enqueue_studies,
            self._sections.loader,
            progress,
        )
        return _imported(visible, _Tally(), 0, indexed, resumed=resumed)

    def roll_back(self) -> Generation | None:
        """Gives up the generation that is being built, if any; what readers see is not touched."""
        built = self.catalogue.building(TRIALS)
        if built:
            roll_back(self.catalogue, self.indexer.index, built)
        return built

    def _begin(self, cause: str) -> Generation:
        return self.catalogue.begin(TRIALS, cause, self.manifest)

    def _give_up_changed(self, source: str, digest: str | None) -> None:
        """What was stored of a source that has changed since is no part of it any more."""
        building = self.catalogue.building(TRIALS)
        reached = self.catalogue.checkpoints(building).get(source) if building else None
        if reached and reached.digest != digest:
            self.roll_back()

    def _store(
        self,
        built: Generation,
        source: str,
        read: Read,
        progress: Progress,
        digest: str | None = None,
        *,
        deliver: bool = False,
    ) -> _Tally:
        tally = _Tally()
        reached = self.catalogue.checkpoints(built).get(source)
        if reached and reached.position == WHOLE:
            return tally
        items = iter(read(Place.at(reached.position) if reached else None))
        while batch := list(islice(items, self.settings.catalogue.batch)):
            reached = _checkpoint(source, batch, digest)
            self._store_batch(built, batch, reached, tally, keep_newer=not deliver)
            if deliver:
                self.catalogue.deliver(
                    item.study.nct_id for item in batch if isinstance(item, Fetched)
                )
            progress.advance("records read", tally.read, None)
        self.catalogue.store_studies(built, (), Checkpoint(source, WHOLE, digest))
        return tally

    def _store_batch(
        self,
        built: Generation,
        batch: Sequence[Fetched | Rejected],
        reached: Checkpoint | None,
        tally: _Tally,
        *,
        keep_newer: bool,
    ) -> None:
        fetched = [item for item in batch if isinstance(item, Fetched)]
        stored = self.catalogue.store_studies(
            built, (item.study for item in fetched), reached, keep_newer=keep_newer
        )
        tally.new += len(stored.new)
        tally.changed += len(stored.changed)
        tally.unchanged += stored.unchanged
        tally.repeated += sum(item.repeated for item in fetched)
        tally.rejected += [item for item in batch if isinstance(item, Rejected)]
        tally.rejected += [
            Rejected(nct_id, "older than the stored record, which stays") for nct_id in stored.older
        ]
        tally.read += len(batch)

    def _finish(
        self, built: Generation, tally: _Tally, removed: int, progress: Progress
    ) -> Imported:
        load = self._sections.loader(built.number)
        indexed, visible = index_and_finish(self.indexer, built, load, progress)
        return _imported(visible, tally, removed, indexed, resumed=built.resumed)

    # --- reading

    def search(self, question: Question, generation: int, *, weigh: bool = False) -> SearchResult:
        """The best studies of this generation with their passages, or why there is none (`weigh`: see pipeline)."""
        rules, reader = self.settings.search, self._reader()
        gate = self.gates.of(generation) if self.gates else OPEN
        scope, read = Scope.public(), narrative_filter
        return search(question, scope, generation, reader, rules, read, gate, weigh=weigh)

    def rank(self, question: Question, generation: int) -> Ranked:
        """All studies of this generation that were found, best first, without their texts."""
        rules, reader = self.settings.search, self._reader()
        return rank(question, Scope.public(), generation, reader, rules, narrative_filter)

    def contexts(self, result: SearchResult, tokens: int) -> dict[ChunkId, Context]:
        """What stands around each passage of a result, in at most `tokens` of the model's tokens each."""
        return contexts(result, Scope.public(), tokens, self._sections, self._reader())

    def place(self, text: str, generation: int) -> GeoPoint:
        """The city that sites name so. Raises UsageError when none does, or several far apart do."""
        found = self.catalogue.places(text, generation)
        return one_place(text, found, lambda: self.catalogue.unplaced_sites(text, generation))

    def reconcile(self, *, repair: bool) -> Reconciliation:
        """Where index and catalogue differed; with `repair` the index holds afterwards what the catalogue says."""
        found = compare(self.catalogue, self.indexer.index, TRIALS)
        if repair:
            bring_in_step(self.indexer, found)
        return found

    def vacuum(self, keep: int | None) -> Vacuumed:
        """Removes what none of the `keep` newest generations sees (default: the setting); how many rows went."""
        kept = keep or self.settings.catalogue.keep_generations
        return vacuum(self.catalogue, self.indexer.index, TRIALS, kept)

    def cards(self, keys: Iterable[DocumentKey], generation: int) -> dict[str, StudyCard]:
        """The studies by NCT id as a result shows them."""
        return self.catalogue.studies((key.parts[0] for key in keys), generation)

    def seen(self, generation: int | None) -> int:
        """See `seen`."""
        return seen(self.catalogue, generation)

    def _reader(self) -> Reader:
        indexer = self.indexer
        return Reader(
            indexer.index, indexer.embedder, self.catalogue, self.pool, self.tokens, self.pairs
        )


def seen(catalogue: Catalogue, generation: int | None) -> int:
    """The number of the visible generation, or the given one when it is kept.

    Raises SourceError before the first import, UsageError for a generation that is not kept.
    """
    readable = [found.number for found in catalogue.readable(TRIALS)]
    active = catalogue.active(TRIALS)
    if active is None:
        raise SourceError("No studies are imported yet; run `proband trials import PATH`.")
    if generation is not None and generation not in readable:
        raise UsageError(f"Generation {generation} cannot be read; these can: {readable}.")
    return active.number if generation is None else generation


def study(catalogue: Catalogue, nct_id: str, generation: int) -> Study | None:
    """The study of this id, or of the id that it had before; None when this generation has none."""
    current = catalogue.current_ids([nct_id], generation).get(nct_id, nct_id)
    raw = catalogue.raw_studies([current], generation).get(current)
    return parse_study(raw) if raw else None


def _imported(
    visible: Generation, tally: _Tally, removed: int, indexed: Indexed, *, resumed: bool
) -> Imported:
    return Imported(
        generation=visible.number,
        new=tally.new,
        changed=tally.changed,
        unchanged=tally.unchanged,
        removed=removed,
        repeated=tally.repeated,
        rejected=tuple(tally.rejected),
        indexed=indexed,
        resumed=resumed,
    )


def _nothing_read(source: str, tally: _Tally) -> str:
    first = (
        f"; the first of {len(tally.rejected):,} not read: {tally.rejected[0]}"
        if tally.rejected
        else ""
    )
    return f"No study was read from {source}, and none is stored yet{first}."


def _checkpoint(
    source: str, batch: Sequence[Fetched | Rejected], digest: str | None
) -> Checkpoint | None:
    """Behind the last study of the batch; None when all of it was rejected."""
    places = [item.place for item in batch if isinstance(item, Fetched)]
    return Checkpoint(source, places[-1].position, digest) if places else None
