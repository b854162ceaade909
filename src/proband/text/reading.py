"""A clean reading of published text that knows where each of its characters was published.

Everything that is quoted goes through here: `text` is what a person reads, `pieces` prove it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

_SPACES = re.compile(r"\s+")
_AT = attrgetter("at")


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters `[start, end)` of a published text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    def of(self, published: str) -> str:
        """The slice of `published` that this span cites."""
        return published[self.start : self.end]


class Piece(NamedTuple):
    """A run of clean text, from character `at` to the next piece, read from published `[start, end)`.

    Equal lengths: character for character. Otherwise every character was read from the whole range: an escape
    (`\\>`), an entity (`&gt;`), a run of white space that reads as one space.
    """

    at: int
    start: int
    end: int


class Change(NamedTuple):
    """Published `[start, end)` reads as `text` (which may be empty)."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """Clean text with the published range behind each character; the ranges never go backwards.

    Kept as runs, not as two numbers a character: 17,877 studies read five times faster.
    """

    text: str
    pieces: tuple[Piece, ...]

    def __post_init__(self) -> None:
        if bool(self.text) is not bool(self.pieces) or (self.pieces and self.pieces[0].at):
            raise ValueError("a reading needs a published range behind each character")

    def __len__(self) -> int:
        return len(self.text)

    @property
    def starts(self) -> tuple[int, ...]:
        """For each character of `text`, where the published range behind it starts."""
        return tuple(start for start, _ in self._ranges())

    @property
    def ends(self) -> tuple[int, ...]:
        """For each character of `text`, where the published range behind it ends."""
        return tuple(end for _, end in self._ranges())

    @property
    def span(self) -> Span:
        """The published range from the first to the last character; empty reading: [0, 0)."""
        return Span(self.pieces[0].start, self.pieces[-1].end) if self.text else Span(0, 0)

    def slice(self, start: int, end: int | None = None) -> Reading:
        """The reading of `text[start:end]`, offsets kept."""
        text = self.text[start:end]
        if len(text) == len(self.text):
            return self
        if not text:
            return Reading("", ())
        if len(self.pieces) == 1 and self._is_plain:
            at = self.pieces[0].start + start
            return Reading(text, (Piece(0, at, at + len(text)),))
        return Reading(text, tuple(self._cut(start, start + len(text))))

    def strip(self, characters: str | None = None) -> Reading:
        """This reading without leading and trailing `characters` (white space by default)."""
        left = len(self.text) - len(self.text.lstrip(characters))
        right = len(self.text.rstrip(characters))
        return self.slice(left, max(left, right))

    def without(self, ranges: Iterable[tuple[int, int]]) -> Reading:
        """This reading without the given ascending ranges of `text`."""
        kept, cursor = [], 0
        for start, end in ranges:
            kept.append(self.slice(cursor, start))
            cursor = end
        return _concatenate([*kept, self.slice(cursor)])

    @property
    def _is_plain(self) -> bool:
        """Whether one run is all, character for character."""
        piece = self.pieces[0]
        return piece.end - piece.start == len(self.text)

    def _ranges(self) -> Iterator[tuple[int, int]]:
        for piece, length in self._runs():
            if piece.end - piece.start == length:
                yield from zip(
                    range(piece.start, piece.end),
                    range(piece.start + 1, piece.end + 1),
                    strict=True,
                )
            else:
                yield from [(piece.start, piece.end)] * length

    def _runs(self, start: int = 0, end: int | None = None) -> Iterator[tuple[Piece, int]]:
        """The runs that hold characters of `text[start:end]`, found by bisection: texts are cut into many pieces."""
        first = max(0, bisect_right(self.pieces, start, key=_AT) - 1)
        last = len(self.pieces) if end is None else bisect_left(self.pieces, end, key=_AT)
        after = self.pieces[last] if last < len(self.pieces) else Piece(len(self.text), 0, 0)
        for piece, following in pairwise((*self.pieces[first:last], after)):
            yield piece, following.at - piece.at

    def _cut(self, start: int, end: int) -> Iterator[Piece]:
        for piece, length in self._runs(start, end):
            low, high = max(piece.at, start), min(piece.at + length, end)
            if low >= high:
                continue
            if piece.end - piece.start == length:
                offset = piece.start - piece.at
                yield Piece(low - start, low + offset, high + offset)
            else:
                yield Piece(low - start, piece.start, piece.end)


def read(published: str, start: int, end: int, changes: Iterable[Change] = ()) -> Reading:
    """`published[start:end]` with ascending `changes` applied."""
    texts: list[str] = []
    pieces: list[Piece] = []
    at, cursor = 0, start
    for change in (*changes, Change(end, end, "")):
        if change.start > cursor:
            texts.append(published[cursor : change.start])
            pieces.append(Piece(at, cursor, change.start))
            at += change.start - cursor
        if change.text:
            texts.append(change.text)
            pieces.append(Piece(at, change.start, change.end))
            at += len(change.text)
        cursor = change.end
    return Reading("".join(texts), tuple(pieces))


def changed(reading: Reading, changes: Iterable[Change]) -> Reading:
    """`reading` with ascending changes of its own text applied; what they put in was read from what they replace."""
    parts: list[Reading] = []
    cursor = 0
    for change in (*changes, Change(len(reading), len(reading), "")):
        if change.start > cursor:
            parts.append(reading.slice(cursor, change.start))
        if change.text:
            behind = reading.slice(change.start, change.end).span
            parts.append(Reading(change.text, (Piece(0, behind.start, behind.end),)))
        cursor = change.end
    return _concatenate(parts)


def plain(published: str, start: int = 0, end: int | None = None) -> Reading:
    """`published[start:end]` with each run of white space as one space and both ends stripped."""
    stop = len(published) if end is None else end
    runs = (run for run in _SPACES.finditer(published, start, stop) if run.group() != " ")
    return read(
        published, start, stop, (Change(run.start(), run.end(), " ") for run in runs)
    ).strip()


def join(readings: Iterable[Reading]) -> Reading:
    """The readings one after the other, with one space between; the space is read from the gap."""
    spaced: list[Reading] = []
    for reading in readings:
        if not reading.text:
            continue
        if spaced:
            spaced.append(
                Reading(" ", (Piece(0, spaced[-1].pieces[-1].end, reading.pieces[0].start),))
            )
        spaced.append(reading)
    return _concatenate(spaced)


def _concatenate(readings: list[Reading]) -> Reading:
    pieces: list[Piece] = []
    at = 0
    for reading in readings:
        pieces += [Piece(at + piece.at, piece.start, piece.end) for piece in reading.pieces]
        at += len(reading.text)
    return Reading("".join(reading.text for reading in readings), tuple(pieces))
