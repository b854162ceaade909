"""Cuts a clean text into paragraphs, each with the heading it stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from proband.text.reading import Change, Reading, changed

_BLANK = re.compile(r"\n\n+")
_SHORT = 60
_JOINED = 600
"""Characters: short paragraphs in a row are joined to at most this length."""
_NAMES = (
    "allergies|allergy|assessment|assessment and plan|background|chief complaint|clinical history|complaints?|"
    "conclusion|diagnosis|diagnoses|differential(?: diagnosis)?|discharge (?:diagnosis|summary|medications?|advice)|"
    "drug history|examination|family history|family hx|fhx?|findings|follow[- ]up|gynaecological history|"
    "history|history of (?:present(?:ing)? (?:illness|complaint)|illness)|hpi|impression|indication|investigations|"
    "labs?|laboratory|medications?|nursing|obstetric history|on examination|operation|"
    "past (?:medical|surgical) history|past history|physical exam(?:ination)?|plan|pmhx?|presenting complaint|"
    "problem list|problems|procedures?|"
    "recommendations?|results|review of systems|ros|social history|s|o|a|p|a/p|subjective|objective|summary|"
    "surgical history|systems review|technique|treatment|vital signs|vitals"
)
_HEADING = re.compile(rf"(?:(?:{_NAMES})\s*:?|[^\W\d][^\n.!?;:]{{0,58}}:)", re.IGNORECASE)
_CAPITALS = re.compile(r"[^\W\d_a-z][^a-z\d\n.!?;:,+]{3,58}[:.]?")
_INLINE = re.compile(rf"(?:(?i:{_NAMES})\s*:|[A-Z][A-Z /&-]{{3,40}}[:.](?=\s))")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, and the heading above it without its colon ("" where there is none).

    The heading's line is part of the reading that follows it, so nothing that was written is lost.
    """

    reading: Reading
    heading: str = ""


class _Block(NamedTuple):
    """A run of text between blank lines, or a heading's line: characters `[start, end)`."""

    start: int
    end: int
    heading: str
    is_heading: bool


def paragraphs(reading: Reading) -> tuple[Paragraph, ...]:
    """The paragraphs of a clean text: cut at blank lines and headings, short ones in a row as one."""
    found: list[Paragraph] = []
    for start, end, heading in _joined(list(_blocks(reading.text))):
        part = reading.slice(start, end)
        blanks = (Change(*blank.span(), "\n") for blank in _BLANK.finditer(part.text))
        found.append(Paragraph(changed(part, blanks) if "\n\n" in part.text else part, heading))
    return tuple(found)


def _blocks(text: str) -> Iterator[_Block]:
    heading = ""
    for start, end in _between(text, "\n\n", 0, len(text)):
        rest = start
        for low, high in _between(text, "\n", start, end):
            line = text[low:high]
            if not is_heading(line):
                continue
            if rest < low:
                yield _Block(rest, low - 1, heading, False)
            heading = _name(line)
            yield _Block(low, high, heading, True)
            rest = min(high + 1, end)
        if rest < end:
            inline = _INLINE.match(text, rest, end)
            yield _Block(rest, end, _name(inline.group()) if inline else heading, False)
            heading = "" if inline else heading


def is_heading(line: str) -> bool:
    """Whether a line is a heading: it ends with a colon, is in capitals, or is a usual heading's name."""
    if len(line) > _SHORT:
        return False
    return bool(_HEADING.fullmatch(line) or _CAPITALS.fullmatch(line)) and len(line.split()) <= 8


def _name(line: str) -> str:
    return line.strip(" :.\t")


def _joined(blocks: list[_Block]) -> Iterator[tuple[int, int, str]]:
    """Blocks as paragraphs: a heading goes with what follows, short ones under one heading stand together."""
    if not blocks:
        return
    start, is_open = blocks[0].start, True
    for block, following in pairwise((*blocks, _Block(0, 0, "", True))):
        is_open = block.is_heading or (is_open and block.end - block.start < _SHORT)
        has_room = following.end - start <= _JOINED
        goes_on = following.end and not following.is_heading and following.heading == block.heading
        is_short = following.end - following.start < _SHORT
        if goes_on and (block.is_heading or (is_open and is_short and has_room)):
            continue
        yield start, block.end, block.heading
        start, is_open = following.start, True


def _between(text: str, mark: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges of `text[start:end]` between the marks."""
    while (at := text.find(mark, start, end)) >= 0:
        if at > start:
            yield start, at
        start = at + len(mark)
    if start < end:
        yield start, end
