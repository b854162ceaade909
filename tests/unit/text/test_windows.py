from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.text.windows import windows


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("a b c", 3, ["a b c"]),
        ("a b c d e", 2, ["a b", "c d", "e"]),
        ("", 2, [""]),
    ],
)
def test_windows(text: str, size: int, expected: list[str]) -> None:
    assert windows(text, size, words) == expected


@given(st.lists(st.text("abc", min_size=1, max_size=5), max_size=40), st.integers(1, 9))
def test_no_word_is_lost_and_no_window_is_too_long(parts: list[str], size: int) -> None:
    text = " ".join(parts)
    cut = windows(text, size, words)
    assert " ".join(cut).split() == parts
    assert all(len(part.split()) <= size for part in cut)


def pairs(text: str) -> list[tuple[int, int]]:
    """Tokens of two letters within a word: a word cut in the middle has other ones."""
    return [match.span() for match in re.finditer(r"\w\w?", text)]


def test_a_part_begins_with_a_word_where_it_can() -> None:
    assert windows("abcd efgh ijkl", 5, pairs) == ["abcd efgh", "ijkl"]


@given(st.lists(st.text("abc", min_size=1, max_size=40), max_size=20), st.integers(1, 9))
def test_words_longer_than_the_window_are_cut_until_they_fit(parts: list[str], size: int) -> None:
    text = " ".join(parts)
    cut = windows(text, size, pairs)
    assert "".join(cut).replace(" ", "") == "".join(parts)
    assert all(len(pairs(part)) <= size for part in cut)
