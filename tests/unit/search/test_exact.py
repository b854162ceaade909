from __future__ import annotations

from library import Library, key
from proband.model import ExactTerm, Filter, QueryPlan, Ranking, SectionKind, View
from proband.search.exact import exact, leading

VIEW = View(1, Filter())


def term(*tiers: tuple[str, ...], names: bool = False) -> ExactTerm:
    """A term with these first tiers."""
    return ExactTerm("", (*tiers, *((),) * (5 - len(tiers))), names)


def plan(text: str, *terms: ExactTerm, alone: bool = False) -> QueryPlan:
    return QueryPlan(text, (), terms, (), Filter(), alone=alone)


def asked(library: Library, asked_plan: QueryPlan, limit: int = 60) -> Ranking:
    return exact(asked_plan, VIEW, limit, library.index)


def documents(ranking: Ranking) -> list[str]:
    return list(dict.fromkeys(hit.document for hit in ranking.hits))


def test_more_terms_come_first_and_then_the_words_of_the_question() -> None:
    library = Library()
    library.add("ONE", "Coded E11.9")
    library.add("WORDS", "Coded E11.9 with neuropathy of the feet")
    library.add("TWO", "Coded E11.9 and I10.0")
    codes = [term((), (), (code,)) for code in ("icd10:E119", "icd10:I100")]
    ranking = asked(library, plan("neuropathy E11.9 I10.0", *codes))
    assert documents(ranking) == [key("TWO"), key("WORDS"), key("ONE")]
    assert [(hit.rank, hit.score) for hit in ranking.hits] == [(1, 2.0), (2, 1.0), (3, 1.0)]


def test_an_equal_code_comes_before_any_number_of_codes_below_it() -> None:
    library = Library()
    library.add("BELOW", "E11.9 and E11.65, E11.9")
    library.add("EQUAL", "Coded as ICD-10 E11")
    ranking = asked(library, plan("E11", term((), (), ("icd10:E11",), ("icd10>E11",))))
    assert documents(ranking) == [key("EQUAL"), key("BELOW")]


def test_another_name_of_the_drug_comes_last() -> None:
    library = Library()
    library.add("BRAND", "Oral tablets", exact=("drug:brandex",))
    library.add("GENERIC", "Infusion", exact=("drug:genericin",))
    drug = term((), (), ("drug:genericin",), (), ("drug:brandex",))
    assert documents(asked(library, plan("genericin", drug))) == [key("GENERIC"), key("BRAND")]


def test_a_later_tier_is_not_asked_when_the_ranking_is_full() -> None:
    library = Library()
    library.add("BRAND", "Oral tablets", exact=("drug:brandex",))
    library.add("GENERIC", "Infusion", exact=("drug:genericin",))
    drug = term((), (), ("drug:genericin",), (), ("drug:brandex",))
    assert documents(asked(library, plan("genericin", drug), limit=1)) == [key("GENERIC")]


def test_of_equal_hits_the_title_comes_first_however_many_there_are() -> None:
    library = Library()
    for number in range(5):
        library.add("NCT00000001", f"Criterion {number}")
    library.add("NCT00000001", "Asthma", SectionKind.TITLE)
    ranking = asked(library, plan("NCT00000001", term(("=nct00000001",))), limit=3)
    assert [hit.kind for hit in ranking.hits] == [
        SectionKind.TITLE,
        SectionKind.INCLUSION_CRITERION,
        SectionKind.INCLUSION_CRITERION,
    ]


def test_what_a_question_of_names_finds_leads_in_its_order() -> None:
    library = Library()
    library.add("BELOW", "E11.9")
    library.add("EQUAL", "Coded as ICD-10 E11")
    codes = plan("E11", term((), (), ("icd10:E11",), ("icd10>E11",)), alone=True)
    found = asked(library, codes)
    assert leading(codes, found, VIEW, 60, library.index) == (key("EQUAL"), key("BELOW"))


def test_beside_other_words_only_a_document_that_is_named_leads() -> None:
    library = Library()
    library.add("NCT00000001", "Asthma in adults")
    library.add("OTHER", "As in NCT00000001")
    sure = plan("adults of NCT00000001", term(("=nct00000001",), (), ("id:nct1",), names=True))
    unsure = plan("adults of NCT00000001", term(("=nct00000001",), (), ("id:nct1",)))
    for asked_plan, expected in ((sure, (key("NCT00000001"),)), (unsure, ())):
        found = asked(library, asked_plan)
        assert leading(asked_plan, found, VIEW, 60, library.index) == expected
