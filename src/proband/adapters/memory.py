"""The index in process memory: exact, not persistent. Other adapters are compared with it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from proband.adapters._vectors import unit
from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    ChunkId,
    Condition,
    Field,
    Float32Vector,
    GeoPoint,
    Hit,
    Lane,
    Near,
    NoneOf,
    Point,
    Ranking,
    Scale,
    SparseVector,
    View,
)
from proband.ports import Manifest

NO_TERMS = SparseVector((), ())

EARTH_RADIUS_KM = 6371.0088
"""Mean radius of the Earth (IUGG), the one that Qdrant's haversine uses."""


class MemoryIndex:
    """An IndexWriter over a dict of points, and the test double.

    Every lane scans all points, so it is meant for thousands. Like every adapter it keeps dense
    vectors with norm 1, and its IDF counts the points of all generations.
    """

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._points: dict[ChunkId, Point] = {}

    def manifest(self) -> Manifest:
        return self._manifest

    def dense(self, vector: Float32Vector, view: View, limit: int) -> Ranking:
        query = unit(vector, self._manifest.dimensions)
        points = self._visible(view)
        rows = np.array([point.dense for point in points], np.float64).reshape(
            len(points), len(query)
        )
        # Summed in float64 and cut to float32, equal vectors score equally in any row.
        scores = (rows @ query.astype(np.float64)).astype(np.float32)
        return _ranking(Lane.DENSE, Scale.COSINE, zip(scores.tolist(), points, strict=True), limit)

    def lexical(self, terms: SparseVector, view: View, limit: int) -> Ranking:
        scored = self._bm25(terms, view, lambda point: point.sparse)
        return _ranking(Lane.LEXICAL, Scale.BM25, scored, limit)

    def document(self, terms: SparseVector, view: View, limit: int) -> Ranking:
        scored = self._bm25(terms, view, lambda point: point.document_terms or NO_TERMS)
        return _ranking(Lane.DOCUMENT, Scale.BM25, scored, limit)

    def exact(self, terms: Sequence[str], view: View, limit: int) -> Ranking:
        wanted = set(terms)
        scored = (
            (float(len(wanted.intersection(point.exact))), point) for point in self._visible(view)
        )
        return _ranking(Lane.EXACT, Scale.MATCHES, (pair for pair in scored if pair[0]), limit)

    def held(self, terms: Sequence[str], view: View) -> frozenset[str]:
        wanted = frozenset(terms)
        return wanted.intersection(term for point in self._visible(view) for term in point.exact)

    def fetch(self, ids: Sequence[ChunkId]) -> dict[ChunkId, Point]:
        return {chunk_id: self._points[chunk_id] for chunk_id in ids if chunk_id in self._points}

    def count(self, view: View) -> int:
        return len(self._visible(view))

    def facets(self, field: Field, view: View, limit: int) -> list[tuple[str, int]]:
        counts = Counter(
            value for point in self._visible(view) for value in set(keywords(point, field))
        )
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def write(self, points: Sequence[Point]) -> None:
        checked = [
            replace(point, dense=unit(point.dense, self._manifest.dimensions)) for point in points
        ]
        self._points |= {point.id: point for point in checked}

    def expire(self, ids: Sequence[ChunkId], generation: int) -> None:
        self._points |= {
            chunk_id: replace(point, died=generation) for chunk_id, point in self.fetch(ids).items()
        }

    def remove(self, ids: Sequence[ChunkId]) -> None:
        for chunk_id in ids:
            self._points.pop(chunk_id, None)

    def ids(self) -> Mapping[ChunkId, tuple[int, int]]:
        return {chunk_id: (point.born, point.died) for chunk_id, point in self._points.items()}

    def describe(self, manifest: Manifest) -> None:
        """Replaces the manifest. Raises ValueError for other dimensions."""
        if manifest.dimensions != self._manifest.dimensions:
            raise ValueError(f"the index holds vectors of {self._manifest.dimensions} numbers")
        self._manifest = manifest

    def flush(self) -> None:
        """Nothing to do: this index does not outlive its process."""

    def optimize(self) -> None:
        """Nothing to do: every search is exact."""

    def close(self) -> None:
        """Nothing to give back."""

    def _visible(self, view: View) -> list[Point]:
        return [point for point in self._points.values() if visible(point, view)]

    def _bm25(
        self, terms: SparseVector, view: View, held: Callable[[Point], SparseVector]
    ) -> list[tuple[float, Point]]:
        idf = self._idf(terms.indices, [held(point) for point in self._points.values()])
        query = {term: weight * idf[term] for term, weight in _pairs(terms)}
        return [
            (
                math.fsum(
                    query[term] * weight for term, weight in _pairs(held(point)) if term in query
                ),
                point,
            )
            for point in self._visible(view)
            if not query.keys().isdisjoint(held(point).indices)
        ]

    def _idf(self, terms: Iterable[int], vectors: Sequence[SparseVector]) -> dict[int, float]:
        """Qdrant's formula (its `idf` modifier) over the vectors that have any term."""
        total = sum(1 for vector in vectors if vector.indices)
        held = Counter(term for vector in vectors for term in vector.indices)
        return {term: math.log1p((total - held[term] + 0.5) / (held[term] + 0.5)) for term in terms}


def visible(point: Point, view: View) -> bool:
    """Whether the point lives in the view's generation and fits every condition."""
    alive = point.born <= view.generation < point.died
    return alive and all(fits(point, condition) for condition in view.where.conditions)


def fits(point: Point, condition: Condition) -> bool:
    """Whether the point fits. Raises ValueError when the field is not of the condition's type."""
    match condition:
        case AnyOf(field, values):
            return not set(values).isdisjoint(keywords(point, field))
        case NoneOf(field, values):
            return set(values).isdisjoint(keywords(point, field))
        case AtMost(field, value):
            return _integer(point, field) <= value
        case AtLeast(field, value):
            return _integer(point, field) >= value
        case Near(field, place, radius_km):
            return any(distance_km(place, site) <= radius_km for site in _places(point, field))


def keywords(point: Point, field: Field) -> tuple[str, ...]:
    """The strings that a keyword field holds. Raises ValueError for a field of another type."""
    reader = _KEYWORDS.get(field)
    if reader is None:
        raise ValueError(f"{field} is not a keyword field")
    return reader(point)


def distance_km(a: GeoPoint, b: GeoPoint) -> float:
    """Great-circle distance by the haversine formula on a sphere of `EARTH_RADIUS_KM`."""
    lat_a, lat_b = math.radians(a.latitude), math.radians(b.latitude)
    half_lat = (lat_b - lat_a) / 2
    half_lon = math.radians(b.longitude - a.longitude) / 2
    chord = math.sin(half_lat) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin(half_lon) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, chord)))


_KEYWORDS: Mapping[Field, Callable[[Point], tuple[str, ...]]] = {
    Field.DOCUMENT: lambda point: (point.document,),
    Field.KIND: lambda point: (point.kind.value,),
    Field.STATUS: lambda point: (point.facets.status,),
    Field.STUDY_TYPE: lambda point: (point.facets.study_type,),
    Field.PHASES: lambda point: point.facets.phases,
    Field.SEX: lambda point: (point.facets.sex,),
    Field.CONDITIONS: lambda point: point.facets.conditions,
    Field.EXACT: lambda point: point.exact,
    Field.PATIENT: lambda point: _stated(point.facets.patient),
    Field.TABLE: lambda point: _stated(point.facets.table),
    Field.FACILITY: lambda point: _stated(point.facets.facility),
    Field.SENSITIVITY: lambda point: _stated(point.facets.sensitivity),
}

_INTEGERS: Mapping[Field, Callable[[Point], int]] = {
    Field.MIN_AGE_DAYS: lambda point: point.facets.min_age_days,
    Field.MAX_AGE_DAYS: lambda point: point.facets.max_age_days,
    Field.FIRST_DAY: lambda point: point.facets.first_day,
    Field.LAST_DAY: lambda point: point.facets.last_day,
}


def _stated(word: str) -> tuple[str, ...]:
    return (word,) if word else ()


def _integer(point: Point, field: Field) -> int:
    reader = _INTEGERS.get(field)
    if reader is None:
        raise ValueError(f"{field} is not an integer field")
    return reader(point)


def _places(point: Point, field: Field) -> tuple[GeoPoint, ...]:
    if field is Field.SITES:
        return point.facets.sites
    raise ValueError(f"{field} is not a field of places")


def _pairs(vector: SparseVector) -> Iterable[tuple[int, float]]:
    return zip(vector.indices, vector.values, strict=True)


def _ranking(
    lane: Lane, scale: Scale, scored: Iterable[tuple[float, Point]], limit: int
) -> Ranking:
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))[:limit]
    hits = (Hit(p.id, p.document, p.kind, rank, score) for rank, (score, p) in enumerate(best, 1))
    return Ranking(lane, scale, tuple(hits))


if TYPE_CHECKING:
    from proband.ports import IndexWriter

    _: IndexWriter = MemoryIndex(Manifest("", "", 0, 0, 0))
