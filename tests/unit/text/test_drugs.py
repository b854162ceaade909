from __future__ import annotations

import pytest

from proband.text.drugs import drug_terms, named_drug


def test_all_names_of_a_drug_are_its_terms_without_dose_form_and_salt() -> None:
    assert drug_terms(["Pembrolizumab 200 mg IV", "Keytruda\u00ae", "MK-3475"]) == (
        "drug:pembrolizumab200mgiv",
        "drug:pembrolizumab",
        "drug:keytruda",
        "drug:mk3475",
    )


@pytest.mark.parametrize(
    ("name", "also"),
    [
        ("metformin hydrochloride", "drug:metformin"),
        ("Drug: Aspirin 81 mg tablet once daily", "drug:aspirin"),
        ("Metformin XR 500mg", "drug:metformin"),
        ("MTX (methotrexate)", "drug:methotrexate"),
        ("120 mg mr pf-05180999", "drug:pf5180999"),
        ("Butrans\u2122", "drug:butrans"),
        ("sodium chloride", "drug:sodiumchloride"),
        ("topotecan, vorinostat", "in:vorinostat"),
        ("artemether/lumefantrine", "in:lumefantrine"),
        ("1 tablet empagliflozin/2 tablets metformin xr", "in:metformin"),
    ],
)
def test_a_name_gives_also(name: str, also: str) -> None:
    assert also in drug_terms([name])


@pytest.mark.parametrize(
    "name", ["Placebo", "placebo to grazoprevir", "sham injection", "chemotherapy", "100", ""]
)
def test_what_is_no_drug_has_no_terms(name: str) -> None:
    assert drug_terms([name]) == ()


def test_words_may_name_a_drug_or_an_ingredient() -> None:
    assert named_drug("MK 3475") == ("drug:mk3475", "in:mk3475")
    assert named_drug("Surgery") == ()
