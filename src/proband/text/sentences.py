"""Sentences of a text, for sub-queries and windows."""

from __future__ import annotations

import re

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
