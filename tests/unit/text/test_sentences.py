from __future__ import annotations

import pytest

from proband.text.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("EF was 25.5 percent. No pain.", ["EF was 25.5 percent.", "No pain."]),
        ("Seen by Dr. Example. Well.", ["Seen by Dr. Example.", "Well."]),
        ("E. coli grew. Treated.", ["E. coli grew.", "Treated."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("a (b.) Then c", ["a (b.)", "Then c"]),
        ("no end", ["no end"]),
        ("  ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected
