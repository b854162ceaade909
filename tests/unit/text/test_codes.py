from __future__ import annotations

import pytest

from proband.text.codes import (
    CodeSystem,
    broader,
    code_terms,
    named_codes,
    normal_code,
    possible_codes,
    shaped_codes,
)


def named(text: str) -> list[str]:
    return [f"{found.system}:{found.value}" for found in named_codes(text)]


def shaped(text: str) -> list[str]:
    return [f"{found.system}:{found.value}" for found in shaped_codes(text)]


@pytest.mark.parametrize(
    ("system", "written", "normal"),
    [
        (CodeSystem.ICD10, "e11.9", "E119"),
        (CodeSystem.ICD10, "E119", "E119"),
        (CodeSystem.ICD10, "S72.001A", "S72001A"),
        (CodeSystem.ICD10, "C7A.1", "C7A1"),
        (CodeSystem.ICD10, "Z3A.20", "Z3A20"),
        (CodeSystem.ICD10, "F-52.0", "F520"),
        (CodeSystem.ICD10, "E11.30+", "E1130"),
        (CodeSystem.ICD10, "H36.0*", "H360"),
        (CodeSystem.ICD10, "U07.1", "U071"),
        (CodeSystem.ICD10, "HTTP", ""),
        (CodeSystem.ICD10, "E1", ""),
        (CodeSystem.ICD9, "250.00", "25000"),
        (CodeSystem.ICD9, "V45.81", "V4581"),
        (CodeSystem.ICD9, "E950.0", "E9500"),
        (CodeSystem.SNOMED, "44054006", "44054006"),
        (CodeSystem.SNOMED, "44054007", ""),
        (CodeSystem.LOINC, "4548-4", "4548-4"),
        (CodeSystem.LOINC, "4548-5", ""),
        (CodeSystem.ATC, "a10ba02", "A10BA02"),
        (CodeSystem.ATC, "A10", "A10"),
        (CodeSystem.ATC, "E10", ""),
        (CodeSystem.RXNORM, "6809", "6809"),
    ],
)
def test_one_spelling_and_the_check_digit(system: CodeSystem, written: str, normal: str) -> None:
    assert normal_code(system, written) == normal


def test_a_column_of_codes_gives_the_terms_that_a_text_gives() -> None:
    assert code_terms(CodeSystem.ICD10, "S72.001A") == (
        "icd10:S72001A",
        "icd10>S72001",
        "icd10>S7200",
        "icd10>S720",
        "icd10>S72",
    )
    assert code_terms(CodeSystem.SNOMED, "44054006") == ("snomed:44054006",)
    assert code_terms(CodeSystem.SNOMED, "12345") == ()


def test_external_causes_of_icd9_have_four_characters() -> None:
    assert broader(CodeSystem.ICD9, "E9500") == ("E950",)


def test_an_allele_stands_below_its_group_and_its_gene() -> None:
    assert broader("variant", "HLA-A*2:01") == ("HLA-A*2", "HLA-A")
    assert broader("variant", "CYP2C19*2") == ("CYP2C19",)
    assert broader("variant", "V600E") == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ICD-10 code: F-52.0", ["icd10:F520"]),
        ("(ICD 10: G45 except G45.4)", ["icd10:G45", "icd10:G454"]),
        ("ICD-10-CM E119, I10 and z3a.20", ["icd10:E119", "icd10:I10", "icd10:Z3A20"]),
        ("E11 (ICD-10)", ["icd10:E11"]),
        ("ICD-10-GM: C50.9", ["icd10:C509"]),
        ("ICD-10 I10\u2013I12".replace("\u2013", "-"), ["icd10:I10", "icd10:I11", "icd10:I12"]),
        ("ICD-9 250.00", ["icd9:25000"]),
        ("SNOMED CT 44054006", ["snomed:44054006"]),
        ("SNOMED CT 44054007", []),
        ("LOINC: 4548-4", ["loinc:4548-4"]),
        ("RxNorm 6809", ["rxnorm:6809"]),
        ("ATC code A10BA", ["atc:A10BA"]),
        ("ICD code 250.00 or E11", ["icd9:25000", "icd10:E11"]),
        ("ICD-10 codes for type 2 diabetes in 12 patients", []),
        ("the ICD shocks 123 times", []),
        ("B12, 250.00 and 44054006", []),
    ],
)
def test_a_system_that_is_named_near_says_what_a_code_is(text: str, found: list[str]) -> None:
    assert named(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("E11.9, S72.001A; (C7A.1)", ["icd10:E119", "icd10:S72001A", "icd10:C7A1"]),
        ("A10BA02", ["atc:A10BA02"]),
        ("E11, B12, T10, 250.00, v1.2, L06.10.058", []),
    ],
)
def test_a_shape_without_doubt_needs_no_system(text: str, found: list[str]) -> None:
    assert shaped(text) == found


def test_a_word_may_be_a_code_of_several_systems() -> None:
    assert possible_codes("e119") == ((CodeSystem.ICD10, "E119"), (CodeSystem.ICD9, "E119"))
    assert possible_codes("asthma") == ()
