from __future__ import annotations

import pytest

from proband.text.sentences import sentence_spans, sentences


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


@pytest.mark.parametrize(
    "text", ["One. Two? Three!", "  Seen by Dr. Example. Well. ", "a\n b; C", "no end", "  ", ""]
)
def test_spans_of_sentences_hold_the_sentences(text: str) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences(text)
