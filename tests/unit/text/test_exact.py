from __future__ import annotations

import pytest

from proband.text.exact import (
    asked_terms,
    exact_terms,
    holds_phrase,
    is_registry_number,
    own_terms,
    quoted_phrases,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see nct01234567 and NCT 01234568", ("NCT01234567", "NCT01234568")),
        ("EudraCT 2010-123456-12", ("2010-123456-12",)),
        ("EU CT 2022-500123-42-00", ("2022-500123-42-00",)),
        ("ISRCTN12345678 and DRKS00012345", ("ISRCTN12345678", "DRKS00012345")),
        ("coded E11.9, then C50.911", ("E11.9", "C50.911")),
        ("A10BA02 (metformin)", ("A10BA02",)),
        ("LOINC 4548-4", ("4548-4",)),
        ("protocol CP-1234 or CP‑1234", ("CP1234",)),
        ("pembrolizumab (MK-3475)", ("MK3475",)),
        ("BRAF V600E, KRAS p.G12C", ("V600E", "G12C")),
        ("NCT0123456 is too short", ()),
        ("CD20, B12, HER2, T10, COVID-19, 2020-2021, 10^9/L, 500 mg", ()),
        ("", ()),
    ],
)
def test_exact_terms_of(text: str, expected: tuple[str, ...]) -> None:
    assert exact_terms(text) == expected


def test_an_exact_term_stands_once() -> None:
    assert exact_terms("E11.9 and E11.9") == ("E11.9",)


def test_a_document_answers_to_its_own_identifier_twice() -> None:
    assert own_terms(["nct00000001", " "]) == ("=NCT00000001", "NCT00000001")


def test_a_question_asks_for_the_own_identifier_and_for_mentions_in_any_case() -> None:
    assert asked_terms("what is mk-3475") == ("=MK3475", "MK3475")


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ('had "prior chemotherapy" and "no steroids"', ("prior chemotherapy", "no steroids")),
        ("“curly quotes” too", ("curly quotes",)),
        ('an inch is 1" long', ()),
        ('empty "" marks', ()),
        ('twice "a b" "a b"', ("a b",)),
    ],
)
def test_quoted_phrases(question: str, phrases: tuple[str, ...]) -> None:
    assert quoted_phrases(question) == phrases


@pytest.mark.parametrize(
    ("text", "phrase", "holds"),
    [
        ("No Prior\u00a0 Chemotherapy", "prior chemotherapy", True),
        ("chemotherapy, prior", "prior chemotherapy", False),
        ("metastatic", "static", False),
        ("Sjögren syndrome", "sjogren", True),
        ("ECOG ≥ 2", "ECOG >= 2", True),
        ("cost (US$)", "(us$)", True),
        ("anything", "  ", False),
    ],
)
def test_holds_phrase(text: str, phrase: str, holds: bool) -> None:
    assert holds_phrase(text, phrase) is holds


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("NCT01234567", True),
        (" nct 01234567, NCT01234568 ", True),
        ("ISRCTN12345678", True),
        ("NCT01234567 exclusion criteria", False),
        ("asthma", False),
        ("", False),
    ],
)
def test_is_registry_number(question: str, alone: bool) -> None:
    assert is_registry_number(question) is alone
