"""What a text asserts, denies, doubts, or says of somebody else, in the manner of NegEx and ConText.

W. Chapman et al., J Biomed Inform 34 (2001) 301; H. Harkema et al., J Biomed Inform 42 (2009) 839.
Where the language is unclear it is UNCERTAIN: a finding taken for certain that is not is the worst fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from proband.text.assertion_cues import Cue, Token, cues_of, is_query, tokens_of
from proband.text.assertion_scopes import Scope, scopes_of
from proband.text.reading import Span


class Polarity(StrEnum):
    """Whether something is said to be there."""

    AFFIRMED = "affirmed"
    NEGATED = "negated"


class Experiencer(StrEnum):
    """Of whom it is said."""

    PATIENT = "patient"
    FAMILY = "family"
    OTHER = "other"


class Certainty(StrEnum):
    """How sure the writer is; HYPOTHETICAL: of something that may come."""

    CERTAIN = "certain"
    UNCERTAIN = "uncertain"
    HYPOTHETICAL = "hypothetical"


class TimeStatus(StrEnum):
    """When it is or was, as seen by the writer."""

    CURRENT = "current"
    HISTORICAL = "historical"
    FUTURE = "future"


@dataclass(frozen=True, slots=True)
class Assertion:
    """Characters of a text that are not simply asserted of the patient.

    `cue`: the words that say so; where the heading says it, the first word of the sentence.
    """

    span: Span
    polarity: Polarity
    experiencer: Experiencer
    certainty: Certainty
    time: TimeStatus
    cue: Span


_T = TypeVar("_T", bound=StrEnum)
_ABBREVIATIONS = frozenset(
    {
        "dr",
        "mr",
        "mrs",
        "ms",
        "prof",
        "st",
        "vs",
        "approx",
        "fig",
        "ca",
        "cf",
        "resp",
        "incl",
        "sr",
        "jr",
        "bzw",
        "ggf",
    }
)
_SEPARATORS = frozenset(
    {
        ",",
        "/",
        "or",
        "and",
        "nor",
        "noch",
        "y",
        "o",
        "e",
        "et",
        "ou",
        "ni",
        "und",
        "oder",
        "wala",
        "na",
        "au",
    }
)
_LONGEST = 300
"""Tokens: what runs on without a full stop is cut here, so that hostile text takes linear time."""
_HEADINGS = (
    (("family history", "family hx", "fhx", "fh"), "family"),
    (
        ("past medical history", "pmh", "pmhx", "past history", "past surgical history"),
        "historical",
    ),
    (("differential diagnosis", "differential", "ddx"), "uncertain"),
    (("discharge advice", "consent", "advice", "return precautions"), "hypothetical"),
)


def assertions(text: str, heading: str = "") -> tuple[Assertion, ...]:
    """Where `text`, which stands under `heading`, is not simply asserted; in order, no two overlap.

    Linear in the length of the text: scopes end with the sentence.
    """
    whole = _of_heading(heading)
    found: list[Assertion] = []
    for sentence in _sentences(tokens_of(text)):
        cues = list(cues_of(sentence))
        if not cues and not whole and sentence[-1].text != "?":
            continue
        scopes = scopes_of(sentence, cues)
        if sentence[-1].text == "?":
            scopes.append(
                Scope(
                    "uncertain",
                    0,
                    len(sentence),
                    Cue(len(sentence) - 1, len(sentence), frozenset()),
                )
            )
        if whole:
            scopes.insert(0, Scope(whole, 0, len(sentence), Cue(0, 1, frozenset())))
        found += _runs(sentence, cues, scopes)
    return tuple(found)


def _of_heading(heading: str) -> str:
    name = heading.strip(" :.").lower()
    return next((value for names, value in _HEADINGS if name in names), "")


def _sentences(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    start = 0
    for at, token in enumerate(tokens):
        if _ends(tokens, at) or at - start >= _LONGEST:
            last = at + (token.text == "?" or not _ends(tokens, at))
            if last > start:
                yield tokens[start:last]
            start = at + 1
    if start < len(tokens):
        yield tokens[start:]


def _ends(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at].text
    if token == "?":
        return not is_query(tokens, at)
    if token != ".":
        return token in "\n;!。；！"
    if at == 0:
        return True
    before = tokens[at - 1]
    is_short = len(before.text) == 1 and before.text.isalpha()
    return before.end < tokens[at].start or not (is_short or before.text in _ABBREVIATIONS)


def _runs(
    tokens: Sequence[Token], cues: Sequence[Cue], scopes: Sequence[Scope]
) -> Iterator[Assertion]:
    """The words of a sentence that have the same values, item by item of a list."""
    values: list[dict[str, Cue]] = [{} for _ in tokens]
    for scope in scopes:
        for at in range(scope.first, scope.last):
            values[at][scope.value] = scope.cue
    silent = {at for cue in cues for at in range(cue.first, cue.last) if not cue.kinds & _SPOKEN}
    start = 0
    for at in range(len(tokens) + 1):
        is_over = at == len(tokens) or at in silent or tokens[at].text in _SEPARATORS
        if is_over or values[at] != values[start]:
            if start < at and values[start]:
                yield from _assertion(tokens[start:at], values[start], tokens)
            start = at + is_over


_SPOKEN = frozenset({"negated_word", "plain", "verb", "patient", "family", "other", "informs"})
"""Cues that are also something said."""


def _assertion(
    words: Sequence[Token], values: dict[str, Cue], tokens: Sequence[Token]
) -> Iterator[Assertion]:
    spoken = [word for word in words if word.text[0].isalnum()]
    if not spoken:
        return
    cue = next(values[value] for value in _DECISIVE if value in values)
    yield Assertion(
        Span(spoken[0].start, spoken[-1].end),
        Polarity.NEGATED if "negated" in values else Polarity.AFFIRMED,
        _first(Experiencer, values, Experiencer.PATIENT),
        _first(Certainty, values, Certainty.CERTAIN),
        _first(TimeStatus, values, TimeStatus.CURRENT),
        Span(tokens[cue.first].start, tokens[cue.last - 1].end),
    )


_DECISIVE = ("negated", "uncertain", "hypothetical", "family", "other", "historical", "future")


def _first(kind: type[_T], values: dict[str, Cue], otherwise: _T) -> _T:
    return next((value for value in kind if value.value in values), otherwise)
