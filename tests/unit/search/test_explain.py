from __future__ import annotations

from library import Library
from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    Field,
    Filter,
    GeoPoint,
    Near,
    NoneOf,
    Question,
    Scope,
    SearchResult,
)
from proband.search.explain import conditions, lanes, reasons
from proband.search.pipeline import search
from proband.settings import SearchSettings


def result(text: str) -> SearchResult:
    library = Library()
    library.add("RIGHT", "Asthma coded J45.9")
    library.add("OTHER", "Asthma in remission")
    with library.reader() as reader:
        return search(Question(text), Scope.public(), 1, reader, SearchSettings())


def test_lanes_give_the_best_rank_in_each_lane() -> None:
    (first, *_) = result("asthma coded J45.9").hits
    assert lanes(first.passages[0]) == {"dense": 1, "lexical": 1, "exact": 1}


def test_every_place_has_its_rank_score_and_what_was_asked() -> None:
    found = list(reasons(result("asthma coded J45.9")))
    lines = [(why.document, why.found.lane.value, why.found.rank, why.asked) for why in found]
    assert lines[:3] == [
        ("test/studies/RIGHT", "dense", 1, "asthma coded J45.9"),
        ("test/studies/RIGHT", "exact", 1, "=J45.9, J45.9"),
        ("test/studies/RIGHT", "lexical", 1, "asthma coded J45.9"),
    ]
    assert [line[0] for line in lines[3:]] == ["test/studies/OTHER"] * 2


def test_a_filter_is_told_in_words() -> None:
    where = Filter(
        (
            AnyOf(Field.SEX, ("FEMALE", "ALL")),
            NoneOf(Field.KIND, ("EXCLUSION_CRITERION",)),
            AtMost(Field.MIN_AGE_DAYS, 100),
            AtLeast(Field.MAX_AGE_DAYS, 100),
            Near(Field.SITES, GeoPoint(52.5, 13.4), 80.0),
        )
    )
    assert conditions(where) == (
        "sex is FEMALE or ALL",
        "kind is not EXCLUSION_CRITERION",
        "min_age_days at most 100",
        "max_age_days at least 100",
        "sites within 80 km of 52.5, 13.4",
    )
