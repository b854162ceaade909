"""A passage among the sections of its document: what stands above, below and beside it, and the rest of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import groupby

from proband.model import AnyOf, Field, Filter, NoneOf, Passage, Section, SectionKind
from proband.text.reading import Reading, Span

Cited = tuple[str, Span]
"""A field and a span of it."""


class Relation(StrEnum):
    """What a slice is to its passage: more of the same section, or a line above, below or beside it."""

    PART = "part"
    PARENT = "parent"
    CHILD = "child"
    SIBLING = "sibling"


@dataclass(frozen=True, slots=True)
class Line:
    """What can be given: a reading, and how it stands to the passage."""

    relation: Relation
    section: Section
    reading: Reading
    ordinal: int | None


@dataclass(frozen=True)
class Around:
    """A passage among the sections of its document; `shown` is what need not be given again."""

    passage: Passage
    sections: Sequence[Section]
    where: Filter
    shown: tuple[Cited, ...]

    def own(self) -> Section | None:
        """The section that the passage is, or is a part of."""
        passage = self.passage
        for section in self.sections:
            if (section.kind, section.ordinal, section.field) == (
                passage.kind,
                passage.ordinal,
                passage.field,
            ):
                at, end = self._range(section, passage.span)
                return section if section.reading.text[at:end] == passage.text else None
        return None

    def rest(self, own: Section) -> tuple[list[Line], list[Line]]:
        """What of the section stands before and after the passage, as far as the next part that is shown."""
        text = own.reading.text
        start, end = self._range(own, self.passage.span)
        parts = [self._range(own, span) for name, span in self.shown if name == own.field]
        others = [(low, high) for low, high in parts if low < high and (low, high) != (start, end)]
        first = max((high for low, high in others if low < start), default=0)
        last = min((low for low, _ in others if low >= start), default=len(text))
        before = own.reading.slice(first, start).strip() if first < start else None
        after = own.reading.slice(end, last).strip() if end < last else None
        return (
            [Line(Relation.PART, own, some, own.ordinal) for some in (before,) if some],
            [Line(Relation.PART, own, some, own.ordinal) for some in (after,) if some],
        )

    @staticmethod
    def _range(section: Section, span: Span) -> tuple[int, int]:
        """The characters of the section's text that were read from `span`."""
        starts = section.reading.starts
        return bisect_left(starts, span.start), bisect_left(starts, span.end)

    def parents(self, own: Section) -> list[Line]:
        """The lines above, nearest first."""
        return [
            line
            for reading in reversed(own.above)
            if self._fits(line := self._line(Relation.PARENT, own, reading))
        ]

    def children(self, own: Section) -> list[Line]:
        """The lines below, in order."""
        depth = len(own.above)
        below = [one for one in self.sections if _stands_below(one, own)]
        return [line for line in self._lines(Relation.CHILD, below, depth + 1) if self._fits(line)]

    def siblings(self, own: Section) -> tuple[list[list[Line]], list[list[Line]]]:
        """The lines of the same kind under the same lines and headings, each with what stands below it, nearest first.

        Those before the passage, then those after it.
        """
        depth = len(own.above)
        beside = [one for one in self.sections if one.kind is own.kind and _is_under(one, own)]
        before: list[list[Line]] = []
        after: list[list[Line]] = []
        side = before
        for (name, span), members in groupby(beside, key=lambda one: _head(one, depth)):
            if (name, span) == (own.field, own.reading.span):
                side = after
            else:
                side.append(self._sibling(own, list(members), depth))
        return [group for group in reversed(before) if group], [group for group in after if group]

    def _sibling(self, own: Section, members: Sequence[Section], depth: int) -> list[Line]:
        if not any(one.labels == own.labels and one.arms == own.arms for one in members):
            return []
        lines = self._lines(Relation.SIBLING, members, depth)
        return [line for line in lines if self._fits(line)]

    def _lines(self, relation: Relation, sections: Iterable[Section], depth: int) -> Iterator[Line]:
        """These sections with the lines that introduce them, from this depth on, each once."""
        seen: set[Span] = set()
        for section in sections:
            for reading in (*section.above[depth:], section.reading):
                if reading.span not in seen:
                    seen.add(reading.span)
                    yield self._line(relation, section, reading)

    def _line(self, relation: Relation, under: Section, reading: Reading) -> Line:
        """The section of this reading, or a line that is none and only introduces `under`."""
        section = self._section_at.get((under.field, reading.span))
        if section:
            return Line(relation, section, reading, section.ordinal)
        return Line(relation, under, reading, None)

    @cached_property
    def _section_at(self) -> dict[Cited, Section]:
        return {(section.field, section.reading.span): section for section in self.sections}

    def _fits(self, line: Line) -> bool:
        """Whether the filter lets its kind in, and nothing of it is shown yet."""
        return admits(self.where, line.section.kind) and not any(
            name == line.section.field and _overlap(span, line.reading.span)
            for name, span in self.shown
        )


def admits(where: Filter, kind: SectionKind) -> bool:
    """Whether a filter lets sections of this kind in, as far as it speaks of kinds: the rest is true of documents."""
    for condition in where.conditions:
        if condition.field is Field.KIND:
            if isinstance(condition, AnyOf) and kind not in condition.values:
                return False
            if isinstance(condition, NoneOf) and kind in condition.values:
                return False
    return True


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _is_under(one: Section, own: Section) -> bool:
    """Whether a section stands under every line that `own` stands under, at whatever depth."""
    above = [reading.span for reading in own.above]
    return [reading.span for reading in one.above[: len(above)]] == above


def _stands_below(one: Section, own: Section) -> bool:
    depth = len(own.above)
    return (
        one.field == own.field
        and len(one.above) > depth
        and one.above[depth].span == own.reading.span
    )


def _head(one: Section, depth: int) -> Cited:
    """What a section hangs on among the lines of this depth: a line above it, or itself."""
    reading = one.above[depth] if len(one.above) > depth else one.reading
    return one.field, reading.span
