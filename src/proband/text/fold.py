"""One spelling a character, so that what looks alike compares alike."""

from __future__ import annotations

import re
import unicodedata

_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_ACCENT = re.compile("[\u0300-\u036f]")
_FOLDED = str.maketrans(
    dict.fromkeys("‐‑‒–—―−", "-")
    | {
        "≥": ">=",
        "≧": ">=",
        "⩾": ">=",
        "≤": "<=",
        "≦": "<=",
        "⩽": "<=",
        "’": "'",
        "‘": "'",
        "×": "x",
        "⁄": "/",
    }
    | {
        "α": "alpha",
        "β": "beta",
        "γ": "gamma",
        "δ": "delta",
        "ε": "epsilon",
        "κ": "kappa",
        "λ": "lambda",
        "μ": "u",
    }
    | {"\u00a0": " ", "\u200b": None, "\u00ad": None}
)


def fold(text: str) -> str:
    """`text` with one spelling a character: NFKC, no accents, `-` for every dash, `>=` for `≥`, `^` before powers.

    Case is kept, because `ALL` is not `all`; a text written mostly in capitals is lowered, because it shouts.
    """
    if not text.isascii():
        text = _SUPERSCRIPT.sub(lambda power: "^" + unicodedata.normalize("NFKC", power[0]), text)
        text = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
        text = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    return text.lower() if _shouts(text) else text


def _shouts(text: str) -> bool:
    return text.isupper() and text.count(" ") >= 4


def folded_name(name: str) -> str:
    """A name as filters compare it: one spelling a character, lower case, single spaces."""
    return " ".join(fold(name).lower().split())
