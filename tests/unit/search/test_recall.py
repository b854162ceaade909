from __future__ import annotations

from library import Library, key
from proband.model import (
    ExactTerm,
    Filter,
    Lane,
    QueryPlan,
    Ranking,
    Scale,
    SectionKind,
    Variant,
    View,
)
from proband.search.recall import recall

VIEW = View(1, Filter())


def recalled(library: Library, plan: QueryPlan, limit: int = 60) -> tuple[Ranking, ...]:
    with library.reader() as reader:
        return recall(plan, VIEW, limit, reader).rankings


def plan(*variants: Variant, phrases: tuple[str, ...] = ()) -> QueryPlan:
    text = variants[0].text if variants else ""
    return QueryPlan(text, variants, (), phrases, Filter())


def documents(ranking: Ranking) -> list[str]:
    return [hit.document for hit in ranking.hits]


def test_rankings_stand_in_the_order_of_the_plan_and_know_their_variant() -> None:
    library = Library()
    library.add("A", "asthma")
    rankings = recalled(library, plan(Variant("asthma"), Variant("asthma attack")))
    assert [(ranking.lane, ranking.variant) for ranking in rankings] == [
        (Lane.DENSE, 0),
        (Lane.LEXICAL, 0),
        (Lane.DENSE, 1),
        (Lane.LEXICAL, 1),
    ]


def test_a_ranking_that_found_nothing_is_left_out() -> None:
    library = Library()
    library.add("A", "asthma")
    rankings = recalled(library, plan(Variant("zoster", (Lane.LEXICAL,))))
    assert rankings == ()


def test_a_variant_looks_only_into_its_sections() -> None:
    library = Library()
    library.add("A", "asthma", SectionKind.BRIEF_SUMMARY)
    library.add("B", "asthma", SectionKind.OUTCOME)
    (ranking,) = recalled(
        library, plan(Variant("asthma", (Lane.LEXICAL,), (SectionKind.BRIEF_SUMMARY,)))
    )
    assert documents(ranking) == [key("A")]


def test_a_title_stands_for_its_document_in_a_lane_of_its_own() -> None:
    library = Library()
    library.add("A", "asthma", SectionKind.TITLE)
    library.add("B", "asthma", SectionKind.OUTCOME)
    variant = Variant("asthma", (Lane.LEXICAL, Lane.DOCUMENT))
    lexical, document = recalled(library, plan(variant))
    assert sorted(documents(lexical)) == [key("A"), key("B")]
    assert documents(document) == [key("A")]
    assert (lexical.lane, document.lane) == (Lane.LEXICAL, Lane.DOCUMENT)
    assert document.scale is Scale.BM25


def test_a_ranking_is_at_most_as_long_as_asked() -> None:
    library = Library()
    for number in range(5):
        library.add(f"S{number}", "asthma")
    rankings = recalled(library, plan(Variant("asthma")), limit=3)
    assert [len(ranking.hits) for ranking in rankings] == [3, 3]


def test_the_exact_lane_is_asked_when_the_question_names_something() -> None:
    library = Library()
    library.add("CODED", "Coded E11.9")
    term = ExactTerm("E11.9", ((), (), ("icd10:E119",), (), ()))
    (ranking,) = recalled(library, QueryPlan("E11.9", (), (term,), (), Filter()))
    assert (ranking.lane, documents(ranking)) == (Lane.EXACT, [key("CODED")])


def test_each_phrase_is_a_ranking_of_the_chunks_that_hold_it() -> None:
    library = Library()
    library.add("BOTH", "prior chemotherapy and stable disease")
    library.add("FIRST", "prior chemotherapy")
    library.add("NONE", "chemotherapy prior to this")
    rankings = recalled(library, plan(phrases=("prior chemotherapy", "stable disease")))
    assert [sorted(documents(ranking)) for ranking in rankings] == [
        [key("BOTH"), key("FIRST")],
        [key("BOTH")],
    ]
    assert {hit.score for ranking in rankings for hit in ranking.hits} == {1.0}


def test_a_phrase_that_stands_nowhere_is_named() -> None:
    library = Library()
    library.add("LUNG", "Cancer of the lung")
    asked = plan(phrases=("no such wording", "lung"))
    with library.reader() as reader:
        assert recall(asked, VIEW, 60, reader).absent == ("no such wording",)
