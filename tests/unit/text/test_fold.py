from __future__ import annotations

import pytest

from proband.text.fold import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("José", "Jose"),
        ("≥ 18", ">= 18"),
        ("10⁹/L", "10^9/L"),
        ("10¹²", "10^12"),
        ("kg/m²", "kg/m^2"),
        ("a–b—c‑d", "a-b-c-d"),
        ("5\u00a0µg", "5 ug"),
        ("ﬁbrosis", "fibrosis"),
        ("IFN-γ", "IFN-gamma"),
        ("co\u00adoperate", "cooperate"),
        ("がん", "がん"),
        ("한국", "한국"),
        ("ALL stays", "ALL stays"),
        ("ALL THIS IS SHOUTED HERE", "all this is shouted here"),
        ("", ""),
    ],
)
def test_fold_gives_one_spelling(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_superscripts_do_not_become_part_of_the_number() -> None:
    assert fold("1.5 × 10⁹") != fold("1.5 × 109")
