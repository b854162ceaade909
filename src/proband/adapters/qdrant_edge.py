"""The index in Qdrant Edge: in process, one shard a corpus, one process at a time.

A folder holds `shard/` (Edge's files), `manifest.json`, `layout.json` and `holder.json` (the lock). Edge can open a
shard only for writing, so a reader holds it too.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

import qdrant_edge as edge

from proband.adapters._disk import MEGABYTE, cannot_write, require_space
from proband.adapters._edge import (
    AGAIN,
    PAGE,
    Scored,
    edge_filter,
    edge_point,
    edge_terms,
    held_terms,
    holding,
    holding_any,
    layout,
    own_errors,
    payload_indexes,
    proband_point,
    ranking,
    read_pages,
    shard_config,
)
from proband.adapters._hold import Hold
from proband.adapters._manifest import (
    FILE_NAME,
    read_layout,
    read_manifest,
    write_layout,
    write_manifest,
)
from proband.adapters._qdrant import (
    BORN,
    DENSE,
    DIED,
    DOCUMENT_TERMS,
    KEYWORDS,
    SPARSE,
    keyword,
)
from proband.adapters._vectors import unit
from proband.errors import CollectionMissing, StoreError
from proband.model import (
    ChunkId,
    Corpus,
    Field,
    Float32Vector,
    Lane,
    Point,
    Ranking,
    Scale,
    SparseVector,
    View,
)
from proband.ports import Manifest
from proband.settings import IndexSettings

SHARD = "shard"
MOST_AT_ONCE = 8  # exact terms: the engine takes all combinations of them, 16 took 2 s
"""Points a call when all are read or changed: bounds memory, and 10,000 gave the same speed as 50,000."""

SPARE = 8
"""Hits fetched beyond the limit: enough for most ties at the cut, and 60 + 20 cost a sixth more than 60."""

OPENING_MB = 100
"""Edge lays out two logs of 32 MB, and pages of storage that grow by 32 MB."""

WRITING_MB = 250
"""The same for the open segment with its four growing storages."""

EVERY_LABEL = 1000  # more values than the labelled fields have together
_COUNTED = edge.PayloadSelector.Include([Field.DOCUMENT.value, Field.KIND.value, Field.EXACT.value])
_LABELS = edge.PayloadSelector.Include([Field.DOCUMENT.value, Field.KIND.value])
_LIFETIME = edge.PayloadSelector.Include([BORN, DIED])
_Item = TypeVar("_Item")


class QdrantEdgeIndex:
    """An IndexWriter. May be called from many threads, but Edge keeps the interpreter's lock: calls never overlap.

    A query uses all cores by itself, a segment each. IDF counts the points of all generations; a removed point, and
    the former state of a replaced or expired one, counts until Edge rebuilds their segment.
    """

    def __init__(
        self, folder: Path, shard: edge.EdgeShard, hold: Hold, rules: IndexSettings
    ) -> None:
        self._folder = folder
        self._shard = shard
        self._hold = hold
        self._rules = rules
        self._manifest = read_manifest(folder)
        self._unbuilt = 0

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether `create` has been here, and what it made is still whole to the eye."""
        return (folder / FILE_NAME).exists() and (folder / SHARD).is_dir()

    @staticmethod
    def create(
        folder: Path,
        manifest: Manifest,
        rules: IndexSettings | None = None,
        corpus: Corpus = Corpus.TRIALS,
    ) -> None:
        """Makes an empty index, whole or not at all. Raises StoreError when there is one, HomeError."""
        if QdrantEdgeIndex.exists(folder):
            raise StoreError(f"There is an index in {folder} already.")
        coming = folder.with_name(f"{folder.name}.coming")
        try:
            shutil.rmtree(coming, ignore_errors=True)
            coming.mkdir(parents=True)
        except OSError as error:
            raise cannot_write(coming, error) from error
        require_space(coming.parent, OPENING_MB)
        rules = rules or IndexSettings()
        with own_errors(folder):
            config = shard_config(manifest, rules)
            shard = edge.EdgeShard.create(str(coming / SHARD), config)
            for operation in payload_indexes(corpus):
                shard.update(operation)
            shard.flush()
            shard.close()
        write_layout(coming, layout(manifest, rules))
        write_manifest(coming, manifest)
        try:
            coming.replace(folder)
        except OSError as error:
            raise cannot_write(folder, error) from error

    @classmethod
    def open(cls, folder: Path, rules: IndexSettings, command: str) -> QdrantEdgeIndex:
        """The index for this process alone; `command` is what others are told.

        Raises CollectionMissing, IndexHeld, HomeError when the folder cannot be written.
        """
        read_manifest(folder)
        require_space(folder, OPENING_MB)
        hold = Hold.take(folder, command)
        try:
            if not (folder / SHARD).is_dir():
                raise CollectionMissing(f"The index in {folder} has lost its shard; {AGAIN}.")
            with own_errors(folder):
                return cls(folder, edge.EdgeShard.load(str(folder / SHARD)), hold, rules)
        except BaseException:
            hold.release()
            raise

    # --- reading -----------------------------------------------------------------------------------------------------

    def manifest(self) -> Manifest:
        return self._manifest

    def is_laid_out_for(self, manifest: Manifest, rules: IndexSettings) -> bool:
        """Whether the shard is made as it would be made now."""
        return read_layout(self._folder) == layout(manifest, rules)

    def dense(self, vector: Float32Vector, view: View, limit: int) -> Ranking:
        query = unit(vector, self._manifest.dimensions).tolist()
        where, nearest = edge_filter(view), edge.Query.Nearest(query, using=DENSE)
        with own_errors(self._folder):
            best = self._best(nearest, where, limit, self._how(where))
            return ranking(Lane.DENSE, Scale.COSINE, best)

    def lexical(self, terms: SparseVector, view: View, limit: int) -> Ranking:
        return self._by_terms(Lane.LEXICAL, SPARSE, terms, view, limit)

    def document(self, terms: SparseVector, view: View, limit: int) -> Ranking:
        return self._by_terms(Lane.DOCUMENT, DOCUMENT_TERMS, terms, view, limit)

    def exact(self, terms: Sequence[str], view: View, limit: int) -> Ranking:
        where, wanted = edge_filter(view), sorted(set(terms))
        best: list[Scored] = []
        with own_errors(self._folder):
            if len(wanted) > MOST_AT_ONCE:
                best, wanted = self._counted(set(wanted), where)[:limit], []
            for held in range(len(wanted), 0, -1):
                best += self._holding(wanted, held, where, limit - len(best))
            return ranking(Lane.EXACT, Scale.MATCHES, best)

    def held(self, terms: Sequence[str], view: View) -> frozenset[str]:
        with own_errors(self._folder):
            return held_terms(self._shard, edge_filter(view), terms)

    def fetch(self, ids: Sequence[ChunkId]) -> dict[ChunkId, Point]:
        with own_errors(self._folder):
            return {
                ChunkId(str(record.id)): proband_point(record)
                for page in _id_pages(ids)
                for record in self._shard.retrieve(page, True, True)
            }

    def count(self, view: View) -> int:
        request = edge.CountRequest(exact=True, filter=edge_filter(view))
        with own_errors(self._folder):
            return int(self._shard.count(request))

    def facets(self, field: Field, view: View, limit: int) -> list[tuple[str, int]]:
        if field not in KEYWORDS:
            raise ValueError(f"{field} is not a keyword field")
        name, mark = keyword(field, "")
        most = limit if not mark else limit + EVERY_LABEL
        request = edge.FacetRequest(name, limit=most, exact=True, filter=edge_filter(view))
        with own_errors(self._folder):
            hits = self._shard.facet(request).hits if limit else []
        counted = [
            (str(hit.value).removeprefix(mark), hit.count)
            for hit in hits
            if str(hit.value).startswith(mark)
        ]
        return sorted(counted, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def ids(self) -> Mapping[ChunkId, tuple[int, int]]:
        with own_errors(self._folder):
            return {
                ChunkId(str(record.id)): (payload[BORN], payload[DIED])
                for record in read_pages(self._shard, None, _LIFETIME)
                if (payload := record.payload)
            }

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, points: Sequence[Point]) -> None:
        """As the port says. Builds and flushes a segment whenever `segment_points` are waiting for it."""
        for page in _pages(points, self._rules.write_batch):
            self._require_space()
            coming = [edge_point(point, self._manifest.dimensions) for point in page]
            with own_errors(self._folder):
                self._shard.update(edge.UpdateOperation.upsert_points(coming))
            self._unbuilt += len(page)
            if self._unbuilt >= self._rules.segment_points:
                self.optimize()

    def expire(self, ids: Sequence[ChunkId], generation: int) -> None:
        self._require_space()
        with own_errors(self._folder):
            for page in _id_pages(ids):
                # Edge refuses the whole call for an unknown id.
                known = [record.id for record in self._shard.retrieve(page, False, False)]
                change = edge.UpdateOperation.set_payload(known, {DIED: generation})
                self._shard.update(change)

    def remove(self, ids: Sequence[ChunkId]) -> None:
        self._require_space()
        with own_errors(self._folder):
            for page in _id_pages(ids):
                self._shard.update(edge.UpdateOperation.delete_points(page))

    def describe(self, manifest: Manifest) -> None:
        if manifest.dimensions != self._manifest.dimensions:
            raise ValueError(f"the index holds vectors of {self._manifest.dimensions} numbers")
        write_manifest(self._folder, manifest)
        self._manifest = manifest

    def flush(self) -> None:
        with own_errors(self._folder):
            self._shard.flush()

    def optimize(self) -> None:
        """As the port says. Edge frees the memory of what it replaced only in the flush afterwards."""
        self._require_space()
        with own_errors(self._folder):
            self._shard.optimize()
            self._shard.flush()
        self._unbuilt = 0

    def close(self) -> None:
        with own_errors(self._folder):
            self._shard.close()
        self._hold.release()

    # --- within ------------------------------------------------------------------------------------------------------

    def _require_space(self) -> None:
        """Room for one more segment while it is built: full and quantised vectors, terms and payload."""
        point_bytes = self._manifest.dimensions * 5 + 2_000
        segment_mb = self._rules.segment_points * point_bytes // MEGABYTE
        require_space(self._folder, WRITING_MB + segment_mb)

    def _how(self, where: edge.Filter) -> edge.SearchParams:
        """Exact when few points fit, by Edge's own estimate: counting 340,000 points takes 60 ms, estimating none."""
        few = self._shard.count(edge.CountRequest(exact=False, filter=where))
        return edge.SearchParams(
            exact=few <= self._rules.exact_below,
            hnsw_ef=self._rules.graph_search,
            quantization=edge.QuantizationSearchParams(
                rescore=True, oversampling=self._rules.oversampling
            ),
        )

    def _by_terms(
        self, lane: Lane, using: str, terms: SparseVector, view: View, limit: int
    ) -> Ranking:
        query = edge.Query.Nearest(edge_terms(terms), using=using)
        with own_errors(self._folder):
            best = self._best(query, edge_filter(view), limit, None)
            return ranking(lane, Scale.BM25, best)

    def _best(
        self,
        query: edge.Query,
        where: edge.Filter,
        limit: int,
        how: edge.SearchParams | None,
    ) -> list[Scored]:
        """Best first, equal scores by id, also at the cut.

        Edge orders equal scores by chance. So more are fetched than wanted, until the last one scores less than
        the last wanted one; a group of more than `ties` equal scores at the cut is cut by chance.
        """
        if limit <= 0:
            return []
        fetched, most = limit + SPARE, limit + self._rules.ties
        while True:
            found = self._shard.query(
                edge.QueryRequest(
                    limit=fetched,
                    query=query,
                    filter=where,
                    params=how,
                    with_payload=_LABELS,
                    with_vector=False,
                )
            )
            best = sorted(
                (Scored(point.score, str(point.id), point.payload) for point in found),
                key=lambda one: (-one.score, one.id),
            )
            complete = len(best) < fetched or best[-1].score < best[limit - 1].score
            if complete or fetched >= most:
                return best[:limit]
            fetched = min(4 * fetched, most)

    def _holding(
        self, terms: Sequence[str], held: int, where: edge.Filter, limit: int
    ) -> list[Scored]:
        """Points that hold exactly so many of the terms, by id, at most `limit`."""
        if limit <= 0:
            return []
        wanted = edge.Filter(
            must=[where, holding(terms, held)], must_not=[holding(terms, held + 1)]
        )
        request = edge.ScrollRequest(
            limit=limit, filter=wanted, with_payload=_LABELS, with_vector=False
        )
        records, _ = self._shard.scroll(request)
        found = (Scored(float(held), str(record.id), record.payload) for record in records)
        return sorted(found, key=lambda one: one.id)

    def _counted(self, terms: set[str], where: edge.Filter) -> list[Scored]:
        """Points that hold any of the terms, by how many, counted one by one."""
        records = read_pages(self._shard, holding_any(where, terms), _COUNTED)
        held = ((one, terms.intersection((one.payload or {})[Field.EXACT])) for one in records)
        found = (Scored(float(len(some)), str(one.id), one.payload) for one, some in held)
        return sorted(found, key=lambda one: (-one.score, one.id))


def _id_pages(ids: Sequence[str]) -> Iterator[list[int | UUID | str]]:
    for page in _pages(ids):
        yield [*page]


def _pages(items: Sequence[_Item], size: int = PAGE) -> Iterator[list[_Item]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


if TYPE_CHECKING:
    from proband.ports import IndexWriter

    _: IndexWriter = QdrantEdgeIndex.open(Path(), IndexSettings(), "")
