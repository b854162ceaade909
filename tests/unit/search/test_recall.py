from __future__ import annotations

from library import Library, key
from proband.model import Filter, Lane, QueryPlan, Ranking, Scale, SectionKind, Variant, View
from proband.search.recall import recall

VIEW = View(1, Filter())


def recalled(library: Library, plan: QueryPlan, limit: int = 60) -> tuple[Ranking, ...]:
    with library.reader() as reader:
        return recall(plan, VIEW, limit, reader).rankings


def plan(
    *variants: Variant, exact: tuple[str, ...] = (), phrases: tuple[str, ...] = ()
) -> QueryPlan:
    text = variants[0].text if variants else ""
    return QueryPlan(text, variants, exact, phrases, Filter())


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


def test_more_exact_terms_come_first_and_then_the_words_of_the_question() -> None:
    library = Library()
    library.add("ONE", "Coded E11.9")
    library.add("WORDS", "Coded E11.9 with neuropathy of the feet")
    library.add("TWO", "Coded E11.9 and I10.0")
    question = Variant("neuropathy E11.9 I10.0", ())
    (ranking,) = recalled(library, plan(question, exact=("E11.9", "I10.0")))
    assert documents(ranking) == [key("TWO"), key("WORDS"), key("ONE")]
    assert [hit.rank for hit in ranking.hits] == [1, 2, 3]


def test_of_equal_exact_hits_the_title_comes_first_however_many_there_are() -> None:
    library = Library()
    for number in range(5):
        library.add("NCT00000001", f"Criterion {number}")
    library.add("NCT00000001", "Asthma", SectionKind.TITLE)
    plan_ = QueryPlan("NCT00000001", (), ("=NCT00000001",), (), Filter())
    (ranking,) = recalled(library, plan_, limit=3)
    assert [hit.kind for hit in ranking.hits] == [
        SectionKind.TITLE,
        SectionKind.INCLUSION_CRITERION,
        SectionKind.INCLUSION_CRITERION,
    ]


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
