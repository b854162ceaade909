"""proband's values in the classes of Qdrant Edge, and Edge's failures in proband's errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import qdrant_edge as edge

from proband.adapters._qdrant import (
    BORN,
    DENSE,
    DIED,
    DOCUMENT_TERMS,
    INDEXED,
    INTEGERS,
    KEYWORDS,
    LIFETIME,
    PLACES,
    SPARSE,
    keyword,
    payload_of,
    point_of,
)
from proband.adapters._vectors import unit
from proband.adapters.memory import EARTH_RADIUS_KM
from proband.errors import HomeError, IndexHeld, ProbandError, StoreError
from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    ChunkId,
    Condition,
    Corpus,
    Field,
    GeoPoint,
    Hit,
    Lane,
    Near,
    NoneOf,
    Point,
    Ranking,
    Scale,
    SectionKind,
    SparseVector,
    View,
)
from proband.ports import Manifest
from proband.settings import IndexSettings

COLD = edge.Memory.Cold
"""Read through the page cache: opening takes a tenth of the time that copying into memory takes."""

FEW_DOCUMENTS = 100
"""Edge scans all points of a segment that holds fewer documents; its default of 5,000 takes 13 ms, this 1.5."""

LEAST_RADIUS_M = 0.001
"""Edge finds nothing within 0 m, not even the place itself."""

SPARE_DEGREES = 0.001
"""A box is this much larger than its circle: 110 m, against rounding."""

SEGMENTS = 16
"""Edge merges beyond this many, and a merge builds the graph again. 16 x 64,000 points."""


PAGE = 10_000
"""Points that are read at once."""

ROUND = 8
"""Points that are read at once to see which exact terms any point holds."""

_EXACT = edge.PayloadSelector.Include([Field.EXACT.value])

AGAIN = "`proband init`, then `proband reconcile` make it again from the catalogue"

LAYOUT_VERSION = 3
"""Raised when a shard gets other vectors or payload indexes."""


class Scored(NamedTuple):
    """A point that was found: its id as text, and document and kind."""

    score: float
    id: str
    labels: Any


def layout(manifest: Manifest, rules: IndexSettings) -> dict[str, int]:
    """What a shard cannot change once it is made; its payload indexes follow from its corpus and the version."""
    return {
        "version": LAYOUT_VERSION,
        "dimensions": manifest.dimensions,
        "graph_links": rules.graph_links,
        "graph_build": rules.graph_build,
        "segment_points": rules.segment_points,
        "open_points": rules.open_points,
    }


def shard_config(manifest: Manifest, rules: IndexSettings) -> edge.EdgeConfig:
    """Vectors, graph, quantisation and sizes of a new shard."""

    def kilobytes(points: int) -> int:
        return max(1, points * manifest.dimensions * 4 // 1024)

    return edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(
                size=manifest.dimensions, distance=edge.Distance.Cosine, memory=COLD
            )
        },
        sparse_vectors={
            SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=COLD),
            DOCUMENT_TERMS: edge.EdgeSparseVectorParams(
                modifier=edge.Modifier.Idf, memory=COLD, full_scan_threshold=FEW_DOCUMENTS
            ),
        },
        hnsw_config=edge.HnswIndexConfig(
            m=rules.graph_links,
            ef_construct=rules.graph_build,
            full_scan_threshold=kilobytes(rules.exact_below),
            memory=COLD,
        ),
        quantization_config=edge.ScalarQuantizationConfig(
            edge.ScalarType.Int8, quantile=0.99, memory=COLD
        ),
        optimizers=edge.EdgeOptimizersConfig(
            default_segment_number=SEGMENTS,
            max_segment_size=kilobytes(rules.segment_points),
            indexing_threshold=kilobytes(rules.open_points),
        ),
    )


def payload_indexes(corpus: Corpus) -> Iterator[edge.UpdateOperation]:
    """One index for each field that filters of this corpus name; without it a filter reads every payload.

    Those of the lifetime are on disk, too: in memory, they took 0.27 s of each opening and saved 1 ms a search.
    """
    words, numbers, places = INDEXED[corpus]
    for names, params in (
        (dict.fromkeys(keyword(f, "")[0] for f in words), edge.KeywordIndexParams(memory=COLD)),
        ((*LIFETIME, *numbers), edge.IntegerIndexParams(lookup=False, range=True, memory=COLD)),
        (places, edge.GeoIndexParams(memory=COLD)),
    ):
        for name in names:
            yield edge.UpdateOperation.create_field_index(str(name), params)


def edge_point(point: Point, dimensions: int) -> edge.Point:
    """Raises BadModelOutput for a vector that does not fit."""
    vectors = {DENSE: unit(point.dense, dimensions).tolist(), SPARSE: edge_terms(point.sparse)}
    if point.document_terms:
        vectors[DOCUMENT_TERMS] = edge_terms(point.document_terms)
    return edge.Point(point.id, vectors, payload_of(point))


def edge_terms(terms: SparseVector) -> edge.SparseVector:
    """Term weights in Edge's class."""
    return edge.SparseVector(list(terms.indices), list(terms.values))


def proband_point(record: edge.Record) -> Point:
    """The point that `edge_point` made, from a record with payload and vectors."""
    vectors: Any = record.vector
    payload: Any = record.payload
    document_terms = vectors.get(DOCUMENT_TERMS)
    return point_of(
        ChunkId(str(record.id)),
        payload,
        vectors[DENSE],
        _terms(vectors[SPARSE]),
        _terms(document_terms) if document_terms else None,
    )


def _terms(vector: edge.SparseVector) -> SparseVector:
    return SparseVector(tuple(vector.indices), tuple(vector.values))


def edge_filter(view: View) -> edge.Filter:
    """`born <= generation < died`, and every condition."""
    alive = [
        edge.FieldCondition(BORN, range=edge.RangeFloat(lte=view.generation)),
        edge.FieldCondition(DIED, range=edge.RangeFloat(gt=view.generation)),
    ]
    refused = [c for c in view.where.conditions if isinstance(c, NoneOf)]
    wanted = [c for c in view.where.conditions if not isinstance(c, NoneOf)]
    return edge.Filter(
        must=[*alive, *map(_condition, wanted)], must_not=[_condition(c) for c in refused]
    )


def holding(terms: Sequence[str], at_least: int) -> edge.Filter:
    """Points that hold at least so many of the exact terms."""
    return edge.Filter(
        min_should=edge.MinShould([_any_of(Field.EXACT, (term,)) for term in terms], at_least)
    )


def holding_any(where: edge.Filter, terms: Iterable[str]) -> edge.Filter:
    """What fits the filter and holds any of the exact terms."""
    return edge.Filter(must=[where, _any_of(Field.EXACT, sorted(terms))])


def read_pages(
    shard: edge.EdgeShard, where: edge.Filter | None, payload: edge.PayloadSelector
) -> Iterator[edge.Record]:
    """Every point that fits, page by page, without vectors."""
    offset = None
    while True:
        request = edge.ScrollRequest(
            offset=offset, limit=PAGE, filter=where, with_payload=payload, with_vector=False
        )
        records, offset = shard.scroll(request)
        yield from records
        if offset is None:
            return


def held_terms(shard: edge.EdgeShard, where: edge.Filter, terms: Sequence[str]) -> frozenset[str]:
    """Those of the exact terms that any point holds: each round reads some points with what was not met yet."""
    asked, met = set(terms), set[str]()
    while left := sorted(asked - met):
        request = edge.ScrollRequest(
            limit=ROUND,
            filter=edge.Filter(must=[where, _any_of(Field.EXACT, left)]),
            with_payload=_EXACT,
            with_vector=False,
        )
        records, _ = shard.scroll(request)
        if not records:
            break
        met |= {term for one in records for term in (one.payload or {})[Field.EXACT]}
    return frozenset(asked & met)


def ranking(lane: Lane, scale: Scale, best: Sequence[Scored]) -> Ranking:
    """A ranking of what was found, best first as given."""
    hits = (
        Hit(
            ChunkId(one.id),
            one.labels[Field.DOCUMENT],
            SectionKind(one.labels[Field.KIND]),
            rank,
            one.score,
        )
        for rank, one in enumerate(best, 1)
    )
    return Ranking(lane, scale, tuple(hits))


def _condition(condition: Condition) -> edge.FieldCondition | edge.Filter:
    match condition:
        case AnyOf(field, values) | NoneOf(field, values):
            return _any_of(_known(field, KEYWORDS), values)
        case AtMost(field, value):
            return edge.FieldCondition(_known(field, INTEGERS), range=edge.RangeFloat(lte=value))
        case AtLeast(field, value):
            return edge.FieldCondition(_known(field, INTEGERS), range=edge.RangeFloat(gte=value))
        case Near(field, place, radius_km):
            return _near(_known(field, PLACES), place, radius_km)


def _known(field: Field, fields: Sequence[Field]) -> Field:
    """The field. Raises ValueError when it is of another type: Edge would match nothing."""
    if field not in fields:
        raise ValueError(f"{field} does not take this condition")
    return field


def _any_of(field: Field, values: Sequence[str]) -> edge.FieldCondition:
    written = [keyword(field, value)[1] for value in values]
    return edge.FieldCondition(keyword(field, "")[0], match=edge.MatchAny(written))


def _near(field: str, place: GeoPoint, radius_km: float) -> edge.Filter:
    """Points inside a box around the circle that are not outside the circle.

    Asked for the circle alone, Edge looks through cells that do not always cover it: sites near the pole, across the
    date line or at its widest are lost. So the box finds the points, and the circle, denied twice, only checks them.
    """
    radius_m = max(math.nextafter(radius_km * 1000, math.inf), LEAST_RADIUS_M)
    circle = edge.GeoRadius(edge.GeoPoint(place.longitude, place.latitude), radius_m)
    outside = edge.Filter(must_not=[edge.FieldCondition(field, geo_radius=circle)])
    box = _box(place, radius_km)
    within = [edge.FieldCondition(field, geo_bounding_box=box)] if box else []
    return edge.Filter(must=[*within], must_not=[outside])


def _box(place: GeoPoint, radius_km: float) -> edge.GeoBoundingBox | None:
    """What encloses the circle; None for a circle around a pole, whose points are all looked at.

    A box whose west side is east of its east side crosses the date line.
    """
    angle = radius_km / EARTH_RADIUS_KM
    reach = math.degrees(angle) + SPARE_DEGREES
    south, north = place.latitude - reach, place.latitude + reach
    if south <= -90 or north >= 90:
        return None
    half = math.degrees(math.asin(math.sin(angle) / math.cos(math.radians(place.latitude))))
    west = (place.longitude - half - SPARE_DEGREES + 180) % 360 - 180
    east = (place.longitude + half + SPARE_DEGREES + 180) % 360 - 180
    return edge.GeoBoundingBox(edge.GeoPoint(west, north), edge.GeoPoint(east, south))


@contextmanager
def own_errors(folder: Path) -> Iterator[None]:
    """Edge raises plain exceptions, and a panic is not even an Exception: only their text tells."""
    try:
        yield
    except (ProbandError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise translated(error, folder) from error


def translated(error: BaseException, folder: Path) -> StoreError:
    """proband's error for one of Edge's. Its texts hold ids, paths and numbers, never a payload."""
    text = str(error)
    if "WouldBlock" in text:
        return IndexHeld(f"The index in {folder} is held by another process; wait for it to end.")
    if any(sign in text for sign in _FULL):
        return HomeError(f"There is no space left for the index in {folder}; free some, try again.")
    if any(sign in text for sign in _READ_ONLY):
        return HomeError(f"The index in {folder} cannot be written; make its folder writable.")
    reason = text.splitlines()[0] if text else repr(error)
    return StoreError(
        f"The index in {folder} failed: {reason}. If it is damaged, remove that folder; {AGAIN}."
    )


_FULL = ("No space left", "os error 28", "StorageFull", "os error 122")
_READ_ONLY = ("Permission denied", "Read-only file system", "os error 13", "os error 30")
