"""What a line that has lines below it says by itself: nothing, a measurement's name, or a condition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from proband.trials.labels import is_topic
from proband.trials.lexicon import alternatives, ending, lowered, whole

_EDGES = " \t:：,;-–—.(（"
_TESTED = re.compile(
    r"\b(?:functions?|functioning|values?|parameters?|tests?|results?|counts?|levels?|criteria|requirements?)\Z"
)
_PARTICIPLE = re.compile(r"(?:\w+ed|given|taken|shown|proven|known)\b")
_WINDOW = re.compile(
    r"\b(?:within|in|during|at|for)\b[^,;]*?\d+[^,;]*?(?:hours?|days?|weeks?|months?|years?)\b|\([^()]*\)"
)
_WORD = re.compile(r"[\w'’/-]+")


@cache
def _pointer() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{alternatives('pointer')})")


@cache
def _quality() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives('quality')})(?!\w)|正常|良好|充分|足够")


@cache
def _value() -> re.Pattern[str]:
    return re.compile(alternatives("value"))


def says_nothing(text: str) -> bool:
    """Whether the line cannot be tested without the lines below it (`Diagnosis of one of the following:`)."""
    low = lowered(text).rstrip(_EDGES)
    head, pointed = _before_pointer(low)
    colon = text.rstrip().endswith((":", "：", ":-", "："))
    if not head:
        return True
    if not colon:
        return pointed and not _without_link(head)
    if whole("counted").match(head):
        return True
    return not (_is_whole(_without_link(head)) or _is_apposed(head))


def _before_pointer(low: str) -> tuple[str, bool]:
    """What stands before the words that point at the list, and whether such words were found."""
    for found in _pointer().finditer(low):
        if len(low) - found.end() <= 120:
            return low[: found.start()].rstrip(_EDGES), True
    return low, False


def _without_link(head: str) -> str:
    """`head` without the words that only join it with the list (`shown by`, `defined as`, `including`)."""
    while found := ending("link").search(head):
        shorter = head[: found.start()].rstrip(_EDGES)
        if _governs(shorter, head):
            return head
        head = shorter
    return head


def _governs(shorter: str, head: str) -> bool:
    """Whether `with` belongs to the word before it: `treated with`, `prior therapy with`."""
    if not head.endswith("with"):
        return False
    if noun := ending("relational_noun").search(shorter):
        return all(whole("hollow").match(word) for word in _WORD.findall(shorter[: noun.start()]))
    return ending("relational").search(shorter) is not None


def _is_apposed(head: str) -> bool:
    """`Type 2 diabetes, treated with ...`: a condition, a comma, a participle."""
    before, comma, after = head.rpartition(",")
    return bool(comma) and _PARTICIPLE.match(after.strip()) is not None and _is_whole(before)


def _is_whole(head: str) -> bool:
    """Whether the words are a condition that can be tested."""
    if not head or ending("open").search(head):
        return False
    if _quality().search(head) and not re.search(r"\d", _WINDOW.sub("", head)):
        return False
    if _TESTED.search(head) and is_topic(head, listed=True):
        return False
    return not all(whole("hollow").match(word) for word in _WORD.findall(head))


def names_measurement(text: str, below: Sequence[str]) -> bool:
    """Whether the line is the bare name of what the values below it measure (`Platelet count` above `>= 100`)."""
    bare = lowered(text).strip(_EDGES + ")")
    words = _WORD.findall(bare)
    if (
        not words
        or len(words) > 10
        or re.search(r"[<>=≥≤]|\b(?:is|are|must|should|has|have|of the following)\b", bare)
    ):
        return False
    known = any(whole("measurement").match(word) for word in words)
    colon = text.rstrip().endswith((":", "："))
    if not below or not (known or colon) or re.search(r"\d", _NUMBERED_NAMES.sub("", bare)):
        return False
    if not _is_value(lowered(below[0])):
        return known and colon and len(words) <= 5
    return known or len(words) <= 4


_NUMBERED_NAMES = re.compile(r"\b(?:cd|hb|fev|ca|t|il|ph|hba|vitamin b)\W?\d+\w*")


_TIME = re.compile(
    r"[^\d]{0,24}\d+[\d.,]*\s*(?:-\s*\d+\s*)?(?:hours?|days?|weeks?|months?|years?)\b"
)


def _is_value(low: str) -> bool:
    """Whether the line is a value without its measurement: `>= 100 x 10^9/L`, `No greater than 2 mg/dL`."""
    return bool(_value().match(low)) and not _TIME.match(low)
