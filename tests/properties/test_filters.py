"""Filtering in the index is filtering afterwards, for every filter, in both adapters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from factories import chunk_id, point, vector
from indexes import ADAPTERS, MANIFEST, empty_index
from proband.adapters.memory import MemoryIndex
from proband.model import (
    FOREVER,
    AnyOf,
    AtLeast,
    AtMost,
    ChunkId,
    Condition,
    Facets,
    Field,
    Filter,
    GeoPoint,
    Near,
    NoneOf,
    Point,
    Ranking,
    SectionKind,
    SparseVector,
    View,
)
from proband.ports import IndexWriter

WORDS = ("a", "B", "é", "日本 1", "x.y[0]")
X = vector(1)
TERM = SparseVector((1,), (1.0,))

words = st.sampled_from(WORDS)
some_words = st.lists(words, max_size=3).map(tuple)
ages = st.sampled_from([0, 1, 6574, 6575, FOREVER]) | st.integers(0, FOREVER)
places = st.builds(
    GeoPoint, st.floats(-90, 90, width=32), st.floats(-180, 180, width=32)
) | st.sampled_from([GeoPoint(0, 180), GeoPoint(0, -180), GeoPoint(90, 0), GeoPoint(-90, 77)])
generations = st.integers(0, 4)


Parts = dict[str, Any]
"""What a point is made of but its vector, whose 512 numbers would fill the screen when an example fails."""


@st.composite
def parts(draw: st.DrawFn) -> Parts:
    facets = Facets(
        status=draw(words),
        phases=draw(some_words),
        min_age_days=draw(ages),
        max_age_days=draw(ages),
        conditions=draw(some_words),
        sites=tuple(draw(st.lists(places, max_size=3))),
    )
    born = draw(generations)
    return {
        "document": draw(words),
        "kind": draw(st.sampled_from(SectionKind)),
        "exact": draw(some_words),
        "facets": facets,
        "born": born,
        "died": draw(st.integers(born + 1, 5) | st.just(FOREVER)),
    }


FIELDS = st.sampled_from(
    [Field.DOCUMENT, Field.STATUS, Field.PHASES, Field.CONDITIONS, Field.EXACT]
)
AGES = st.sampled_from([Field.MIN_AGE_DAYS, Field.MAX_AGE_DAYS])
kinds = st.lists(st.sampled_from(SectionKind), max_size=3).map(tuple)
conditions = st.one_of(
    st.builds(AnyOf, FIELDS, some_words),
    st.builds(NoneOf, FIELDS, some_words),
    st.builds(AnyOf, st.just(Field.KIND), kinds),
    st.builds(AtMost, AGES, ages),
    st.builds(AtLeast, AGES, ages),
    st.builds(Near, st.just(Field.SITES), places, st.floats(0.1, 21_000)),
)
views = st.builds(View, generations, st.builds(Filter, st.lists(conditions, max_size=3).map(tuple)))


def fits(one: Point, view: View) -> bool:
    """What the conditions mean, written a second time."""
    return one.born <= view.generation < one.died and all(
        holds(one, condition) for condition in view.where.conditions
    )


def holds(one: Point, condition: Condition) -> bool:
    f = one.facets
    held: dict[Field, Sequence[str]] = {
        Field.DOCUMENT: [one.document],
        Field.KIND: [one.kind],
        Field.STATUS: [f.status],
        Field.PHASES: f.phases,
        Field.CONDITIONS: f.conditions,
        Field.EXACT: one.exact,
    }
    age = {Field.MIN_AGE_DAYS: f.min_age_days, Field.MAX_AGE_DAYS: f.max_age_days}
    match condition:
        case AnyOf(field, values):
            return any(value in values for value in held[field])
        case NoneOf(field, values):
            return not any(value in values for value in held[field])
        case AtMost(field, value):
            return age[field] <= value
        case AtLeast(field, value):
            return age[field] >= value
        case Near(_, place, radius_km):
            distances = [chord_km(place, site) for site in f.sites]
            assume(all(abs(d - radius_km) > 1e-6 * max(d, 1) for d in distances))
            return any(distance < radius_km for distance in distances)


def chord_km(a: GeoPoint, b: GeoPoint) -> float:
    """Great-circle distance by the angle between two unit vectors, not by the haversine."""
    p, q = unit(a), unit(b)
    return 6371.0088 * math.atan2(float(np.linalg.norm(np.cross(p, q))), float(p @ q))


def unit(place: GeoPoint) -> np.ndarray:
    lat, lon = math.radians(place.latitude), math.radians(place.longitude)
    return np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])


@pytest.fixture(scope="module", params=["memory", "qdrant_edge"])
def index(request: pytest.FixtureRequest) -> Iterator[IndexWriter]:
    """One index for all examples: what is removed must leave no trace."""
    with empty_index(request.param) as made:
        yield made


def filled(index: IndexWriter, some: list[Point]) -> None:
    index.remove(list(index.ids()))
    index.write(some)


some_views = st.lists(views, min_size=1, max_size=4)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.lists(parts(), max_size=8), some_views)
def test_every_lane_shows_what_fits_and_nothing_else(
    index: IndexWriter, drawn: list[Parts], wanted: list[View]
) -> None:
    some = [point(n, **fields) for n, fields in enumerate(drawn)]
    filled(index, some)
    for view in wanted:
        assert_shows(index, view, {one.id: one for one in some if fits(one, view)})


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.lists(parts(), min_size=1, max_size=8), some_views)
def test_built_segments_show_what_fits_and_nothing_else(
    drawn: list[Parts], wanted: list[View]
) -> None:
    some = [point(n, **fields) for n, fields in enumerate(drawn)]
    with empty_index("qdrant_edge_built") as index:
        index.write(some)
        for view in wanted:
            assert_shows(index, view, {one.id: one for one in some if fits(one, view)})


def assert_shows(index: IndexWriter, view: View, fit: dict[ChunkId, Point]) -> None:
    """All lanes, the count and the facets show these points."""
    assert ids(index.dense(X, view, 50)) == set(fit)
    assert ids(index.lexical(TERM, view, 50)) == set(fit)
    assert ids(index.exact(WORDS, view, 50)) == {key for key, one in fit.items() if one.exact}
    assert index.count(view) == len(fit)
    counts = Counter(name for one in fit.values() for name in set(one.facets.conditions))
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    assert index.facets(Field.CONDITIONS, view, 3) == most[:3]


def ids(ranking: Ranking) -> set[str]:
    return {hit.chunk_id for hit in ranking.hits}


@dataclass(frozen=True, slots=True)
class Text:
    """A text with a vector, terms and exact terms, as random as texts are: few of each, often the same."""

    dense: tuple[int, ...]
    terms: dict[int, float]
    exact: tuple[str, ...]


texts = st.builds(
    Text,
    st.tuples(*[st.integers(-2, 2)] * 4).filter(any),
    st.dictionaries(
        st.sampled_from([0, 1, 2, 3, 2**32 - 1]), st.sampled_from([0.5, 1.0, 1.7]), max_size=4
    ),
    some_words,
)


@pytest.mark.parametrize("adapter", [name for name in ADAPTERS if name != "memory"])
@settings(max_examples=12, deadline=None)
@given(st.lists(texts, min_size=1, max_size=40), texts, st.integers(1, 45))
def test_every_adapter_ranks_as_the_memory_does(
    adapter: str, some: list[Text], question: Text, limit: int
) -> None:
    memory = MemoryIndex(MANIFEST)
    with empty_index(adapter) as edge:
        for index in (memory, edge):
            index.write([made(n, text) for n, text in enumerate(some)])
        asked = made(0, question)
        view = View(1, Filter())
        assert_alike(memory.dense(asked.dense, view, limit), edge.dense(asked.dense, view, limit))
        assert_alike(
            memory.lexical(asked.sparse, view, limit), edge.lexical(asked.sparse, view, limit)
        )
        assert memory.exact(asked.exact, view, limit) == edge.exact(asked.exact, view, limit)


def made(number: int, text: Text) -> Point:
    terms = tuple(sorted(text.terms.items()))
    return point(
        number,
        dense=vector(*text.dense),
        sparse=SparseVector(tuple(t for t, _ in terms), tuple(w for _, w in terms)),
        exact=text.exact,
    )


def assert_alike(a: Ranking, b: Ranking) -> None:
    """The same scores in the same places; the same points but where rounding parts what is equal in truth."""
    assert [hit.score for hit in b.hits] == pytest.approx(
        [hit.score for hit in a.hits], rel=1e-4, abs=1e-6
    )
    assert (a.lane, a.scale) == (b.lane, b.scale)
    for mine, theirs in zip(a.hits, b.hits, strict=True):
        if mine.chunk_id != theirs.chunk_id:
            near = [
                h.score
                for h in a.hits
                if abs(h.score - mine.score) <= 1e-4 * abs(mine.score) + 1e-6
            ]
            assert len(near) > 1 or mine.rank == len(a.hits)


def test_the_ids_of_both_suites_are_in_numeric_order() -> None:
    assert sorted(map(chunk_id, range(300))) == [chunk_id(n) for n in range(300)]
