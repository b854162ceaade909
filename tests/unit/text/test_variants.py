from __future__ import annotations

import pytest

from proband.text.variants import variants


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("BRAF V600E, KRAS p.G12C", ["V600E", "G12C"]),
        ("V600E/K", ["V600E", "V600K"]),
        ("p.Val600Glu and Gly71Arg", ["V600E", "G71R"]),
        ("F508del, deltaF508, F508 del", ["F508DEL", "F508DEL", "F508DEL"]),
        ("rs738409", ["RS738409"]),
        ("HLA-A*02:01, HLA-A0201, HLA-A201", ["HLA-A*2:01", "HLA-A*2:01", "HLA-A*2:01"]),
        (
            "hla-b27; HLA-DQB1, HLA-DRB1*04:01, HLA DR4",
            ["HLA-B*27", "HLA-DQB1", "HLA-DRB1*4:01", "HLA-DR*4"],
        ),
        ("HLA-identical, HLA typing", []),
        ("UGT1A1*28, CYP2C19*2/*3", ["UGT1A1*28", "CYP2C19*2", "CYP2C19*3"]),
        ("CD20, HER2, H1N1, T10, 10*9", []),
    ],
)
def test_one_spelling_of(text: str, found: list[str]) -> None:
    assert [mention.value for mention in variants(text)] == found
