"""Reads the headers that open a list.

    phrase   := [modifiers | scope] side ["criteria"] [scope | bracket | words of such headers] [":"]
                Key Inclusion Criteria (Cohort A):      Donor exclusion criteria      Ausschlusskriterien
    sentence := words of a small vocabulary only, with a verdict, up to ":"
                You may be eligible for this study if you:      Patients with the following are excluded:

Whatever says more than that is no header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from proband.trials import scope
from proband.trials.lexicon import alternatives, entries, lowered, whole


class Side(StrEnum):
    """Which list a header opens.

    MIXED: both, each line says its own. ELIGIBILITY: inclusion, if exclusion is apart. NONE: it ends the lists: what
    stands below asks nothing of who would join (`Withdrawal criteria`).
    """

    INCLUSION = "INCLUSION"
    EXCLUSION = "EXCLUSION"
    ELIGIBILITY = "ELIGIBILITY"
    MIXED = "MIXED"
    NONE = "NONE"


@dataclass(frozen=True, slots=True)
class Header:
    """A header: the first `length` characters of a line.

    `partial`: the list is said to be a part of it (`Key`). `sentence`: it may only repeat the header above it.
    `weak`: `Other exclusions` opens a list where another is open, and is a label inside its own; `Study procedures`
    ends an exclusion list, and is a label elsewhere.
    """

    side: Side
    length: int
    arms: tuple[str, ...] = ()
    partial: bool = False
    sentence: bool = False
    weak: bool = False


@dataclass(frozen=True, slots=True)
class _SideWord:
    """The words that name the side: where they stand, and whether "criteria" is among them."""

    side: Side
    start: int
    end: int
    named: bool


_COLON = re.compile(r"\s*[:：]")
_EDGES = ' \t-–—*_#.,:;=>•·"“”'
_WORD = re.compile(r"[\w'’/-]+")
_TAIL = re.compile(r"(?P<tail>[^:：]{0,160}?)(?P<colon>\s*[:：][-:–\s]*|\s*\Z)")
_WHOLE_BRACKET = re.compile(r"\s*(?:[(\[（][^()\[\]（）]*[)\]）]\s*)+\Z")
_ALONE = re.compile(
    r"(?:i?exclusions?|i?inclusions?|inc|exc|eligib\w+|ineligibility|non[ -]?(?:inclusion|eligibility)"
    r"|.*/.*|.* and .*)\Z"
)
_BRACKETS = re.compile(r"(?:\s*[(\[（][^()\[\]（）]*[)\]）])+\s*\Z")
_DENIES = re.compile(r"(?:no|none|not|never|absence|without|see|per|meets?|met)\b")
_SURE_LIMIT, _SENTENCE_LIMIT, _START_LIMIT = 100, 260, 140
_HINTS = (
    "clus",
    "ligib",
    "criter",
    "critér",
    "critèr",
    "kriter",
    "schlu",
    "标准",
    "標準",
    "条件",
    "條件",
)
"""One of these is in every header of the first form: a cheap look before the expensive one."""


def read_header(text: str, listed: bool = False) -> Header | None:
    """The header that `text` begins with, or None. `listed`: only a list item that is a header and nothing else."""
    header = read_end(text) or read_phrase(text) or read_sentence(text, listed)
    if header is None or not listed:
        return header
    whole = header.length == len(text) and (header.sentence or len(text) <= _SURE_LIMIT)
    bare = header.sentence or (not header.arms and _is_bare(text))
    return header if whole and (_ends_in_colon(text) or bare) else None


def _is_bare(text: str) -> bool:
    """Whether an item without a colon ends with the side: `Inclusion criteria of the parent study are met` goes on."""
    low = lowered(_BRACKETS.sub("", text)).strip(_EDGES)
    if _DENIES.match(low):
        return False
    ends = [word.end for word in _side_words(low)]
    return not ends or len(low) in ends


def opens_list(text: str) -> bool:
    """Whether all of `text` is a header."""
    header = read_header(text)
    return header is not None and header.length == len(text)


def read_phrase(text: str) -> Header | None:
    """A header of the first form at the start of `text`."""
    low = lowered(text[:400])
    if not any(hint in low for hint in _HINTS):
        return None
    words = sorted(_side_words(low), key=lambda word: word.side is Side.ELIGIBILITY)
    return next((header for word in words if (header := _around(text, low, word))), None)


def read_end(text: str) -> Header | None:
    """The header that ends the lists, when it is all of `text`."""
    low = lowered(text).strip(_EDGES) if len(text) <= _SURE_LIMIT else ""
    if whole("end").match(low):
        return Header(Side.NONE, len(text))
    return Header(Side.NONE, len(text), weak=True) if whole("weak_end").match(low) else None


def find_header(text: str) -> int:
    """Where a header starts inside `text` (`Age >= 18 Exclusion Criteria: Pregnancy`); 0 when none does."""
    for found in _inside().finditer(text):
        if not _LEADS_IN.search(text[max(0, found.start() - 16) : found.start()]):
            header = read_phrase(text[found.start() :])
            if header and _COLON.search(text, found.start(), found.start() + header.length):
                return found.start()
    return 0


def read_sentence(text: str, listed: bool = False) -> Header | None:
    """A header of the second form at the start of `text`."""
    low = lowered(text[:_SENTENCE_LIMIT])
    colon = _COLON.search(low) if ":" in low or "：" in low else None
    if colon is None and not low.rstrip().endswith(("excluded.", "excluded", "eligible.")):
        return None
    body = low[: colon.start()] if colon else low
    arms = scope.names(text[: len(body)]) if colon else ()
    if arms and scope.leaves_out(text[: len(body)]):
        return None
    if not _known(
        scope.part_pattern().sub("the part", text[: len(body)]).lower() if arms else body
    ):
        return None
    side = next((side for side, pattern in _verdicts() if pattern.search(body)), None)
    if side is None or _says_more(side, body) or (listed and not _POINTS.search(body)):
        return None
    return Header(side, colon.end() if colon else len(text), arms, sentence=True)


# The first form -----------------------------------------------------------------------------------------------------


@cache
def _side_pattern() -> re.Pattern[str]:
    criteria = alternatives("criteria")
    plain = "|".join(
        rf"(?P<plain{n}>(?:{entry.pattern}))(?P<named{n}>[ _-]{{0,3}}(?:{criteria}))?"
        for n, entry in enumerate(entries("side"))
    )
    turned = "|".join(
        rf"(?P<turned{n}>(?:{criteria}|reasons|conditions) (?:for|of) (?:{entry.pattern}))"
        for n, entry in enumerate(entries("side"))
    )
    foreign = "|".join(
        rf"(?P<foreign{n}>{entry.pattern})" for n, entry in enumerate(entries("header"))
    )
    return re.compile(rf"(?<![\w'-])(?:{turned}|{plain})(?!\w)|(?:{foreign})")


def _side_words(low: str) -> Iterator[_SideWord]:
    sides, foreign = entries("side"), entries("header")
    for found in _side_pattern().finditer(low, 0, _START_LIMIT):
        for n, entry in enumerate(sides):
            if found[f"turned{n}"] or found[f"plain{n}"]:
                named = bool(found[f"turned{n}"] or found[f"named{n}"])
                yield _SideWord(Side(entry.side), found.start(), found.end(), named)
        for n, entry in enumerate(foreign):
            if found[f"foreign{n}"]:
                yield _SideWord(Side(entry.side), found.start(), found.end(), True)


def _around(text: str, low: str, word: _SideWord) -> Header | None:
    """The header around the side, when what stands before and after it belongs to one."""
    before = _before(text[: word.start])
    tail = _TAIL.match(text, word.end)
    if before is None or tail is None or not (word.named or _stands_alone(low, word, tail)):
        return None
    begins = not before.arms and not before.topic and text[:1].isupper()
    after = _after(text, tail, word.named, sure=begins)
    if after is None or (before.topic and after.length < len(text)):
        return None
    weak = not word.named and low[word.end - 1] == "s" and bool(text[: word.start].strip(_EDGES))
    arms, partial = before.arms + after.arms, before.partial or after.partial
    return Header(word.side, after.length, arms, partial, weak=weak)


def _stands_alone(low: str, word: _SideWord, tail: re.Match[str]) -> bool:
    """A side without "criteria" (`Inclusion:`, `Exclusions`) counts with a colon, or as the end of the line."""
    closed = bool(tail["colon"].strip()) or tail.end() == len(tail.string)
    return closed and _ALONE.match(low[word.start : word.end]) is not None


@dataclass(frozen=True, slots=True)
class _Before:
    """What stands before the side. `topic`: a few words that are neither modifiers nor a scope (`Angiographic`)."""

    arms: tuple[str, ...] = ()
    partial: bool = False
    topic: bool = False


def _before(text: str) -> _Before | None:
    """None when what stands before the side makes the words no header."""
    words = _WORD.findall(text)
    partial = any(whole("partial").match(word.lower()) for word in words)
    while words and _is_modifier(words[-1]):
        words.pop()
    if all(map(_is_modifier, words)):
        return _Before((), partial)
    core = text[: text.rindex(words[-1]) + len(words[-1])]
    if core.count("(") > core.count(")"):
        core += ")"
    if arms := scope.of_front(core.strip(_EDGES)):
        return _Before(arms, partial)
    topic = len(words) <= 3 and all(word[0].isupper() for word in words if len(word) > 3)
    says = scope.asks(core) or re.search(r"[\d<>=≥≤;(]", core)
    return _Before((), partial, topic=True) if topic and not says else None


def _is_modifier(word: str) -> bool:
    return bool(whole("modifier").match(word.lower()) or whole("partial").match(word.lower()))


@dataclass(frozen=True, slots=True)
class _After:
    length: int
    arms: tuple[str, ...] = ()
    partial: bool = False


def _after(text: str, found: re.Match[str], named: bool, sure: bool) -> _After | None:
    """What follows the side, up to a colon or the end; None when it makes the words no header.

    `sure`: the line begins with the header, so that a colon at its end settles it whatever stands between.
    """
    tail, colon = found["tail"], bool(found["colon"].strip())
    words = [word.lower() for word in _WORD.findall(tail)]
    partial = any(whole("partial").match(word) for word in words)
    if not words:
        return _After(found.end())
    arms = scope.of_header(
        tail.strip(_EDGES), loose=colon or (len(words) <= 8 and not tail.rstrip().endswith("."))
    )
    if arms is not None and (named or colon):
        return _After(found.end(), arms, partial)
    if _WHOLE_BRACKET.match(tail) or all(
        _vocabulary().match(word) or whole("partial").match(word) for word in words
    ):
        return _After(found.end(), (), partial)
    sure = sure and (named or words[0] != "of")
    if sure and colon and found.end() == len(text) and len(words) <= 14:
        return _After(found.end(), (), partial)
    if named and tail.lstrip()[:1] in ("-", "–", "—"):
        return _After(found.start() + len(tail) - len(tail.lstrip(" -–—")))
    return None


@cache
def _inside() -> re.Pattern[str]:
    """A header that may stand inside a line: it begins with a capital, or in Chinese after a stop."""
    return re.compile(
        r"(?<=[\s.;,)。；])(?:(?:Key|Main|Major|KEY|MAIN) )?(?:Non-)?(?:Inclusion|Exclusion|INCLUSION|EXCLUSION"
        r"|Critères|Criterios|Criteri|Critérios|Einschlusskriterien|Ausschlusskriterien)\b"
        r"|(?<=[。；;.\s])(?:主要|关键)?非?(?:入选|入選|纳入|納入|入组|入組|排除|剔除)(?:标准|標準|条件|條件)"
    )


_LEADS_IN = re.compile(
    r"\b(?:the|all|any|these|meets?|following|of|per|and|or|see|for|to|other|defined|study|key|main|major)\s*\Z",
    re.IGNORECASE,
)


# The second form ----------------------------------------------------------------------------------------------------


@cache
def _vocabulary() -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives('word')}|\d{{1,2}})\Z")


@cache
def _chinese() -> re.Pattern[str]:
    words = entries("word")[-1].pattern
    return re.compile(rf"(?:{words}|[，、,\s])+\Z")


@cache
def _verdicts() -> tuple[tuple[Side, re.Pattern[str]], ...]:
    return tuple((Side(entry.side), re.compile(entry.pattern)) for entry in entries("verdict"))


def _known(body: str) -> bool:
    """Whether every word is of the vocabulary of such sentences."""
    words = _WORD.findall(body)
    if not body.isascii() and _chinese().match(body.strip()):
        return True
    return bool(words) and all(_vocabulary().match(word) for word in words)


_POINTS = re.compile(r"\b(?:following|below|criteri(?:a|on)|conditions)\b|以下|下列")
_SOME = re.compile(r"\b(?:one|either|at least|two|three|any|\d+)\b(?! (?:and|or) all)")
_ALL = re.compile(r"\b(?:all|both|two|three|each|every)\b")
_POINTED = re.compile(r"\b(?:following|below|these|criteria|conditions)\b")
_ONE_SEX = re.compile(r"\b(?:fe)?males?\b|\ba (?:wo)?man\b|\bif she\b(?! ?/| or he)")
_BOTH_SEXES = re.compile(r"\bmales? (?:and|or) females?\b|\bfemales? (?:and|or) males?\b")
_UNFINISHED = re.compile(r"\b(?:of|either|to)\Z")
_ANY_OF = re.compile(
    r"\bif (?:they|you|he/she|she/he) (?:have|has|had|meet|meets) any (?:one )?of\Z"
)


def _says_more(side: Side, body: str) -> bool:
    """Whether the sentence says more than the header would.

    `must meet one of the following:` is the parent of alternatives; `A female is eligible if she is of:` binds some;
    `are excluded if they have any of:` says no more.
    """
    if side is Side.EXCLUSION and _ANY_OF.search(body):
        return False
    if _UNFINISHED.search(body) or (_ONE_SEX.search(body) and not _BOTH_SEXES.search(body)):
        return True
    pointed = _POINTED.search(body)
    if not pointed:
        return False
    before = body[: pointed.end()]
    if side is Side.INCLUSION:
        return bool(_SOME.search(before)) and not re.search(r"\ball\b", before)
    return bool(_ALL.search(before)) and not re.search(r"\bany\b", before)


def _ends_in_colon(text: str) -> bool:
    return text.rstrip().endswith((":", "：", ":-"))
