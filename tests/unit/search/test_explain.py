from __future__ import annotations

import pytest

from library import Library
from proband.model import (
    CRITERIA,
    AnyOf,
    AtLeast,
    AtMost,
    Field,
    Filter,
    GeoPoint,
    Lane,
    Near,
    NoneOf,
    Question,
    Scope,
    SearchResult,
)
from proband.search.explain import conditions, forms, lanes, reasons, standings
from proband.search.pipeline import search
from proband.settings import SearchSettings
from proband.trials.ages import reached


def result(text: str) -> SearchResult:
    library = Library()
    library.add("RIGHT", "Asthma coded J45.9")
    library.add("OTHER", "Asthma in remission")
    with library.reader() as reader:
        return search(Question(text), Scope.public(), 1, reader, SearchSettings())


def test_lanes_give_the_best_rank_in_each_lane() -> None:
    (first, *_) = result("asthma coded J45.9").hits
    assert lanes(first.passages[0].found) == {"dense": 1, "lexical": 1, "exact": 1}


def test_every_place_has_its_rank_score_and_what_was_asked() -> None:
    answered = result("asthma coded J45.9")
    assert answered.plan
    asked = forms(answered.plan)
    right, other = reasons(answered)
    assert (right.document, other.document) == ("test/studies/RIGHT", "test/studies/OTHER")
    assert [(place.lane, place.rank, asked[n - 1].text) for place, n in right.places] == [
        ("dense", 1, "asthma coded J45.9"),
        ("exact", 1, "J45.9"),
        ("lexical", 1, "asthma coded J45.9"),
    ]
    assert [place.lane for place, _ in other.places] == ["dense", "lexical"]
    assert all(place.lane in asked[n - 1].lanes for place, n in (*right.places, *other.places))


def test_a_document_has_its_rank_in_each_lane_by_form() -> None:
    right, other = standings(result("asthma coded J45.9"))
    assert (right.document.parts[0], other.document.parts[0]) == ("RIGHT", "OTHER")
    assert right.ranks == {
        Lane.DENSE: (1,),
        Lane.LEXICAL: (1,),
        Lane.DOCUMENT: (None,),
        Lane.EXACT: (1,),
    }
    assert (other.ranks[Lane.DENSE], other.ranks[Lane.EXACT]) == ((2,), (None,))
    assert (right.rerank, right.score) == (None, pytest.approx(3 / 21))


def test_a_filter_is_told_in_words() -> None:
    where = Filter(
        (
            AnyOf(Field.STATUS, ("ACTIVE_NOT_RECRUITING",)),
            AnyOf(Field.PHASES, ("EARLY_PHASE1", "PHASE2", "NA")),
            AnyOf(Field.SEX, ("FEMALE", "ALL", "UNKNOWN")),
            AnyOf(Field.CONDITIONS, ("HER2_positive",)),
            AnyOf(Field.EXACT, ()),
            AnyOf(Field.KIND, CRITERIA),
            NoneOf(Field.KIND, ("EXCLUSION_CRITERION",)),
            AtMost(Field.MIN_AGE_DAYS, 19_724),
            AtLeast(Field.MAX_AGE_DAYS, 19_724),
            Near(Field.SITES, GeoPoint(52.5, 13.4), 80.0),
        )
    )
    assert conditions(where) == (
        "status: active not recruiting",
        "phase: early phase 1, phase 2 or not applicable",
        "sex: female, all or not stated",
        "condition: HER2_positive",
        "exact: nothing",
        "sections: inclusion criteria, exclusion criteria or unparsed criteria",
        "sections other than exclusion criteria",
        "lowest age at most 54 years",
        "highest age at least 54 years",
        "a site within 80 km of 52.5, 13.4",
    )


@pytest.mark.parametrize(
    "age", ["1 year", "54 years", "120 years", "6 months", "1 week", "10 days"]
)
def test_an_age_is_told_as_it_was_asked(age: str) -> None:
    days = reached(age)
    assert days is not None
    assert conditions(Filter((AtMost(Field.MIN_AGE_DAYS, days),))) == (f"lowest age at most {age}",)


def test_an_age_of_no_round_unit_is_told_in_days() -> None:
    told = conditions(Filter((AtLeast(Field.MAX_AGE_DAYS, 20_000),)))
    assert told == ("highest age at least 20,000 days",)
