"""Sentences of a text: for sub-queries, and where a text may be cut."""

from __future__ import annotations

import re
from itertools import pairwise

_END = re.compile(r"(?:(?<=[.!?;])|(?<=[.!?;][\"')\]]))\s+(?=[\"'(\[]*[A-Z0-9+])|\s*\n\s*")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|vs|No|Fig|approx|ca|cf|etc|e\.g|i\.e|p\.o|b\.i\.d)\.$"
)


def sentences(text: str) -> list[str]:
    """`text` cut after full stops, question marks, semicolons and at line ends; abbreviations end nothing."""
    found: list[str] = []
    for piece in _END.split(text):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] += " " + piece.strip()
        elif piece.strip():
            found.append(piece.strip())
    return found


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The half-open range of each sentence of `text`, white space aside, by the rule of `sentences`."""
    borders = [0]
    for found in _END.finditer(text):
        if not _ABBREVIATED.search(text[borders[-1] : found.start()]):
            borders.append(found.end())
    spans = (
        (start, start + len(text[start:end].rstrip()))
        for start, end in pairwise((*borders, len(text)))
    )
    return [(start + _blanks(text[start:end]), end) for start, end in spans if start < end]


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())
