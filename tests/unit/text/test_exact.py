from __future__ import annotations

import pytest

from proband.text.exact import (
    exact_terms,
    holds_phrase,
    is_registry_number,
    own_terms,
    quoted_phrases,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see nct01234567 and NCT 01234568", ("id:nct1234567", "id:nct1234568")),
        ("EudraCT 2010-123456-12", ("id:2010-123456-12",)),
        ("EU CT 2022-500123-42-00", ("id:2022-500123-42-0",)),
        ("UTN U1111-1277-3764", ("id:u1111-1277-3764",)),
        ("ISRCTN12345678 and DRKS00012345", ("id:isrctn12345678", "id:drks12345")),
        ("protocol CP-1234 or CP‑1234", ("id:cp1234",)),
        ("pembrolizumab (MK-3475)", ("id:mk3475",)),
        ("PSC 833, CPT-11", ("id:psc833", "id:cpt11")),
        ("BRAF V600E", ("variant:V600E",)),
        (
            "coded E11.9, then C50.911",
            ("icd10:E119", "icd10>E11", "icd10:C50911", "icd10>C5091", "icd10>C509", "icd10>C50"),
        ),
        ("A10BA02 (metformin)", ("atc:A10BA02", "atc>A10BA", "atc>A10B", "atc>A10", "atc>A")),
        ("ICD-9-CM V45.81", ("icd9:V4581", "icd9>V458", "icd9>V45")),
        ("NCT0123456 is too short", ()),
        ("CD20, B12, HER2, T10, COVID-19, 2020-2021, 10^9/L, 500 mg", ()),
        ("HTTP, NULL and NAIROBI", ()),
        ("", ()),
    ],
)
def test_exact_terms_of(text: str, expected: tuple[str, ...]) -> None:
    assert exact_terms(text) == expected


def test_an_exact_term_stands_once() -> None:
    assert exact_terms("LOINC 4548-4 and LOINC 4548-4") == ("loinc:4548-4",)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NCT00000001", ("=nct00000001", "~nct1")),
        ("ACTG 853", ("=actg853",)),
        ("NCRR-M01RR01070-0506", ("=ncrrm01rr01070-0506", "~ncrrm1rr1070506", "~ncrrm1rr10700506")),
        ("16.0123", ("=16-0123", "~16123", "~160123")),
        (
            "CDR0000066478 (5O-98-1)",
            (
                "=cdr0000066478-5o98-1",
                "=cdr0000066478",
                "=5o98-1",
                "~cdr664785o981",
                "~cdr66478",
                "~5o981",
            ),
        ),
        ("CHELATION (completed)", ("=chelationcompleted", "=chelation")),
        (" ", ()),
    ],
)
def test_a_document_answers_to_its_own_identifier_as_published_and_as_typed(
    name: str, expected: tuple[str, ...]
) -> None:
    assert own_terms([name]) == expected


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
