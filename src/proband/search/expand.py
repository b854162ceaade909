"""What stands around a passage in its own document and generation, within a budget of tokens; each slice can be cited.

First the rest of a section that was cut, then the lines above it, then those below it, then those beside it, nearest
first. What does not fit whole is cut where a sentence ends, or left out and counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest

from proband.model import ChunkId, Filter, Passage, Scope, SearchResult, Section, SectionKind
from proband.ports import Embedder, Sections
from proband.search.around import Around, Cited, Line, Relation
from proband.search.cite import seen
from proband.search.recall import Reader
from proband.text.reading import Reading, Span
from proband.text.sentences import sentence_spans
from proband.text.windows import Offsets

Tokens = Callable[[str], Offsets]
"""The tokens of a text, as the model counts them, without the special ones."""

EVERYTHING = Filter()


class Cut(StrEnum):
    """At which end of a slice sentences are missing."""

    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True)
class Slice:
    """A clean reading of `span` of the published `field`, beside a passage.

    Args:
        ordinal: of the section that it is, or is a part of. None: a line that only introduces others and is no section;
            kind, labels and arms are those of the one that it introduces, field and span its own.
        cut: where whole sentences are missing for want of room; None: nowhere.
    """

    relation: Relation
    kind: SectionKind
    ordinal: int | None
    field: str
    span: Span
    text: str
    labels: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The slices before and after a passage, in the order of the document, and the tokens of all their texts.

    `left_out` counts the lines and rests that were not given whole.
    """

    before: tuple[Slice, ...] = ()
    after: tuple[Slice, ...] = ()
    tokens: int = 0
    left_out: int = 0

    @property
    def slices(self) -> tuple[Slice, ...]:
        """All slices in the order of the document."""
        return self.before + self.after


def contexts(
    result: SearchResult, scope: Scope, budget: int, shelf: Sections, reader: Reader
) -> dict[ChunkId, Context]:
    """The context of every passage of a result, at most `budget` tokens each; nothing of a document is given twice.

    Never of another document or generation, nor of sections that the asker or the filter of the search leaves out. A
    result can come from another asker, so documents that this scope does not show are left out with their passages.
    """
    view = scope.view(result.generation, result.plan.where if result.plan else EVERYTHING)
    every = (*result.hits, *result.nearest)
    shows = seen([hit.document for hit in every], view, reader.index)
    hits = [hit for hit in every if str(hit.document) in shows]
    found = shelf.sections([hit.document for hit in hits], view.generation)
    given: dict[ChunkId, Context] = {}
    for hit in hits:
        sections = found.get(str(hit.document), ())
        shown = [(passage.field, passage.span) for passage in hit.passages]
        for passage in hit.passages:
            context = expand(passage, sections, budget, reader.embedder, view.where, shown)
            shown += [(one.field, one.span) for one in context.slices]
            given[passage.chunk_id] = context
    return given


def expand(
    passage: Passage,
    sections: Sequence[Section],
    budget: int,
    embedder: Embedder,
    where: Filter = EVERYTHING,
    shown: Iterable[Cited] = (),
) -> Context:
    """What completes `passage`, of the `sections` of its document, in at most `budget` tokens.

    Args:
        where: kinds of sections that it leaves out are not given.
        shown: what is shown already and is not given again; the passage itself may be among it.

    A passage that is no slice of these sections, as after a change of the splitter, has no context.
    """
    around = Around(passage, sections, where, tuple(shown))
    own = around.own()
    if own is None:
        return Context()
    room = _Room(budget, lambda text: embedder.token_spans([text])[0])
    _rest(room, around, own)
    for line in around.parents(own):
        room.take(line)
    _in_order(room, around.children(own))
    _beside(room, *around.siblings(own))
    return _in_document_order(room, passage, sections)


@dataclass(slots=True)
class _Room:
    """What is given so far, and how many tokens are left."""

    left: int
    tokens: Tokens
    given: list[Slice] = field(default_factory=list)
    used: int = 0
    left_out: int = 0

    def take(self, line: Line, *, from_end: bool = False, most: int | None = None) -> bool:
        """Gives the line, or as many of its sentences as `most` tokens or the room let in; whether it is whole."""
        room = self.left if most is None else min(most, self.left)
        reading, count = fitting(line.reading, room, self.tokens, from_end=from_end)
        whole = reading is line.reading
        self.left_out += not whole
        if reading.text:
            self.left -= count
            self.used += count
            end = Cut.START if from_end else Cut.END
            self.given.append(_slice(line, reading, None if whole else end))
        return whole

    def size(self, lines: Iterable[Line]) -> int:
        """The tokens of these lines."""
        return sum(len(self.tokens(line.reading.text)) for line in lines)


def fitting(
    reading: Reading, room: int, tokens: Tokens, *, from_end: bool = False
) -> tuple[Reading, int]:
    """`reading` when it has at most `room` tokens, else its most first (last) whole sentences that do; and how many.

    Empty when not even one sentence fits. Counted anew for what is left: a part can have other tokens than the whole.
    """
    offsets = tokens(reading.text)
    if len(offsets) <= room:
        return reading, len(offsets)
    starts = [start for start, _ in offsets]
    for start, end in _shortened(reading.text, from_end=from_end):
        if bisect_left(starts, end) - bisect_left(starts, start) > room:
            continue
        part = reading.slice(start, end)
        count = len(tokens(part.text))
        if count <= room:
            return part, count
    return Reading("", ()), 0


def _shortened(text: str, *, from_end: bool) -> list[tuple[int, int]]:
    """The ranges of fewer and fewer sentences, longest first."""
    spans = sentence_spans(text)
    if from_end:
        return [(start, spans[-1][1]) for start, _ in spans[1:]]
    return [(spans[0][0], end) for _, end in reversed(spans[:-1])]


def _slice(line: Line, reading: Reading, cut: Cut | None) -> Slice:
    section = line.section
    return Slice(
        relation=line.relation,
        kind=section.kind,
        ordinal=line.ordinal,
        field=section.field,
        span=reading.span,
        text=reading.text,
        labels=section.labels,
        arms=section.arms,
        cut=cut,
    )


def _rest(room: _Room, around: Around, own: Section) -> None:
    """The rest of the section on both sides; where the room does not hold both, each has at least half of it."""
    before, after = around.rest(own)
    room_after = max(room.left - room.size(before), room.left // 2)
    for line in after:
        room.take(line, most=room_after)
    for line in before:
        room.take(line, from_end=True)


def _in_order(room: _Room, lines: Sequence[Line]) -> None:
    """The lines up to the first that does not fit whole."""
    for number, line in enumerate(lines, 1):
        if not room.take(line):
            room.left_out += len(lines) - number
            return


def _beside(room: _Room, before: Sequence[Sequence[Line]], after: Sequence[Sequence[Line]]) -> None:
    """The groups of both sides in turn, nearest first, each side up to its first group that does not fit whole."""
    closed = {True: False, False: False}
    for pair in zip_longest(after, before, fillvalue=()):
        for is_before, group in zip((False, True), pair, strict=True):
            if closed[is_before]:
                room.left_out += len(group)
            else:
                closed[is_before] = not _group(room, group, from_end=is_before)


def _group(room: _Room, lines: Sequence[Line], *, from_end: bool) -> bool:
    """A line with what stands below it, whole or not at all; a single line may be cut."""
    if len(lines) > 1 and room.size(lines) > room.left:
        room.left_out += len(lines)
        return False
    wholes = [room.take(line, from_end=from_end) for line in lines]
    return all(wholes)


def _in_document_order(room: _Room, passage: Passage, sections: Sequence[Section]) -> Context:
    """What was given, before and after the passage."""
    order = {section.field: n for n, section in reversed([*enumerate(sections)])}

    def place(one: Slice | Passage) -> tuple[int, int]:
        return order[one.field], one.span.start

    given = sorted(room.given, key=place)
    here = bisect_left(given, place(passage), key=place)
    return Context(tuple(given[:here]), tuple(given[here:]), room.used, room.left_out)
