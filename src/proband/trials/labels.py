"""Reads headings that ask nothing: the fixed ones of the older layouts, and topics such as `Laboratory values:`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from proband.trials.headers import Side
from proband.trials.lexicon import lexicon, lowered

_WORD = re.compile(r"[\w'’-]+|[/&]")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")


@dataclass(frozen=True, slots=True)
class Label:
    """A heading. `level`: 0 opens a part of the older layout, 2 turns the side (`Excluded:`), 1 every other."""

    text: str
    level: int
    side: Side | None = None
    length: int = 0


@cache
def _fixed() -> re.Pattern[str]:
    words = lexicon()
    turns = "|".join(rf"(?P<turn{n}>(?:{entry.pattern})(?: (?:(?:within|at|in|for|of|by|as|during|prior|before|after|with|until|unless|on|upon|but|only|if|the)\b|[(>])[^:：.]{{0,80}})?)" for n, entry in enumerate(words.entries["turn"]))
    return re.compile(
        rf"--(?P<dashed>{words.alternatives('major')})--[:：]?\s*"
        rf"|(?:(?P<major>{words.alternatives('major')})|(?P<topic>{words.alternatives('topic')})|{turns})\s*[:：]\s*"
    )


@cache
def _minor() -> re.Pattern[str]:
    return re.compile(rf"(?P<minor>{lexicon().alternatives('minor')})\s*[:：]\s*")


@cache
def _minor_alone() -> re.Pattern[str]:
    return lexicon().whole("minor")


@cache
def _running() -> re.Pattern[str]:
    words = lexicon()
    return re.compile(
        rf"(?:--(?:{words.alternatives('major')})--|(?<![\w-])(?:{words.alternatives('major')}|{words.alternatives('minor')})\s*[:：]"
        r"|(?<=^see disease characteristics )\S)"
    )


def read_fixed(text: str, older: bool) -> Label | None:
    """The label of an older layout that `text` begins with; `older`: the block has the headings of that layout."""
    low = lowered(text[:200])
    if found := _fixed().match(low):
        return _label(text, found)
    if older and (found := _minor().match(low)):
        return Label(text[: found.end("minor")], 1, length=found.end())
    if older and _minor_alone().match(low):
        return Label(text, 1, length=len(text))
    return None


def _label(text: str, found: re.Match[str]) -> Label:
    for name, level in (("dashed", 0), ("major", 0), ("topic", 1)):
        if found[name]:
            return Label(text[found.start(name) : found.end(name)], level, Side.INCLUSION if level == 0 else None, found.end())
    for n, entry in enumerate(lexicon().entries["turn"]):
        if found[f"turn{n}"]:
            return Label(text[: found.end(f"turn{n}")].strip(), 2, Side(entry.side), found.end())
    raise AssertionError("a fixed label has a class")


def running_labels(text: str) -> Iterator[int]:
    """Where labels of the older layout stand inside a paragraph: `Hepatic: Not specified Renal: ...`."""
    for found in _running().finditer(lowered(text)):
        if found.start() and (text[found.start()] == "-" or text[found.start()].isupper()):
            yield found.start()


def opens_part(text: str) -> bool:
    """Whether the line is a heading of an older layout."""
    return _fixed().match(lowered(text[:200])) is not None


@cache
def _major() -> re.Pattern[str]:
    return re.compile(rf"(?:^|\n)[ \t*-]*(?:{lexicon().alternatives('major')})(?:--|\s*[:：\r\n])")


def is_older_layout(published: str) -> bool:
    """Whether the block has the headings of the cancer registry's older layout."""
    low = lowered(published)
    hinted = "characteristics" in low or "concurrent therapy" in low
    return hinted and _major().search(low) is not None


_BETWEEN = frozenset("and or and/or of the for in on to with / & by from per".split())


@cache
def _topic_word() -> re.Pattern[str]:
    words = lexicon()
    return re.compile(
        rf"(?:{words.alternatives('topicword')}|{words.alternatives('ailment')}|(?:[\w-]+-)?(?:{words.alternatives('suffix')}))\Z"
    )


@cache
def _ailment() -> re.Pattern[str]:
    return lexicon().whole("ailment")


def is_topic(text: str, listed: bool) -> bool:
    """Whether a phrase only names a topic, by its words. `listed`: an ailment is then a condition, no topic."""
    words = _WORD.findall(lowered(_BRACKETS.sub("", text)))
    if not 0 < len(words) <= 9 or words[-1] in _BETWEEN or (listed and _ailment().match(words[-1])):
        return False
    return all(_topic_word().match(word) for word in words)


_SAYS = re.compile(
    r"\b(?:is|are|was|were|be|been|must|should|shall|will|may|can|cannot|have|has|had|do|does|following|follows|below|defined|includes?|including|least|than|not|no|none|any|if|who|unless|except|able|willing|agree|confirmed|documented|proven|known|suspected|signed|diagnosed|presence|evidence|absence|history of|use of)\b|[<>=≥≤;?!]|\d",
    re.IGNORECASE,
)


def looks_like_heading(text: str) -> bool:
    """Whether a line outside the lists is a heading by its form: short, no verb, no number, a colon or capitals."""
    bare = text.rstrip(" :：")
    words = bare.split()
    if not words or len(words) > 10 or words[0][0].islower() or text.endswith((".", ",", ";", "。", "；")):
        return False
    if is_topic(bare, listed=False):
        return True
    if _SAYS.search(_BRACKETS.sub("", bare)):
        return False
    if text.endswith((":", "：")):
        return True
    long = [word for word in words if len(word) > 3]
    return bool(long) and all(word[0].isupper() for word in long) and len(words) <= 7
