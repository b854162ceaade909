"""What a line is by its wording alone: note, filler, connective, incompleteness, and which list it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from proband.trials import labels
from proband.trials.headers import Side, opens_list
from proband.trials.lexicon import alternatives, entries, lowered, whole

_EDGES = " \t.,;:。；：!()[]\"'“”*_-–—"


@cache
def _note() -> re.Pattern[str]:
    return re.compile(rf"[(\[*\s]*(?:{alternatives('note')})")


@cache
def _amendment() -> re.Pattern[str]:
    return re.compile(rf"[(\[*\s]*(?:{alternatives('amendment')})")


@cache
def _incomplete() -> re.Pattern[str]:
    return re.compile(rf"(?:note ?[:：] ?)?(?:{alternatives('incomplete')})[.。\s]*\Z")


@cache
def _footnote() -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives('footnote')})")


@cache
def _footnote_reference() -> re.Pattern[str]:
    return re.compile(rf"(?<=[\w)\]%\"”'’])({alternatives('footnote')})(?=[\s.,;:)\]。；，]|\Z)")


def is_connective(text: str) -> bool:
    """Whether the line holds nothing but `OR`, `and/or`, `et`."""
    return len(text) <= 16 and bool(whole("connective").match(lowered(text).strip(" .,;:-–—*_")))


def is_filler(text: str) -> bool:
    """Whether the line asks nothing: `None`, `N/A`, `Not specified`, a lone dash, a list break."""
    if text.startswith("<!--") and text.endswith("-->"):
        return True
    if len(text) > 100:
        return False
    bare = lowered(text).strip(_EDGES)
    return not bare or bool(whole("filler").match(bare))


def is_note(text: str) -> bool:
    """Whether the line comments: `NOTE:`, `N.B.`, a dated amendment, a formula."""
    start = lowered(text[:120])
    return bool(_note().match(start) or _amendment().match(start)) or is_formula(text)


def is_incomplete(text: str) -> bool:
    """Whether the line says that further criteria, or all of them, stand elsewhere."""
    return len(text) <= 300 and bool(_incomplete().match(lowered(text).strip(" \t*_-–—([")))


_EQUATION = re.compile(r"^(?P<left>[^=<>≤≥]{2,70}?)\s?[=＝]\s?(?P<right>[^=<>≤≥]+)$")
_OPERATION = re.compile(
    r"(?:[)\]²0-9A-Za-z]\s*[×x*/÷+−–-]\s*[(\[]|[)\]]\s*[×x*/÷+−–-]\s*|\s[×x*/÷+−–-]\s)"
)
_VARIABLE = re.compile(
    r"\b(?!(?:cells|copies|mmol|umol|nmol|per|times|years|days|weeks|months|and|with|for|mcl)\b)[A-Za-z]{3}",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:ULN|LLN|UNL|upper|lower|limit|normal)\b")


def is_formula(text: str) -> bool:
    """Whether the line is an equation (`CrCl = (140 - age) x weight / 72`), not a limit (`WBC = 4 - 10 x 10^9/L`)."""
    found = _EQUATION.match(text) if "=" in text or "＝" in text else None
    if not found or len(found["left"].split()) > 9:
        return False
    right = found["right"]
    return bool(_OPERATION.search(right) and _VARIABLE.search(right) and not _LIMIT.search(right))


_FOOTNOTE_SIGN = re.compile(r"[*†‡§¶¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉ]")


def footnote_marks(texts: Iterable[str]) -> frozenset[str]:
    """The footnote marks that stand at words."""
    return frozenset(
        found[1]
        for text in texts
        if _FOOTNOTE_SIGN.search(text)
        for found in _footnote_reference().finditer(text)
    )


def leading_footnote_mark(text: str) -> str:
    """The footnote mark that the line begins with, or nothing."""
    found = _footnote().match(text)
    return found.group() if found else ""


def starts_unit(text: str) -> bool:
    """Whether a line below a text line without a blank between is a unit of its own, not its wrapped end."""
    return (
        is_connective(text)
        or is_note(text)
        or opens_list(text)
        or labels.opens_part(text)
        or (text.endswith((":", "：")) and len(text.split()) <= 8 and text[0].isupper())
    )


_SENTENCE_END = re.compile(r"(?:(?<=\w\w[.!?])|(?<=[%)\]][.!?]))\s+(?=[A-Z])|(?<=[。！？])")


@cache
def _verdicts() -> tuple[tuple[Side, re.Pattern[str]], ...]:
    return tuple(
        (Side(entry.side), re.compile(rf"(?<!\w)(?:{entry.pattern})(?!\w)"))
        for entry in entries("line_verdict")
    )


def side_of(text: str) -> Side | None:
    """The list that a line in no list, or in a mixed one, belongs to by what it says; None when it says nothing.

    A paragraph that goes over from whom it takes to whom it does not belongs to neither.
    """
    first, *others = (_verdict(sentence) for sentence in _SENTENCE_END.split(text))
    if first is not Side.EXCLUSION and Side.EXCLUSION in others:
        return None
    return next((side for side in (first, *others) if side), None)


def _verdict(sentence: str) -> Side | None:
    low = lowered(sentence)
    return next((side for side, pattern in _verdicts() if pattern.search(low)), None)
