"""What every index does, by value. Each test runs against every adapter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from factories import DIMENSIONS, chunk_id, point, vector
from indexes import ADAPTERS, MANIFEST, empty_index
from proband.adapters.memory import distance_km
from proband.errors import BadModelOutput
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
    Float32Vector,
    GeoPoint,
    Lane,
    Near,
    NoneOf,
    Point,
    Ranking,
    Scale,
    Scope,
    SectionKind,
    SparseVector,
    View,
)
from proband.ports import IndexWriter

X, Y, Z = vector(1), vector(0, 1), vector(0, 0, 1)
ALL = View(1, Filter())


STUDIES = [name for name in ADAPTERS if name != "qdrant_edge_records"]
"""Those that count the fields of studies."""


@pytest.fixture(params=ADAPTERS)
def index(request: pytest.FixtureRequest) -> Iterator[IndexWriter]:
    """An empty index of this adapter."""
    with empty_index(request.param) as made:
        yield made


def where(*conditions: Condition, generation: int = 1) -> View:
    return View(generation, Filter(conditions))


def numbers(ranking: Ranking) -> list[int]:
    """The numbers of the points that were hit, in order."""
    return [int(hit.chunk_id.replace("-", ""), 16) for hit in ranking.hits]


def scores(ranking: Ranking) -> list[float]:
    return [hit.score for hit in ranking.hits]


def found(index: IndexWriter, view: View) -> set[int]:
    """What the view shows, which has to be the same in every lane, in count and in facets."""
    by_dense = numbers(index.dense(X, view, 1000))
    by_terms = numbers(index.lexical(SparseVector((1,), (1.0,)), view, 1000))
    assert len(by_dense) == len(set(by_dense))
    assert set(by_dense) == set(by_terms)
    assert index.count(view) == len(by_dense)
    assert sum(count for _, count in index.facets(Field.KIND, view, 100)) == len(by_dense)
    return set(by_dense)


# --- filters ---------------------------------------------------------------------------------------------------------

KEYWORDS: list[tuple[Field, Callable[[int, str], Point]]] = [
    (Field.DOCUMENT, lambda n, v: point(n, document=v)),
    (Field.STATUS, lambda n, v: point(n, facets=Facets(status=v))),
    (Field.STUDY_TYPE, lambda n, v: point(n, facets=Facets(study_type=v))),
    (Field.PHASES, lambda n, v: point(n, facets=Facets(phases=("N", v, "M")))),
    (Field.SEX, lambda n, v: point(n, facets=Facets(sex=v))),
    (Field.CONDITIONS, lambda n, v: point(n, facets=Facets(conditions=("N", v)))),
    (Field.EXACT, lambda n, v: point(n, exact=(v,))),
]
WORDS = ("PHASE1", "phase1", "true", "1", "ß 中文 naïve", "naïve", "a/b=c.d[0]", "", " ", "x" * 300)


@pytest.mark.parametrize(("field", "make"), KEYWORDS, ids=lambda value: str(value))
def test_keyword_condition_counts_both_sides(
    index: IndexWriter, field: Field, make: Callable[[int, str], Point]
) -> None:
    """A value that a filter silently never matches would show on one side or the other."""
    index.write([make(n, word) for n, word in enumerate(WORDS)])
    every = set(range(len(WORDS)))
    for n, word in enumerate(WORDS):
        assert found(index, where(AnyOf(field, (word,)))) == {n}
        assert found(index, where(NoneOf(field, (word,)))) == every - {n}
        assert found(index, where(AnyOf(field, (word, "never")))) == {n}
        assert found(index, where(NoneOf(field, (word, "never")))) == every - {n}
    assert found(index, where(AnyOf(field, WORDS))) == every
    assert found(index, where(NoneOf(field, WORDS))) == set()


OF_ROWS = (Field.PATIENT, Field.TABLE, Field.FACILITY, Field.SENSITIVITY)
ALIKE = ("h/p/1", "h/p/10", "h/p/1%2F0", "H/p/1", "h/p/1 ", "naïve", "中", "a=b", "x" * 300)


@pytest.mark.parametrize("field", OF_ROWS)
def test_fields_of_rows_tell_words_apart_and_a_study_holds_none(
    index: IndexWriter, field: Field
) -> None:
    index.write(
        [point(n, facets=Facets(**{field.value: word})) for n, word in enumerate(ALIKE)]
        + [point(50)]
    )
    every = {*range(len(ALIKE)), 50}
    for n, word in enumerate(ALIKE):
        assert found(index, where(AnyOf(field, (word,)))) == {n}
        assert found(index, where(NoneOf(field, (word,)))) == every - {n}
    assert found(index, where(AnyOf(field, ALIKE))) == every - {50}
    assert found(index, where(AnyOf(field, ("",)))) == set()


@pytest.mark.parametrize("adapter", ["memory", "qdrant_edge_records"])
@pytest.mark.parametrize("field", OF_ROWS)
def test_fields_of_rows_are_counted_in_a_records_index(adapter: str, field: Field) -> None:
    with empty_index(adapter) as index:
        index.write([point(n, facets=Facets(**{field.value: w})) for n, w in enumerate(ALIKE)])
        assert index.facets(field, ALL, 100) == sorted((word, 1) for word in ALIKE)


def test_a_scope_of_many_patients_is_kept_whole(index: IndexWriter) -> None:
    index.write([point(n, facets=Facets(patient=f"h/p/{n}")) for n in range(400)])
    scope = tuple(f"h/p/{n}" for n in range(0, 600, 2))
    assert found(index, where(AnyOf(Field.PATIENT, scope))) == set(range(0, 400, 2))


DAYS = (-719_162, -1, 0, 1, 20_000)


def test_days_of_rows_are_spans_and_undated_rows_lie_in_none(index: IndexWriter) -> None:
    index.write([point(n, facets=Facets(first_day=d, last_day=d)) for n, d in enumerate(DAYS)])
    index.write([point(8, facets=Facets(first_day=-5, last_day=5)), point(9)])

    def within(first: int, last: int) -> set[int]:
        return found(index, where(AtMost(Field.FIRST_DAY, last), AtLeast(Field.LAST_DAY, first)))

    assert within(-1, 0) == {1, 2, 8}
    assert within(-800_000, 30_000) == {0, 1, 2, 3, 4, 8}
    assert within(6, 19_999) == set()
    assert within(5, 5) == {8}


def test_every_kind_can_be_filtered_by(index: IndexWriter) -> None:
    index.write([point(n, kind=kind) for n, kind in enumerate(SectionKind)])
    every = set(range(len(SectionKind)))
    for n, kind in enumerate(SectionKind):
        assert found(index, where(AnyOf(Field.KIND, (kind,)))) == {n}
        assert found(index, where(NoneOf(Field.KIND, (kind,)))) == every - {n}


def test_no_values_match_nothing_and_exclude_nothing(index: IndexWriter) -> None:
    index.write([point(1, exact=("a",)), point(2)])
    for field in (Field.KIND, *(field for field, _ in KEYWORDS)):
        assert found(index, where(AnyOf(field, ()))) == set()
        assert found(index, where(NoneOf(field, ()))) == {1, 2}


def test_a_point_that_holds_no_value_fits_every_exclusion(index: IndexWriter) -> None:
    index.write([point(1, exact=("a",), facets=Facets(phases=("a",), conditions=("a",))), point(2)])
    for field in (Field.PHASES, Field.CONDITIONS, Field.EXACT):
        assert found(index, where(NoneOf(field, ("a",)))) == {2}
        assert found(index, where(NoneOf(field, ("b",)))) == {1, 2}
        assert found(index, where(AnyOf(field, ("a",)))) == {1}


AGES = (0, 1, 17, 18, 6574, 6575, FOREVER - 1, FOREVER)


@pytest.mark.parametrize(
    ("field", "make"),
    [
        (Field.MIN_AGE_DAYS, lambda age: Facets(min_age_days=age)),
        (Field.MAX_AGE_DAYS, lambda age: Facets(max_age_days=age)),
    ],
)
def test_bounds_of_integers_are_inclusive(
    index: IndexWriter, field: Field, make: Callable[[int], Facets]
) -> None:
    index.write([point(n, facets=make(age)) for n, age in enumerate(AGES)])
    for at, age in enumerate(AGES):
        assert found(index, where(AtMost(field, age))) == set(range(at + 1))
        assert found(index, where(AtLeast(field, age))) == set(range(at, len(AGES)))
        assert found(index, where(AtLeast(field, age), AtMost(field, age))) == {at}


def test_integer_bounds_beyond_all_values_match_all_or_nothing(index: IndexWriter) -> None:
    index.write([point(1, facets=Facets(min_age_days=5))])
    assert found(index, where(AtMost(Field.MIN_AGE_DAYS, -1))) == set()
    assert found(index, where(AtLeast(Field.MIN_AGE_DAYS, 0))) == {1}


BERLIN, POTSDAM, LONDON = (
    GeoPoint(52.52, 13.405),
    GeoPoint(52.39, 13.0645),
    GeoPoint(51.5074, -0.1278),
)
SYDNEY, NORTH, SOUTH = GeoPoint(-33.8688, 151.2093), GeoPoint(90, 0), GeoPoint(-90, 0)
EAST, WEST = GeoPoint(-17.8, 179.9), GeoPoint(-17.8, -179.9)


PAIRS = (
    (BERLIN, POTSDAM),
    (BERLIN, LONDON),
    (LONDON, SYDNEY),
    (EAST, WEST),
    (NORTH, GeoPoint(89.9, 120)),
    (NORTH, GeoPoint(-89.9, 33)),
    (SOUTH, SYDNEY),
    (GeoPoint(0, 0), GeoPoint(0, 0.001)),
)


def test_a_site_is_near_from_its_very_distance_on(index: IndexWriter) -> None:
    index.write([point(n, facets=Facets(sites=(site,))) for n, (_, site) in enumerate(PAIRS)])
    index.write([point(99)])
    for n, (place, site) in enumerate(PAIRS):
        distance = distance_km(place, site)
        assert n in found(index, where(Near(Field.SITES, place, distance * 1.000_001)))
        assert n not in found(index, where(Near(Field.SITES, place, distance * 0.999_999)))
    assert 99 not in found(index, where(Near(Field.SITES, BERLIN, 30_000)))


def test_no_site_is_lost_near_the_poles_and_the_date_line(index: IndexWriter) -> None:
    """Where Edge's own circle loses some: it looks through cells that do not cover the circle."""
    chance = np.random.default_rng(4)
    north, east = chance.uniform(80, 90, (60, 1)), chance.uniform(175, 185, (60, 1))
    places = [
        *np.hstack([north * chance.choice([1, -1], (60, 1)), chance.uniform(-180, 180, (60, 1))]),
        *np.hstack([chance.uniform(-80, 80, (60, 1)), (east + 180) % 360 - 180]),
        *[(90, 0), (-90, 77), (0, 180), (0, -180), (45, -180)],
    ]
    sites = [GeoPoint(float(latitude), float(longitude)) for latitude, longitude in places]
    index.write([point(n, facets=Facets(sites=(site,))) for n, site in enumerate(sites)])
    for place in sites[::4]:
        radius = float(chance.uniform(200, 4_000))
        near = {n for n, site in enumerate(sites) if distance_km(place, site) <= radius}
        assert found(index, where(Near(Field.SITES, place, radius))) == near


def test_the_nearest_of_several_sites_counts(index: IndexWriter) -> None:
    index.write([point(1, facets=Facets(sites=(SYDNEY, POTSDAM))), point(2)])
    assert found(index, where(Near(Field.SITES, BERLIN, 50))) == {1}
    assert found(index, where(Near(Field.SITES, LONDON, 50))) == set()


def test_a_site_is_near_itself_within_no_distance_at_all(index: IndexWriter) -> None:
    places = (BERLIN, POTSDAM, GeoPoint(0, 0), GeoPoint(0, 180), GeoPoint(-45, 90))
    index.write([point(n, facets=Facets(sites=(place,))) for n, place in enumerate(places)])
    for n, place in enumerate(places):
        assert found(index, where(Near(Field.SITES, place, 0))) == {n}


def test_a_condition_on_a_field_of_another_type_is_a_mistake_and_not_an_empty_result(
    index: IndexWriter,
) -> None:
    for wrong in (
        AnyOf(Field.MIN_AGE_DAYS, ("1",)),
        NoneOf(Field.SITES, ("x",)),
        AtMost(Field.STATUS, 1),
        AtLeast(Field.SITES, 1),
        Near(Field.STATUS, BERLIN, 1),
    ):
        with pytest.raises(ValueError, match=wrong.field):
            _refused(index, where(wrong))


def _refused(index: IndexWriter, view: View) -> None:
    index.write([point(1)])
    index.count(view)


def test_conditions_are_a_conjunction(index: IndexWriter) -> None:
    index.write(
        [
            point(1, facets=Facets(status="RECRUITING", min_age_days=18)),
            point(2, facets=Facets(status="RECRUITING", min_age_days=40)),
            point(3, facets=Facets(status="COMPLETED", min_age_days=18)),
        ]
    )
    recruiting, young = AnyOf(Field.STATUS, ("RECRUITING",)), AtMost(Field.MIN_AGE_DAYS, 20)
    assert found(index, where(recruiting, young)) == {1}
    assert found(index, where(NoneOf(Field.STATUS, ("RECRUITING",)), young)) == {3}


def test_two_conditions_on_one_field_have_to_fit_both(index: IndexWriter) -> None:
    index.write([point(n, exact=held) for n, held in enumerate([("a",), ("b",), ("a", "b")])])
    both = where(AnyOf(Field.EXACT, ("a",)), AnyOf(Field.EXACT, ("b",)))
    assert found(index, both) == {2}


def test_a_scope_narrows_what_the_question_asks_for(index: IndexWriter) -> None:
    index.write([point(n, document=name) for n, name in enumerate(["mine", "mine", "theirs"])])
    scope = Scope(Filter((AnyOf(Field.DOCUMENT, ("mine",)),)))
    assert found(index, scope.view(1, Filter())) == {0, 1}
    assert found(index, scope.view(1, Filter((AnyOf(Field.DOCUMENT, ("theirs",)),)))) == set()
    assert found(index, scope.view(1, Filter((AnyOf(Field.DOCUMENT, ("mine", "theirs")),)))) == {
        0,
        1,
    }


# --- generations -----------------------------------------------------------------------------------------------------


def test_a_point_is_seen_from_its_birth_until_before_its_death(index: IndexWriter) -> None:
    index.write([point(1, born=2, died=4), point(2, born=3), point(3, born=1, died=2)])
    seen = {generation: found(index, where(generation=generation)) for generation in range(6)}
    assert seen == {0: set(), 1: {3}, 2: {1}, 3: {1, 2}, 4: {2}, 5: {2}}


def test_the_exact_lane_sees_one_generation_too(index: IndexWriter) -> None:
    index.write([point(1, exact=("e11.9",), died=2), point(2, exact=("e11.9",), born=2)])
    assert numbers(index.exact(["e11.9"], where(generation=1), 10)) == [1]
    assert numbers(index.exact(["e11.9"], where(generation=2), 10)) == [2]


def test_an_expired_point_stays_in_older_generations(index: IndexWriter) -> None:
    index.write([point(1), point(2)])
    index.expire([chunk_id(1), chunk_id(99)], 2)
    assert found(index, where(generation=1)) == {1, 2}
    assert found(index, where(generation=2)) == {2}
    assert index.ids() == {chunk_id(1): (1, 2), chunk_id(2): (1, FOREVER)}


def test_expiry_can_be_taken_back(index: IndexWriter) -> None:
    index.write([point(1)])
    index.expire([chunk_id(1)], 2)
    index.expire([chunk_id(1)], FOREVER)
    assert found(index, where(generation=7)) == {1}


def test_a_removed_point_is_in_no_generation(index: IndexWriter) -> None:
    index.write([point(1), point(2)])
    index.remove([chunk_id(1), chunk_id(99)])
    assert found(index, ALL) == {2}
    assert index.ids() == {chunk_id(2): (1, FOREVER)}
    assert index.fetch([chunk_id(1)]) == {}


def test_nothing_to_change_changes_nothing(index: IndexWriter) -> None:
    index.write([point(1)])
    index.write([])
    index.expire([], 2)
    index.remove([])
    assert index.ids() == {chunk_id(1): (1, FOREVER)}


# --- lanes -----------------------------------------------------------------------------------------------------------


def test_the_dense_lane_ranks_by_cosine_whatever_the_length_of_the_vectors(
    index: IndexWriter,
) -> None:
    index.write(
        [point(1, dense=3 * X), point(2, dense=X + Y), point(3, dense=Y), point(4, dense=-X)]
    )
    ranking = index.dense(np.float32(2) * X, ALL, 10)
    assert (ranking.lane, ranking.scale, ranking.variant) == (Lane.DENSE, Scale.COSINE, 0)
    assert numbers(ranking) == [1, 2, 3, 4]
    assert scores(ranking) == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-6)
    assert [hit.rank for hit in ranking.hits] == [1, 2, 3, 4]


def test_hits_name_document_and_kind(index: IndexWriter) -> None:
    index.write(
        [point(1, document="ctgov/studies/NCT99000007", kind=SectionKind.OUTCOME, exact=("a",))]
    )
    for ranking in (
        index.dense(X, ALL, 1),
        index.lexical(SparseVector((1,), (1.0,)), ALL, 1),
        index.exact(["a"], ALL, 1),
    ):
        (hit,) = ranking.hits
        assert (hit.document, hit.kind) == ("ctgov/studies/NCT99000007", SectionKind.OUTCOME)


def test_the_lexical_lane_scores_weights_times_idf(index: IndexWriter) -> None:
    """IDF = ln(1 + (N - n + 0.5) / (n + 0.5)), N of the points with terms, in all generations."""
    index.write(
        [
            point(1, sparse=SparseVector((5, 7), (1.0, 2.0))),
            point(2, sparse=SparseVector((5,), (0.5,))),
            point(3, sparse=SparseVector((2**32 - 1,), (1.5,)), died=1),
            point(4, sparse=SparseVector((), ())),
        ]
    )
    two, one = np.log(1 + 1.5 / 2.5), np.log(1 + 2.5 / 1.5)
    ranking = index.lexical(SparseVector((5, 7), (1.0, 3.0)), ALL, 10)
    assert (ranking.lane, ranking.scale) == (Lane.LEXICAL, Scale.BM25)
    assert numbers(ranking) == [1, 2]
    assert scores(ranking) == pytest.approx([two + 6 * one, 0.5 * two], rel=1e-4)


def test_the_document_lane_has_terms_and_an_idf_of_its_own(index: IndexWriter) -> None:
    """A title says two words itself and stands for a document that says others."""
    index.write(
        [
            point(1, sparse=SparseVector((5,), (1.0,)), document_terms=SparseVector((7,), (2.0,))),
            point(2, sparse=SparseVector((7,), (9.0,))),
            point(3, document_terms=SparseVector((7, 8), (3.0, 1.0)), died=2),
            point(4, document_terms=SparseVector((8,), (1.0,)), kind=SectionKind.OUTCOME),
        ]
    )
    ranking = index.document(SparseVector((7,), (1.0,)), ALL, 10)
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert (ranking.lane, ranking.scale) == (Lane.DOCUMENT, Scale.BM25)
    assert numbers(ranking) == [3, 1]
    assert scores(ranking) == pytest.approx([3 * idf, 2 * idf], rel=1e-5)
    assert numbers(index.document(SparseVector((7,), (1.0,)), where(generation=2), 10)) == [1]
    outcomes = where(AnyOf(Field.KIND, (SectionKind.OUTCOME,)))
    assert numbers(index.document(SparseVector((7, 8), (1.0, 1.0)), outcomes, 10)) == [4]
    assert index.document(SparseVector((5,), (1.0,)), ALL, 10).hits == ()
    assert index.document(SparseVector((), ()), ALL, 10).hits == ()


def test_document_terms_come_back_with_their_point(index: IndexWriter) -> None:
    index.write([point(1, document_terms=SparseVector((7, 9), (0.5, 2.0))), point(2)])
    found = index.fetch([chunk_id(1), chunk_id(2)])
    assert found[chunk_id(1)].document_terms == SparseVector((7, 9), (0.5, 2.0))
    assert found[chunk_id(2)].document_terms is None


def test_a_filter_does_not_change_lexical_scores(index: IndexWriter) -> None:
    index.write(
        [point(n, document=str(n % 2), sparse=SparseVector((n % 3,), (1.0,))) for n in range(9)]
    )
    open_, narrow = (
        {
            hit.chunk_id: hit.score
            for hit in index.lexical(SparseVector((1,), (1.0,)), view, 10).hits
        }
        for view in (ALL, where(AnyOf(Field.DOCUMENT, ("1",))))
    )
    assert set(narrow) == {chunk_id(1), chunk_id(7)}
    assert narrow == {found_id: open_[found_id] for found_id in narrow}


def test_held_are_the_terms_that_any_visible_point_has(index: IndexWriter) -> None:
    index.write([point(n, exact=(f"t{n % 30}", "all")) for n in range(60)])
    index.write([point(70, exact=("gone",), died=2), point(71, exact=("later",), born=3)])
    asked = ["all", "t7", "t29", "t30", "gone", "later", "all"]
    assert index.held(asked, where(generation=2)) == {"all", "t7", "t29"}
    assert index.held(asked, where(generation=3)) == {"all", "t7", "t29", "later"}
    assert index.held(["t7"], where(AnyOf(Field.EXACT, ("t8",)))) == frozenset()
    assert index.held([], ALL) == frozenset()


def test_the_exact_lane_ranks_by_how_many_terms_a_point_holds(index: IndexWriter) -> None:
    held = [("a",), ("a", "b", "c"), ("c", "b"), ("d",), (), ("b", "a", "d")]
    index.write([point(n, exact=terms) for n, terms in enumerate(held)])
    ranking = index.exact(["c", "a", "b", "a", "never"], ALL, 10)
    assert (ranking.lane, ranking.scale) == (Lane.EXACT, Scale.MATCHES)
    assert list(zip(numbers(ranking), scores(ranking), strict=True)) == [
        (1, 3),
        (2, 2),
        (5, 2),
        (0, 1),
    ]
    assert [hit.rank for hit in ranking.hits] == [1, 2, 3, 4]
    assert numbers(index.exact(["c", "a", "b"], ALL, 2)) == [1, 2]


def test_many_exact_terms_are_counted_as_few_are(index: IndexWriter) -> None:
    asked = [f"t{n:02}" for n in range(40)]
    index.write([point(n, exact=tuple(asked[:n])) for n in range(1, 31)])
    index.write([point(40, exact=("t00",), born=2)])
    ranking = index.exact(asked, where(generation=1), 3)
    assert list(zip(numbers(ranking), scores(ranking), strict=True)) == [
        (30, 30),
        (29, 29),
        (28, 28),
    ]


def test_an_empty_question_finds_nothing(index: IndexWriter) -> None:
    index.write([point(1, exact=("",))])
    assert index.lexical(SparseVector((), ()), ALL, 10).hits == ()
    assert index.exact([], ALL, 10).hits == ()


def test_an_empty_index_answers_empty(index: IndexWriter) -> None:
    assert found(index, ALL) == set()
    assert index.exact(["a"], ALL, 10).hits == ()
    assert index.fetch([chunk_id(1)]) == {}
    assert index.ids() == {}
    assert index.facets(Field.STATUS, ALL, 10) == []


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4])
def test_equal_scores_stand_in_order_of_id_also_at_the_cut(index: IndexWriter, limit: int) -> None:
    same = [60, 3, 50, 1, 40, 2, 30]
    index.write([point(n, dense=X, exact=("a",)) for n in same])
    index.write([point(100, dense=X + Y, sparse=SparseVector((2,), (1.0,)))])
    assert numbers(index.dense(X, ALL, limit)) == sorted(same)[:limit]
    assert numbers(index.lexical(SparseVector((1,), (1.0,)), ALL, limit)) == sorted(same)[:limit]
    assert numbers(index.exact(["a"], ALL, limit)) == sorted(same)[:limit]


def test_a_thousand_equal_texts_are_cut_in_order_of_id(index: IndexWriter) -> None:
    """Stock phrases occur hundreds of times in a registry, far more often than any limit."""
    numbers_ = np.random.default_rng(1).permutation(1000)
    index.write([point(int(n), dense=Y, exact=("a",)) for n in numbers_])
    index.write([point(2000, dense=X)])
    assert numbers(index.dense(X + Y, ALL, 7)) == list(range(7))
    assert numbers(index.dense(X, ALL, 7)) == [2000, *range(6)]
    assert numbers(index.lexical(SparseVector((1,), (1.0,)), ALL, 7)) == list(range(7))
    assert numbers(index.exact(["a"], ALL, 7)) == list(range(7))


def test_a_limit_of_six_thousand_returns_six_thousand(index: IndexWriter) -> None:
    index.write([point(n, dense=X + np.float32(n) * Y, exact=("a",)) for n in range(6100)])
    assert numbers(index.dense(X, ALL, 6000)) == list(range(6000))
    assert numbers(index.lexical(SparseVector((1,), (1.0,)), ALL, 6000)) == list(range(6000))
    assert numbers(index.exact(["a"], ALL, 6000)) == list(range(6000))


@pytest.mark.parametrize(
    "wrong",
    [np.ones(3), np.ones((1, DIMENSIONS)), vector(np.nan), vector(np.inf)],
    ids=["short", "matrix", "nan", "inf"],
)
def test_a_vector_that_does_not_fit_is_refused(index: IndexWriter, wrong: Float32Vector) -> None:
    with pytest.raises(BadModelOutput, match=f"{DIMENSIONS} dimensions"):
        index.write([point(1), point(2, dense=wrong.astype(np.float32))])
    with pytest.raises(BadModelOutput, match=f"{DIMENSIONS} dimensions"):
        index.dense(wrong.astype(np.float32), ALL, 1)
    assert index.ids() == {}


# --- what is held ----------------------------------------------------------------------------------------------------

FULL = point(
    7,
    document="ctgov/studies/NCT99000007",
    kind=SectionKind.EXCLUSION_CRITERION,
    ordinal=12,
    dense=(X + Z) * np.float32(3),
    sparse=SparseVector((0, 9, 2**32 - 1), (0.5, 1.25, 2.0)),
    exact=("NCT99000007", "e11.9", "0.5 mg", "naïve"),
    facets=Facets(
        status="RECRUITING",
        study_type="INTERVENTIONAL",
        phases=("PHASE1", "PHASE2"),
        sex="FEMALE",
        min_age_days=6574,
        max_age_days=FOREVER,
        conditions=("diabète de type 2", "糖尿病"),
        sites=(BERLIN, GeoPoint(-33.868812345, 151.209345678)),
    ),
    born=3,
    died=9,
)


ROW = point(
    9,
    document="h/visits/1",
    kind=SectionKind.ROW,
    facets=Facets(
        patient="h/patients/1",
        table="h/visits",
        first_day=0,
        last_day=0,
        facility="Ward 3",
        sensitivity="mental health",
    ),
    born=3,
)


@pytest.mark.parametrize(
    "whole",
    [FULL, ROW, point(8, sparse=SparseVector((), ()))],
    ids=["full", "row", "bare"],
)
def test_a_fetched_point_equals_the_written_one_but_for_the_norm_of_its_vector(
    index: IndexWriter, whole: Point
) -> None:
    index.write([point(1), whole])
    fetched = index.fetch([whole.id, chunk_id(99), whole.id])
    assert list(fetched) == [whole.id]
    assert_equal(fetched[whole.id], replace(whole, dense=whole.dense / np.linalg.norm(whole.dense)))


def assert_equal(a: Point, b: Point) -> None:
    assert replace(a, dense=X) == replace(b, dense=X)
    assert a.dense.dtype == np.float32
    np.testing.assert_allclose(a.dense, b.dense, atol=1e-6)


def test_writing_a_point_again_replaces_all_of_it(index: IndexWriter) -> None:
    index.write([FULL, FULL])
    index.write([FULL])
    assert index.count(where(generation=3)) == 1
    bare = point(7, sparse=SparseVector((4,), (1.0,)))
    index.write([bare])
    assert_equal(index.fetch([FULL.id])[FULL.id], bare)
    assert index.exact(["e11.9"], ALL, 10).hits == ()
    assert index.lexical(SparseVector((9,), (1.0,)), ALL, 10).hits == ()
    assert numbers(index.lexical(SparseVector((4,), (1.0,)), ALL, 10)) == [7]


@pytest.mark.parametrize("index", STUDIES, indirect=True)
def test_facets_count_points_most_frequent_first_ties_by_value(index: IndexWriter) -> None:
    values = [("b",), ("b", "a"), ("c", "c"), ("é",), ("a", "b"), ("d",)]
    index.write([point(n, facets=Facets(conditions=names)) for n, names in enumerate(values)])
    index.write([point(50, facets=Facets(conditions=("late",)), born=2)])
    every = [("b", 3), ("a", 2), ("c", 1), ("d", 1), ("é", 1)]
    assert index.facets(Field.CONDITIONS, ALL, 10) == every
    assert index.facets(Field.CONDITIONS, ALL, 3) == every[:3]
    assert index.facets(Field.CONDITIONS, ALL, 0) == []
    narrow = where(AnyOf(Field.CONDITIONS, ("a",)))
    assert index.facets(Field.CONDITIONS, narrow, 10) == [("a", 2), ("b", 2)]
    with pytest.raises(ValueError, match="min_age_days"):
        index.facets(Field.MIN_AGE_DAYS, ALL, 10)


def test_the_manifest_can_be_replaced_but_not_its_dimensions(index: IndexWriter) -> None:
    assert index.manifest() == MANIFEST
    newer = replace(MANIFEST, model_digest="newer", analyser_version=2)
    index.describe(newer)
    assert index.manifest() == newer
    with pytest.raises(ValueError, match=f"of {DIMENSIONS}"):
        index.describe(replace(newer, dimensions=8))


def test_results_do_not_depend_on_optimize_or_flush(index: IndexWriter) -> None:
    points = [
        point(n, dense=vector(n % 7, n % 5, 1, n % 3), exact=(str(n % 4),)) for n in range(300)
    ]
    index.write(points)
    before = _everything(index)
    index.flush()
    index.optimize()
    assert _everything(index) == before


def _everything(
    index: IndexWriter,
) -> tuple[Ranking, Ranking, Ranking, dict[ChunkId, tuple[int, int]]]:
    return (
        index.dense(X + Z, ALL, 50),
        index.lexical(SparseVector((1,), (1.0,)), ALL, 50),
        index.exact(["1", "2"], ALL, 50),
        dict(index.ids()),
    )
