"""Names as keys: what one writes with other dashes, blanks, case or zeros is the same name."""

from __future__ import annotations

import re

from proband.text.fold import fold

_MARK = re.compile(r"[\u00ae\u2122\u2120\u00a9]|\((?:R|TM|SM)\)|(?<=[a-z])TM\b")
_PART = re.compile(r"[^\W\d_]+|\d+")


def plain_name(name: str) -> str:
    """`name` folded, without trademark signs."""
    return fold(_MARK.sub(" ", name))


def key(name: str) -> str:
    """Letters and digits in small letters; a hyphen only between digits that something parted.

    MK-3475 = MK 3475 = mk3475; 97-125 is not 971-25.
    """
    return _joined(_parts(name), "-")


def unpadded_key(name: str) -> str:
    """The key without leading zeros: PF-05180999 = PF-5180999."""
    return _joined([_unpadded(part) for part in _parts(name)], "-")


def loose_keys(name: str) -> tuple[str, ...]:
    """Keys without leading zeros and hyphens, zeros taken from each part as published and from each run of digits.

    16.0123 = 16-123 = 160123.
    """
    parts = _parts(name)
    by_part = "".join(_unpadded(part) for part in parts)
    as_typed = re.sub(r"\d+", lambda digits: _unpadded(digits[0]), "".join(parts))
    return tuple(dict.fromkeys(found for found in (by_part, as_typed) if found))


def _parts(name: str) -> list[str]:
    return _PART.findall(plain_name(name).lower())


def _joined(parts: list[str], between_digits: str) -> str:
    joined = ""
    for part in parts:
        apart = joined and joined[-1].isdigit() and part[0].isdigit()
        joined += between_digits * bool(apart) + part
    return joined


def _unpadded(part: str) -> str:
    return part.lstrip("0") or "0" if part.isdigit() else part
