"""What a line is by its wording alone: note, filler, connective, incompleteness, and which list it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from proband.trials import labels
from proband.trials.headers import Side, opens_list
from proband.trials.lexicon import lexicon, lowered

_EDGES = " \t.,;:。；：!()[]\"'“”*_-–—"


@cache
def _filler() -> re.Pattern[str]:
    return lexicon().whole("filler")


@cache
def _connective() -> re.Pattern[str]:
    return lexicon().whole("connective")


@cache
def _note() -> re.Pattern[str]:
    return re.compile(rf"[(\[*\s]*(?:{lexicon().alternatives('note')})")


@cache
def _amendment() -> re.Pattern[str]:
    return re.compile(rf"[(\[*\s]*(?:{lexicon().alternatives('amendment')})")


@cache
def _incomplete() -> re.Pattern[str]:
    return re.compile(rf"(?:note ?[:：] ?)?(?:{lexicon().alternatives('incomplete')})[.。\s]*\Z")


@cache
def _footnote() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon().alternatives('footnote')})")


@cache
def _footnote_reference() -> re.Pattern[str]:
    return re.compile(rf"(?<=[\w)\]%\"”'’])({lexicon().alternatives('footnote')})(?=[\s.,;:)\]。；，]|\Z)")


def is_connective(text: str) -> bool:
    """Whether the line holds nothing but `OR`, `and/or`, `et`."""
    return len(text) <= 16 and bool(_connective().match(lowered(text).strip(" .,;:-–—*_")))


def is_filler(text: str) -> bool:
    """Whether the line asks nothing: `None`, `N/A`, `Not specified`, a lone dash, a list break."""
    if text.startswith("<!--") and text.endswith("-->"):
        return True
    if len(text) > 100:
        return False
    bare = lowered(text).strip(_EDGES)
    return not bare or bool(_filler().match(bare))


def is_note(text: str) -> bool:
    """Whether the line comments: `NOTE:`, `N.B.`, a dated amendment, a formula."""
    start = lowered(text[:120])
    return bool(_note().match(start) or _amendment().match(start)) or is_formula(text)


def is_incomplete(text: str) -> bool:
    """Whether the line says that further criteria, or all of them, stand elsewhere."""
    return len(text) <= 300 and bool(_incomplete().match(lowered(text).strip(" \t*_-–—([")))


_EQUATION = re.compile(r"^(?P<left>[^=<>≤≥]{2,70}?)\s?[=＝]\s?(?P<right>[^=<>≤≥]+)$")
_OPERATION = re.compile(r"(?:[)\]²0-9A-Za-z]\s*[×x*/÷+−–-]\s*[(\[]|[)\]]\s*[×x*/÷+−–-]\s*|\s[×x*/÷+−–-]\s)")
_VARIABLE = re.compile(r"\b(?!(?:cells|copies|mmol|umol|nmol|per|times|years|days|weeks|months|and|with|for|mcl)\b)[A-Za-z]{3}", re.IGNORECASE)
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
        found[1] for text in texts if _FOOTNOTE_SIGN.search(text) for found in _footnote_reference().finditer(text)
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


_EXCLUDES = re.compile(
    r"\b(?:(?:is|are|will be|shall be|must be|should be|be) (?:also )?(?:excluded|ineligible|not eligible|disqualified)|not (?:be )?eligible|ineligible|(?:is|are|be) exclusionary|(?:may|can|will|shall|must|should) not (?:be (?:enrolled|included|entered)|participate|enter|take part)|excludes?|excluded|exclusion|not (?:included|enrolled|acceptable)|cannot (?:participate|take part|be (?:enrolled|included)))\b"
)
_REQUIRES = re.compile(
    r"\b(?:must|should|shall|has to|have to|need(?:s)? to|required?|requires|are eligible|is eligible|eligible if|(?:is|are|be) (?:also )?(?:allowed|permitted|acceptable|included|eligible)|may (?:have|be|receive)|willing|able to|agrees? to|capable of|provide[sd]?|understands?|gives?|consents?|will be (?:included|enrolled|eligible|studied|recruited)|is willing|has? signed)\b|^(?:no|not|never|without|free of|absence of|non-?pregnant)\b"
)


def side_of(text: str) -> Side | None:
    """The list that a line in no list, or in a mixed one, belongs to by what it says; None when it says nothing."""
    low = lowered(text)
    if _EXCLUDES.search(low) and not re.search(r"\bnot (?:be )?(?:excluded|exclusionary|an exclusion|ineligible)\b", low):
        return Side.EXCLUSION
    return Side.INCLUSION if _REQUIRES.search(low) else None
