"""What of the memory index the contract suite leaves open: distances, IDF, the cost of a mistake."""

from __future__ import annotations

import math

import numpy as np
import pytest

from factories import chunk_id, point, vector
from indexes import MANIFEST
from proband.adapters.memory import MemoryIndex, distance_km, fits, keywords
from proband.model import AnyOf, Facets, Field, Filter, GeoPoint, Near, SparseVector, View

ALL = View(1, Filter())


@pytest.mark.parametrize(
    ("a", "b", "kilometres"),
    [
        (GeoPoint(52.52, 13.405), GeoPoint(51.5074, -0.1278), 931.5),
        (GeoPoint(51.5074, -0.1278), GeoPoint(-33.8688, 151.2093), 16_993),
        (GeoPoint(90, 0), GeoPoint(-90, 0), 20_015),
        (GeoPoint(-17.8, 179.9), GeoPoint(-17.8, -179.9), 21.2),
        (GeoPoint(0, 0), GeoPoint(0, 0), 0),
    ],
)
def test_distances_are_those_of_geodesic_tables_to_half_a_percent(
    a: GeoPoint, b: GeoPoint, kilometres: float
) -> None:
    assert distance_km(a, b) == pytest.approx(kilometres, rel=0.005)
    assert distance_km(b, a) == distance_km(a, b)


def test_the_distance_of_opposite_points_does_not_leave_the_domain_of_the_arc_sine() -> None:
    half = math.pi * 6371.0088
    for latitude in np.linspace(-90, 90, 37):
        opposite = GeoPoint(-float(latitude), 180)
        assert distance_km(GeoPoint(float(latitude), 0), opposite) == pytest.approx(half)


def test_idf_follows_what_is_in_the_index_now() -> None:
    index = MemoryIndex(MANIFEST)
    index.write([point(n, sparse=SparseVector((n % 2,), (1.0,))) for n in range(4)])
    index.remove([chunk_id(1)])
    (first, *_) = index.lexical(SparseVector((0,), (1.0,)), ALL, 1).hits
    assert first.score == pytest.approx(math.log(1 + (3 - 2 + 0.5) / 2.5))


def test_equal_vectors_score_equally_wherever_they_stand() -> None:
    """Matrix products sum some rows in another order than others."""
    rng = np.random.default_rng(3)
    index = MemoryIndex(MANIFEST)
    same = rng.normal(size=512).astype(np.float32)
    others = [point(n, dense=rng.normal(size=512).astype(np.float32)) for n in range(100, 200)]
    index.write([*others, *(point(n, dense=same) for n in range(37)), *others])
    hits = index.dense(same, ALL, 37).hits
    assert {hit.score for hit in hits} == {hits[0].score}
    assert [hit.chunk_id for hit in hits] == [chunk_id(n) for n in range(37)]


def test_a_zero_vector_is_near_to_nothing() -> None:
    index = MemoryIndex(MANIFEST)
    index.write([point(1, dense=vector()), point(2, dense=vector(1))])
    assert [hit.score for hit in index.dense(vector(1), ALL, 2).hits] == [1.0, 0.0]
    assert index.dense(vector(), ALL, 2).hits[0].score == 0.0


def test_keywords_are_those_of_the_chunk_and_of_its_document() -> None:
    held = point(1, exact=("e11.9",), facets=Facets(status="RECRUITING", phases=("PHASE1",)))
    assert keywords(held, Field.EXACT) == ("e11.9",)
    assert keywords(held, Field.PHASES) == ("PHASE1",)
    assert keywords(held, Field.KIND) == ("INCLUSION_CRITERION",)
    with pytest.raises(ValueError, match="sites"):
        keywords(held, Field.SITES)


def test_fits_judges_one_condition() -> None:
    held = point(1, facets=Facets(status="RECRUITING"))
    assert fits(held, AnyOf(Field.STATUS, ("RECRUITING",)))
    assert not fits(held, Near(Field.SITES, GeoPoint(0, 0), 1e9))
