"""Reads the headers that open a list: `Key Inclusion Criteria (Cohort A):`, `You may be eligible if you:`.

A header has one of two forms. A phrase: modifiers or a scope, the side, "criteria", a scope. A sentence that holds no
word outside a small vocabulary and gives a verdict (eligible, excluded). Anything else is not a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from proband.trials import scope
from proband.trials.lexicon import lexicon, lowered


class Side(StrEnum):
    """Which list a header opens. MIXED: both, each line says its own; ELIGIBILITY: inclusion, if exclusion is apart."""

    INCLUSION = "INCLUSION"
    EXCLUSION = "EXCLUSION"
    ELIGIBILITY = "ELIGIBILITY"
    MIXED = "MIXED"


@dataclass(frozen=True, slots=True)
class Header:
    """A header at the start of a line, `length` characters long.

    `partial`: the list is said to be a part (`Key`). `sentence`: it may only repeat the header above it.
    `weak`: `Other exclusions` is a header where another list is open and a label inside its own.
    """

    side: Side
    length: int
    arms: tuple[str, ...] = ()
    partial: bool = False
    sentence: bool = False
    weak: bool = False


_COLON = re.compile(r"\s*[:：]")
_EDGES = " \t-–—*_#.,:;=>•·"
_TAIL = re.compile(r"(?P<tail>[^:：]{0,160}?)(?P<end>\s*[:：][-:–\s]*|\s*$)")
_WORD = re.compile(r"[\w'’/-]+")
_LONGEST_SENTENCE = 260


@cache
def _phrase() -> re.Pattern[str]:
    words = lexicon()
    sides = "|".join(
        rf"(?P<noun{n}>(?:{entry.pattern})(?P<criteria{n}>[ -]{{0,3}}(?:{words.alternatives('criteria')}))?)"
        for n, entry in enumerate(words.entries["side"])
    )
    turned = "|".join(
        rf"(?P<turned{n}>(?:{words.alternatives('criteria')}|reasons|conditions|indications) (?:for|of) (?:{entry.pattern}))"
        for n, entry in enumerate(words.entries["side"])
    )
    foreign = "|".join(
        rf"(?P<foreign{n}>{entry.pattern})" for n, entry in enumerate(words.entries["header"])
    )
    return re.compile(rf"(?<![\w'-])(?:{turned}|{sides})(?![\w])|(?:{foreign})")


@cache
def _modifiers() -> re.Pattern[str]:
    return lexicon().whole("modifier")


@cache
def _partial() -> re.Pattern[str]:
    return lexicon().whole("partial")


@cache
def _vocabulary() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon().alternatives('word')})\Z")


@cache
def _verdicts() -> tuple[tuple[Side, re.Pattern[str]], ...]:
    return tuple((Side(entry.side), re.compile(entry.pattern)) for entry in lexicon().entries["verdict"])


def read_header(text: str, sentences: bool = True) -> Header | None:
    """The header that `text` begins with, or is; None where the words are no header."""
    return read_phrase(text) or (read_sentence(text) if sentences else None)


def opens_list(text: str) -> bool:
    """Whether all of `text` is a header."""
    header = read_header(text)
    return header is not None and header.length == len(text)


def read_phrase(text: str) -> Header | None:
    """A header of the first form."""
    low = lowered(text[:400])
    for found in _phrase().finditer(low, 0, 140):
        if header := _around(text, low, found):
            return header
    return None


def _around(text: str, low: str, found: re.Match[str]) -> Header | None:
    before = _before(text[: found.start()], low[: found.start()])
    if before is None:
        return None
    partial, arms = before
    group = found.lastgroup or ""
    side, named, weak = _side(found)
    after = _after(text, low, found.end(), named)
    if after is None or not (named or (_ALONE.match(found.group()) and _stands_alone(text, found, after[0]))):
        return None
    length, more, part_of = after
    bare = weak and bool(low[: found.start()].strip(_EDGES))
    return Header(side, length, arms + more, partial or part_of, weak=bare and bool(group))


def _stands_alone(text: str, found: re.Match[str], length: int) -> bool:
    """A side without "criteria" (`Inclusion:`, `Exclusions`) counts with a colon, or as the whole line."""
    return ":" in text[found.end() : length] or "：" in text[found.end() : length] or length == len(text)


_ALONE = re.compile(r"(?:i?exclusions?|i?inclusions?|eligibil?lity|ineligibility|non[ -]?inclusion|non[ -]?eligibility)\Z")


def _side(found: re.Match[str]) -> tuple[Side, bool, bool]:
    """The side, whether "criteria" is said (or the language needs no such word), and whether the word stands bare."""
    for name in ("noun", "turned", "foreign"):
        entries = lexicon().entries["header" if name == "foreign" else "side"]
        for n, entry in enumerate(entries):
            if found[f"{name}{n}"] is not None:
                named = name != "noun" or found[f"criteria{n}"] is not None
                return Side(entry.side), named, not named
    raise AssertionError("a phrase has a side")


def _before(text: str, low: str) -> tuple[bool, tuple[str, ...]] | None:
    """What stands before the side: (list is partial, arms); None when it makes the words no header."""
    words = _WORD.findall(low)
    partial = any(_partial().match(word) for word in words)
    rest = [word for word in words if not (_modifiers().match(word) or _partial().match(word))]
    if not rest:
        return partial, ()
    arms = scope.in_header(text.strip(_EDGES), loose=False)
    if arms is not None:
        return partial, arms
    if re.search(r"[\d<>=≥≤;]", text):
        return None
    capitals = all(word[0].isupper() for word in _WORD.findall(text) if len(word) > 3)
    said = any(_verb().search(word) for word in rest)
    return (partial, ()) if capitals and not said and len(words) <= 4 else None


@cache
def _verb() -> re.Pattern[str]:
    return re.compile(r"^(?:meets?|met|meeting|fulfil|satisf|not|no|who|has|have|is|are|was|were|any|none|does|do|must|if|see|per|by)")


def _after(text: str, low: str, at: int, named: bool) -> tuple[int, tuple[str, ...], bool] | None:
    """(length of the header, arms, partial), or None when what follows the side makes the words no header."""
    found = _TAIL.match(low, at)
    if not found:
        return None
    tail = text[at : found.end("tail")]
    if not tail.strip(_EDGES + "()[]"):
        return found.end(), (), False
    arms = scope.in_header(tail.strip(_EDGES), loose=bool(found["end"].strip()))
    if arms is not None and (named or not arms or found["end"].strip()):
        return found.end(), arms, False
    words = _WORD.findall(low[at : found.end("tail")])
    if all(_vocabulary().match(word) or _partial().match(word) for word in words):
        return found.end(), (), any(_partial().match(word) for word in words)
    if named and tail.lstrip()[:1] in ("-", "–", "—"):
        return at + len(tail) - len(tail.lstrip(" -–—")), (), False
    return None


def read_sentence(text: str) -> Header | None:
    """A header of the second form: a sentence up to its colon, of known words, with a verdict."""
    low = lowered(text[:_LONGEST_SENTENCE])
    colon = _COLON.search(low)
    if colon is None and not low.rstrip().endswith(("excluded.", "excluded", "eligible.")):
        return None
    body = low[: colon.start()] if colon else low
    if not _known(body):
        return None
    side = next((side for side, pattern in _verdicts() if pattern.search(body)), None)
    if side is None or _asks_for_some(side, body):
        return None
    return Header(side, colon.end() if colon else len(text), sentence=True)


def _known(body: str) -> bool:
    """Whether every word is of the vocabulary of such sentences."""
    words = _WORD.findall(body)
    if not words or "".join(words).isascii() is False and _chinese().match(body.strip()):
        return bool(words)
    return all(_vocabulary().match(word) for word in words)


@cache
def _chinese() -> re.Pattern[str]:
    words = next(entry.pattern for entry in reversed(lexicon().entries["word"]))
    return re.compile(rf"(?:{words}|[，、,\s])+\Z")


_SOME = re.compile(r"\b(?:one|either|at least|two|three|any)\b(?! (?:and|or) all)")
_ALL = re.compile(r"\b(?:all|both|two|three|each|every)\b")


def _asks_for_some(side: Side, body: str) -> bool:
    """`must meet one of the following:` says more than the header: it is the parent of alternatives."""
    pointed = re.search(r"\b(?:following|below|these|criteria|conditions)\b", body)
    pattern = _SOME if side is Side.INCLUSION else _ALL
    return bool(pointed and pattern.search(body[: pointed.end()]) and not (side is Side.INCLUSION and re.search(r"\ball\b", body)))


def find_header(text: str) -> int:
    """Where a header starts inside `text` (`Age >= 18 Exclusion Criteria: Pregnancy`); 0 when none does."""
    for at in _candidates(text):
        header = read_phrase(text[at:])
        if header and _COLON.search(text[at : at + header.length]):
            return at
    return 0


_INSIDE = re.compile(
    r"(?<=[\s.;,)])(?:(?:Key|Main|Major|KEY|MAIN) )?(?:Inclusion|Exclusion|INCLUSION|EXCLUSION|Critères|Criterios|Criteri|Critérios|Einschlusskriterien|Ausschlusskriterien|Non-[Ii]nclusion)\b"
)
_LEADS_IN = re.compile(r"\b(?:the|all|any|these|meets?|following|of|per|and|or|see|for|to|other|defined|study|key|main|major)\s*$", re.IGNORECASE)


def _candidates(text: str) -> Iterator[int]:
    for found in _INSIDE.finditer(text):
        if not _LEADS_IN.search(text[max(0, found.start() - 16) : found.start()]):
            yield found.start()
