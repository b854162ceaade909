"""Reads headings that ask nothing: the fixed ones of the older layouts, and topics such as `Laboratory values:`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from proband.trials.headers import Side
from proband.trials.lexicon import alternatives, entries, lowered, whole, words

_WORD = re.compile(r"[\w'’-]+|[/&]")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")


MAJOR, TOPIC, TURN = 0, 1, 2
"""Levels of a label: a part of the older layout, a topic, a label that turns the side (`Excluded:`)."""


@dataclass(frozen=True, slots=True)
class Label:
    """A heading that asks nothing. `length`: of a fixed label, how many characters of the line it takes; else 0."""

    text: str
    level: int
    side: Side | None = None
    length: int = 0


@cache
def _fixed() -> re.Pattern[str]:
    """A label of the older layouts at the start of a line; the name of the group says which class it is of."""
    window = rf"(?:,? (?:{alternatives('window')})[^:：.]{{0,80}})?"
    turns = "|".join(
        rf"(?P<turn{n}>(?:{entry.pattern}){window})" for n, entry in enumerate(entries("turn"))
    )
    return re.compile(
        rf"--(?P<dashed>{alternatives('major')})--[:：]?\s*"
        rf"|(?:(?P<major>{alternatives('major')})|(?P<topic>{alternatives('topic')})|{turns})\s*[:：]\s*"
    )


@cache
def _minor() -> re.Pattern[str]:
    return re.compile(rf"(?P<minor>{alternatives('minor')})(?:\s*[:：]\s*|\Z)")


@cache
def _running() -> re.Pattern[str]:
    """A label inside a paragraph, and the words after a filler that stands for one."""
    return re.compile(
        rf"--(?:{alternatives('major')})--"
        rf"|(?<![\w-])(?:{alternatives('major')}|{alternatives('minor')})\s*[:：]"
        r"|(?<=^see disease characteristics )\S"
    )


def read_fixed(text: str, older: bool) -> Label | None:
    """The label of an older layout that `text` begins with; `older`: the block has the headings of that layout."""
    low = lowered(text[:200])
    if found := _fixed().match(low):
        return _label(text, found)
    if older and (found := _minor().match(low)):
        return Label(text[: found.end("minor")], TOPIC, length=found.end())
    return None


def _label(text: str, found: re.Match[str]) -> Label:
    for name, level in (("dashed", MAJOR), ("major", MAJOR), ("topic", TOPIC)):
        if found[name]:
            return Label(
                text[found.start(name) : found.end(name)],
                level,
                Side.INCLUSION if level == MAJOR else None,
                found.end(),
            )
    for n, entry in enumerate(entries("turn")):
        if found[f"turn{n}"]:
            return Label(text[: found.end(f"turn{n}")].strip(), TURN, Side(entry.side), found.end())
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
    return re.compile(rf"(?:^|\n)[ \t*-]*(?:{alternatives('major')})(?:--|\s*[:：\r\n])")


def is_older_layout(published: str) -> bool:
    """Whether the block has the headings of the cancer registry's older layout."""
    low = lowered(published)
    hinted = "characteristics" in low or "concurrent therapy" in low
    return hinted and _major().search(low) is not None


@cache
def _topic_word() -> re.Pattern[str]:
    whole_words = "|".join(alternatives(name) for name in ("topicword", "between", "ailment"))
    return re.compile(rf"(?:{whole_words}|(?:[\w-]+-)?(?:{alternatives('suffix')}))\Z")


def is_topic(text: str, listed: bool) -> bool:
    """Whether a phrase only names a topic, by its words. `listed`: an ailment is then a condition, no topic."""
    found = _WORD.findall(lowered(_BRACKETS.sub("", text)))
    if not 0 < len(found) <= _LONGEST_TOPIC or whole("between").match(found[-1]):
        return False
    if listed and whole("ailment").match(found[-1]):
        return False
    return all(_topic_word().match(word) for word in found)


def looks_like_heading(text: str) -> bool:
    """Whether a line outside the lists is a heading by its form: short, no verb, no number, a colon or capitals."""
    bare = text.rstrip(" :：")
    found = bare.split()
    if not 0 < len(found) <= _LONGEST_HEADING or found[0][0].islower() or text.endswith(_STOPS):
        return False
    if is_topic(bare, listed=False) or _is_topic_for_people(bare):
        return True
    if _says_something(_BRACKETS.sub("", bare)):
        return False
    return text.endswith((":", "：")) or (len(found) <= _LONGEST_TITLE and _is_title(found))


def _is_topic_for_people(bare: str) -> bool:
    """`Glycaemia-related for participants without diabetes`: a topic, then whose it is."""
    topic, _, people = bare.partition(" for ")
    first = people.removeprefix("the ").split()[:1]
    if not first or not whole("people").match(first[0].lower()):
        return False
    return is_topic(topic, listed=True)


_LONGEST_TOPIC, _LONGEST_HEADING, _LONGEST_TITLE = 9, 10, 7
_STOPS = (".", ",", ";", "。", "；")
_SIGN = re.compile(r"[<>=≥≤;?!]|\d")


def _says_something(phrase: str) -> bool:
    """Whether there is a verb, a number or a comparison."""
    return bool(_SIGN.search(phrase) or words("says").search(lowered(phrase)))


def _is_title(found: list[str]) -> bool:
    """Whether the longer words begin with capitals: `Medical Conditions`."""
    longer = [word for word in found if len(word) > 3]
    return bool(longer) and all(word[0].isupper() for word in longer)
