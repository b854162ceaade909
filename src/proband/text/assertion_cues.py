"""The words that change what a sentence asserts (`data/assertion.toml`), and where they stand in a text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[\n\t]|[^\w\s]|_+")
_WORD_KINDS = frozenset({"state", "told_by"})
_LABELLED = frozenset({":", "-", "–", "—", "\t", "(", "="})
_LABELLED_NO = frozenset(
    [
        "no",
        "nil",
        "none",
        "neg",
        "negative",
        "absent",
        "nein",
        "non",
        "hapana",
        "negativ",
        "negativo",
    ]
)
_ENDS = frozenset({",", ";", ".", ")", "\t", "\n"})


class Token(NamedTuple):
    """A word, number or sign in lower case, characters `[start, end)` of the text."""

    text: str
    start: int
    end: int


class Cue(NamedTuple):
    """Tokens `[first, last)` of a sentence are words of these kinds; the same words may be of several."""

    first: int
    last: int
    kinds: frozenset[str]


def tokens_of(text: str) -> list[Token]:
    """The words, numbers and signs of `text`; line ends and tabs count as signs."""
    lower = text.lower() if len(text.lower()) == len(text) else text
    lower = lower.replace("’", "'")
    return [Token(found.group(), *found.span()) for found in _TOKEN.finditer(lower)]


def cues_of(tokens: Sequence[Token]) -> Iterator[Cue]:
    """The cues of a sentence from left to right; the longest words win."""
    lexicon = _lexicon()
    at = 0
    while at < len(tokens):
        cue = _sign(tokens, at) or _phrase(lexicon, tokens, at)
        if cue:
            yield cue
        at = cue.last if cue else at + 1


@cache
def words_of_kind(kind: str) -> frozenset[str]:
    """The single words of a kind that is looked up word by word."""
    return frozenset(word for lists in _lists().values() for word in lists.get(kind, ()))


def _phrase(
    lexicon: Mapping[str, Sequence[tuple[tuple[str, ...], frozenset[str]]]],
    tokens: Sequence[Token],
    at: int,
) -> Cue | None:
    for words, kinds in lexicon.get(tokens[at].text, ()):
        last = at + len(words)
        if last <= len(tokens) and all(tokens[at + n].text == word for n, word in enumerate(words)):
            return Cue(at, last, kinds)
    return None


def _sign(tokens: Sequence[Token], at: int) -> Cue | None:
    """Cues that are no words of a list: a question mark before a word, "no" after a label, a year."""
    token = tokens[at]
    following = tokens[at + 1].text if at + 1 < len(tokens) else "."
    if token.text == "?" and is_query(tokens, at):
        return Cue(at, at + 1, frozenset({"uncertain"}))
    if (
        token.text in _LABELLED_NO
        and at
        and tokens[at - 1].text in _LABELLED
        and following in _ENDS
    ):
        return Cue(at, at + 1, frozenset({"negated_after"}))
    if [one.text for one in tokens[at : at + 3]] == ["(", "-", ")"]:
        is_label = at > 0 and tokens[at - 1].text[0].isalnum()
        return Cue(at, at + 3, frozenset({"negated_after" if is_label else "negated"}))
    if token.text in {"in", "en", "im", "mwaka"} and re.fullmatch("(?:19|20)[0-9][0-9]", following):
        return Cue(at, at + 2, frozenset({"historical_around"}))
    return None


def is_query(tokens: Sequence[Token], at: int) -> bool:
    """Whether the question mark at `at` asks for what follows ("?TB") and does not end a question ("TB?")."""
    if at + 1 >= len(tokens) or not tokens[at + 1].text[0].isalpha():
        return False
    before = tokens[at - 1] if at else None
    return before is None or before.end < tokens[at].start or not before.text[0].isalnum()


@cache
def _lexicon() -> dict[str, list[tuple[tuple[str, ...], frozenset[str]]]]:
    kinds: dict[tuple[str, ...], set[str]] = {}
    for lists in _lists().values():
        for kind, phrases in lists.items():
            if kind not in _WORD_KINDS:
                for phrase in phrases:
                    words = tuple(token.text for token in tokens_of(phrase))
                    kinds.setdefault(words, set()).add(kind)
    lexicon: dict[str, list[tuple[tuple[str, ...], frozenset[str]]]] = {}
    for words, found in sorted(kinds.items(), key=lambda item: (-len(item[0]), item[0])):
        lexicon.setdefault(words[0], []).append((words, frozenset(found)))
    return lexicon


@cache
def _lists() -> Mapping[str, Mapping[str, Sequence[str]]]:
    file = resources.files("proband.text").joinpath("data/assertion.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
