"""Finds encoded files in a text: base64, uuencode and hex, also over several lines. Nothing is decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CODE = "[A-Za-z0-9+/]"
_ENCODED = re.compile(
    r"(?P<uuencode>(?<![^\n])begin [0-7]{3,4} [^\n]{1,200}\n(?:[ -`]{1,61}\r?\n)*+(?:end(?![^\s]))?)"
    r"|(?P<hex>(?<![0-9A-Za-z])(?:(?:0x)?[0-9A-Fa-f]{2}[ :,\r\n]{1,3}){32,}+(?:[0-9A-Fa-f]{2}(?![0-9A-Za-z]))?)"
    rf"|(?P<base64>(?:data:[\w.+/;=-]{{0,80}},\s?)?(?<!{_CODE}){_CODE}{{40,}}+(?:\s{{1,8}}{_CODE}{{40,}}+)*+"
    rf"(?:\r?\n[ \t]{{0,8}}(?=[A-Za-z+/]{{0,75}}[0-9+/=]){_CODE}{{1,76}}={{0,2}}(?=\s|\Z))?={{0,2}})"
)
_LEAST = 96
"""Characters: a shorter run may be a name, a path or a key that a person wrote down."""


class Encoded(NamedTuple):
    """Characters `[start, end)` are an encoded file of the given kind: "base64", "uuencode" or "hex"."""

    start: int
    end: int
    kind: str


def encoded_runs(text: str) -> Iterator[Encoded]:
    """The encoded files in `text`, in order; linear in the length of the text."""
    for found in _ENCODED.finditer(text):
        kind = found.lastgroup or ""
        if kind != "base64":
            yield Encoded(found.start(), found.end(), kind)
        elif is_code(found.group()):
            is_hex = re.fullmatch(r"[0-9A-Fa-f\s]+", found.group())
            yield Encoded(found.start(), found.end(), "hex" if is_hex else kind)


def is_code(run: str) -> bool:
    """Whether a run of code characters is long and mixed enough to be no word, line of dashes or sequence of bases."""
    if run.startswith("data:"):
        return True
    sample = run[:2000]
    kinds = sum(bool(re.search(kind, sample)) for kind in ("[A-Z]", "[a-z]", "[0-9]"))
    return len(run) >= _LEAST and kinds >= 2 and len(set(sample)) >= 12
