from __future__ import annotations

import pytest

from proband.text.analyser import terms


def shared(one: str, other: str) -> set[str]:
    """Terms that two spellings have in common."""
    return set(terms(one)) & set(terms(other))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("E11.9", ["e11.9"]),
        ("E11.9, stable", ["e11.9", "stable"]),
        ("HER2- breast", ["her2", "her2-", "breast"]),
        ("ER+/PR+/HER2-", ["er", "er+", "pr", "pr+", "her2", "her2-"]),
        ("ER/PR+", ["er", "pr", "er+", "pr+"]),
        ("B+", ["b", "b+"]),
        ("IgG (+)", ["igg", "igg+"]),
        ("10^9/L", ["10^9/l"]),
        ("CDK4/6", ["cdk4", "cdk6"]),
        ("BRCA1/2", ["brca1", "brca2"]),
        ("SYN-2024-0001", ["syn20240001", "syn"]),
        ("NCT01234567.", ["nct01234567"]),
        ("18-65 years", ["18", "65", "18year", "65year"]),
        ("BP 120/80", ["bp", "120/80"]),
        ("non-small-cell", ["nonsmallcell", "smallcell", "non", "small", "cell"]),
        ("非小細胞", ["非小", "小細", "細胞"]),
        ("癌", ["癌"]),
        ("", []),
        ("... - /", []),
    ],
)
def test_terms_of(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "spellings",
    [
        ("0.5 mg", "0.5mg", ".5 mg", "0.5 milligrams"),
        ("1,000 mL", "1000ml", "1000 millilitres"),
        ("5 µg", "5 mcg", "5 micrograms"),
        ("8%", "8 %", "8 percent"),
        ("45 years", "45 yo", "45-year-old", "45 yrs"),
        ("1.5 x 10^9/L", "1.5 × 10⁹/L", "1.5x10^9/L", "1.5*10^9/L", "1.5 10e9/L"),
        ("IL-6", "IL6", "IL 6"),
        ("PD-L1", "PDL1", "PD‑L1"),
        ("TNF-α", "TNF-alpha", "TNFα"),
        ("anti-PD-1", "PD-1", "PD1"),
        ("type 2", "type-2", "type II", "Type 2"),
        ("stage IIIB", "stage 3B"),
        ("HER2-negative", "HER2 negative", "HER2-", "her2 neg", "HER2 (-)"),
        ("HIV-positive", "HIV positive", "HIV+", "HIV (+)"),
        ("post-operative", "postoperative"),
        ("cancer", "cancers", "Cancer"),
        ("biopsy", "biopsies"),
        ("metastasis", "metastases"),
        ("leukemia", "leukaemia", "leukaemias"),
        ("tumor", "tumours"),
        ("edema", "oedema"),
        ("José", "Jose", "JOSÉ"),
        ("Hodgkin's", "Hodgkin", "Hodgkin’s"),
        ("U.S.", "US"),
        ("e\u0301tude", "étude", "etude"),
        ("ＨＩＶ", "HIV"),
        (">= 18", "≥18", ">=18", "≥ 18"),
    ],
)
def test_spellings_of_one_thing_share_its_most_telling_term(spellings: tuple[str, ...]) -> None:
    common = set.intersection(*(set(terms(spelling)) for spelling in spellings))
    assert common - {"year", "old", "stage", "type", "il", "pd", "anti", "negative", "18"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HER2-positive", "HER2-negative"),
        ("A+", "A-"),
        ("0.5 mg", "5 mg"),
        ("E11.9", "E11.65 9 units"),
        (">= 18", "<= 18"),
    ],
)
def test_what_differs_has_a_term_of_its_own(one: str, other: str) -> None:
    assert set(terms(one)) - set(terms(other))
    assert set(terms(other)) - set(terms(one))


def test_a_code_has_no_parts_that_match_another_code() -> None:
    assert not shared("E11.9", "E11.65 and 9 units")


@pytest.mark.parametrize("word", ["not", "no", "without", "never", "none", "nor", "denied"])
def test_negation_words_leave_a_trace(word: str) -> None:
    assert terms(f"{word} fever") == [word, "fever"]


def test_acronyms_that_are_stop_words_count_only_in_capitals() -> None:
    assert terms("ALL in remission") == ["ALL", "remission"]
    assert terms("all in remission") == ["remission"]
    assert terms("IT chemotherapy in the AM") == ["IT", "chemotherapy", "AM"]


def test_a_text_that_shouts_holds_no_acronyms() -> None:
    assert terms("ALL OF THE FOLLOWING ARE REQUIRED") == ["following", "required"]


def test_hepatitis_a_keeps_its_letter() -> None:
    assert terms("hepatitis A") == ["hepatitis", "A"]
    assert terms("a hepatitis") == ["hepatitis"]


def test_a_hanging_hyphen_of_a_small_word_is_no_sign() -> None:
    assert terms("pre- and post-operative") == ["pre", "postoperative", "post", "operative"]


def test_repeated_terms_are_counted() -> None:
    assert terms("pain, no pain") == ["pain", "no", "pain"]


def test_sentences_that_were_glued_are_two_words() -> None:
    assert terms("disease.Patients") == ["disease", "patient"]


def test_a_number_joins_the_acronym_before_it() -> None:
    assert "ca125" in terms("CA 125 above normal")
    assert "than3" not in terms("more than 3 lesions")
