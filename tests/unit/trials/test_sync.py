"""What a sync asks and concludes."""

from __future__ import annotations

from datetime import date

import pytest

from proband.errors import UsageError
from proband.trials.sync import StudyQuery, Sweep, day_of


def test_empty_query_asks_for_everything() -> None:
    assert StudyQuery().parameters() == {}
    assert StudyQuery(condition=" ", term="\n").parameters() == {}


def test_texts_reach_the_registry_as_they_are() -> None:
    query = StudyQuery(condition="heart AND lung", term='AREA[Phase]PHASE3 "quoted"')
    assert query.parameters() == {
        "query.cond": "heart AND lung",
        "query.term": 'AREA[Phase]PHASE3 "quoted"',
    }


def test_day_asks_for_later_updates_and_for_unknown_ones() -> None:
    assert StudyQuery(since=date(2026, 9, 1)).parameters() == {
        "filter.advanced": (
            "AREA[LastUpdatePostDate]RANGE[2026-09-01,MAX] OR AREA[LastUpdatePostDate]MISSING"
        )
    }


@pytest.mark.parametrize(
    "term",
    [
        "NCT99000001",
        "nct99000001",
        " NCT99000001, NCT99000002 ",
        "NCT99000001 OR NCT99000002",
        "NCT99000001|NCT99000002",
        "NCT99000001 NCT99000002",
    ],
)
def test_query_of_nothing_but_ids_becomes_a_filter(term: str) -> None:
    """With such a query text the API would ignore the filters beside it."""
    parameters = StudyQuery(condition="pain", term=term).parameters()
    ids = "NCT99000001,NCT99000002" if "2" in term else "NCT99000001"
    assert parameters == {"query.cond": "pain", "filter.ids": ids}


@pytest.mark.parametrize("term", ["NCT99000001 AND pain", "NCT9900000", "NCT99000001x", "pain"])
def test_query_with_other_words_stays_a_query(term: str) -> None:
    assert StudyQuery(term=term).parameters() == {"query.term": term}


def test_condition_of_nothing_but_ids_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="NCT99000001 names studies, not a condition; use --query"):
        StudyQuery(condition="NCT99000001")


def test_what_a_whole_sweep_does_not_list_is_absent() -> None:
    sweep = Sweep({"NCT99000001": None, "NCT99000002": None})
    assert sweep.absent(["NCT99000003", "NCT99000001", "NCT99000000"]) == (
        "NCT99000000",
        "NCT99000003",
    )


def test_nothing_is_absent_while_there_is_doubt() -> None:
    assert Sweep({}, "the data changed").absent(["NCT99000001"]) == ()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-09-04", date(2026, 9, 4)),
        ("2026-09", date(2026, 9, 1)),
        ("2026", date(2026, 1, 1)),
        ("2026-13", None),
        ("", None),
        (None, None),
        ("studies.jsonl", None),
    ],
)
def test_partial_dates_begin_on_their_first_day(text: str | None, day: date | None) -> None:
    assert day_of(text) == day
