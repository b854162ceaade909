"""A clean reading of published text that knows where each of its characters was published.

Everything that is quoted goes through here: `text` is what a person reads, `origin` proves it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class Reading:
    """Clean text with, for each character, the half-open range of published characters it was read from.

    `starts[i]` and `ends[i]` bound the published characters behind `text[i]`: usually one, several for an escape
    (`\\>`), an entity (`&gt;`) or a run of white space that reads as one space. Both never decrease.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.text) == len(self.starts) == len(self.ends):
            raise ValueError("a reading needs one start and one end a character")

    def __len__(self) -> int:
        return len(self.text)

    def slice(self, start: int, end: int) -> Reading:
        """The reading of `text[start:end]`, offsets kept."""
        return Reading(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def strip(self, characters: str | None = None) -> Reading:
        """This reading without leading and trailing `characters` (white space by default)."""
        left = len(self.text) - len(self.text.lstrip(characters))
        right = len(self.text.rstrip(characters))
        return self.slice(left, max(left, right))

    @property
    def span(self) -> Span:
        """The published range from the first to the last character; empty reading: [0, 0)."""
        return Span(self.starts[0], self.ends[-1]) if self.text else Span(0, 0)


def plain(published: str, start: int = 0, end: int | None = None) -> Reading:
    """`published[start:end]` with each run of white space as one space and both ends stripped."""
    stop = len(published) if end is None else end
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for position in range(start, stop):
        character = published[position]
        if character.isspace():
            if characters and characters[-1] == " ":
                ends[-1] = position + 1
                continue
            character = " "
        characters.append(character)
        starts.append(position)
        ends.append(position + 1)
    return Reading("".join(characters), tuple(starts), tuple(ends)).strip()


def join(readings: Iterable[Reading]) -> Reading:
    """The readings one after the other, with one space between; the space is read from the gap."""
    parts = [reading for reading in readings if reading.text]
    if not parts:
        return Reading("", (), ())
    text, starts, ends = parts[0].text, list(parts[0].starts), list(parts[0].ends)
    for part in parts[1:]:
        text += " " + part.text
        starts += [ends[-1], *part.starts]
        ends += [part.starts[0], *part.ends]
    return Reading(text, tuple(starts), tuple(ends))
