from __future__ import annotations

import pytest

from library import Library
from proband.model import Breadth, ExactTerm, Filter, QueryPlan, SectionKind, View
from proband.search.named import with_names
from proband.text.drugs import drug_terms
from proband.text.exact import own_terms

VIEW = View(1, Filter())


@pytest.fixture
def library() -> Library:
    """Two studies with identifiers, drugs and codes."""
    library = Library()
    ids = own_terms(["WHO 2021", "ACTG 175", "HEART", "0100000", "M01RR01070-0506"])
    library.add("NCT00000001", "Didanosine in adults", SectionKind.TITLE, exact=ids)
    names = drug_terms(["Pembrolizumab 200 mg", "Keytruda\u00ae", "MK-3475"])
    library.add("NCT00000002", "Pembrolizumab", SectionKind.INTERVENTION, exact=names)
    library.add("NCT00000002", "KRAS V600E; ICD-10 E11, E11.9, SNOMED CT 44054006 or B12.3")
    return library


def read(library: Library, question: str, *, story: bool = False) -> QueryPlan:
    breadth = Breadth.BROAD if story else Breadth.POINTED
    plan = QueryPlan(question, (), (), (), Filter(), breadth)
    return with_names(plan, VIEW, library.index)


def texts(plan: QueryPlan) -> list[str]:
    return [term.text for term in plan.exact]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Keytruda", "Keytruda"),
        ("trials of keytruda", "keytruda"),
        ("which studies use KEYTRUDA?", "KEYTRUDA"),
        ("mk3475", "mk3475"),
        ("MK 3475", "MK 3475"),
        ("MK\u20133475", "MK-3475"),
        ("which study is M01RR01070-0506?", "M01RR01070-0506"),
        ("m1rr1070 506", "m1rr1070 506"),
        ("study ACTG-175", "ACTG-175"),
        ("the HEART trial", "HEART"),
        ("heart", "heart"),
        ("100000", "100000"),
        ("ICD-10 code E11", "E11"),
        ("trials of WHO 2021", "WHO 2021"),
        ("e119", "e119"),
        ("44054006", "44054006"),
        ("nct00000001", "nct00000001"),
        ("patients with a V600E mutation", "V600E"),
    ],
)
def test_a_question_that_names_nothing_else_stands_alone(
    library: Library, question: str, named: str
) -> None:
    plan = read(library, question)
    assert plan.alone
    assert texts(plan) == [named]
    assert all(term.names for term in plan.exact)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("keytruda for melanoma", ["keytruda"]),
        ("heart failure", []),
        ("platelets above 100000", []),
        ("adults of study 100000 with asthma", ["100000"]),
        ("vitamin B12 deficiency", []),
        ("melanoma with V600E after keytruda", ["V600E", "keytruda"]),
        ("asthma", []),
        ("didanosine in ACTG 175 for adults", ["ACTG 175"]),
    ],
)
def test_beside_other_words_a_name_must_be_sure(
    library: Library, question: str, named: list[str]
) -> None:
    plan = read(library, question)
    assert not plan.alone
    assert texts(plan) == named


def test_only_an_identifier_names_a_study_beside_other_words(library: Library) -> None:
    plan = read(library, "melanoma with V600E in ACTG 175 after keytruda")
    assert {term.text: term.names for term in plan.exact} == {
        "V600E": False,
        "ACTG 175": True,
        "keytruda": False,
    }


def test_a_drug_is_asked_for_by_its_other_names_last(library: Library) -> None:
    (term,) = read(library, "keytruda").exact
    assert term.tiers == ((), (), ("drug:keytruda",), (), ("drug:mk3475", "drug:pembrolizumab"))


def test_names_are_read_from_what_the_view_shows(library: Library) -> None:
    library.index.expire(list(library.chunks), 2)
    plan = with_names(QueryPlan("keytruda", (), (), (), Filter()), View(2, Filter()), library.index)
    assert plan.exact == ()


def test_what_has_the_shape_of_a_code_is_asked_for_though_nothing_holds_it(
    library: Library,
) -> None:
    plan = read(library, "C50.911")
    assert plan.exact == (
        ExactTerm("C50.911", ((), (), ("icd10:C50911",), ("icd10>C50911",), ()), names=True),
    )


def test_a_story_is_read_for_codes_and_numbers_alone(library: Library) -> None:
    plan = read(library, "She took keytruda; V600E was found in NCT00000001", story=True)
    assert texts(plan) == ["V600E", "NCT00000001"]
    assert not plan.alone
    assert not any(term.names for term in plan.exact)


def test_a_question_of_function_words_names_nothing(library: Library) -> None:
    plan = read(library, "what is the study about")
    assert (plan.exact, plan.alone) == ((), False)
