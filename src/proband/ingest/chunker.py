"""Sections to chunks that fit the model's window. Nothing is lost: the parts of a section cover its reading."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

from proband.errors import TextTooLong
from proband.model import Chunk, Document, Section, SectionKind
from proband.ports import Embedder
from proband.text.reading import Reading

CHUNKER_VERSION = 4
"""Part of the index's manifest: raise it when the same document is cut to other chunks."""

OVERLAP_TOKENS = 32
"""What two parts of a long section share."""

SPECIAL_TOKENS = 2
"""What a model adds to every text: one token before and one after, in BERT and in XLM-RoBERTa alike."""

_SENTENCE_END = re.compile(r"[.!?;]['\")\]]*\s+")

Tokens = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Part:
    """What one chunk says of a section, and what is embedded of it."""

    reading: Reading
    embed_text: str


@dataclass(frozen=True, slots=True)
class LongSection:
    """A section that is longer than the window, with the tokens of its reading and the room that its prefix leaves."""

    section: Section
    prefix: str
    tokens: Tokens
    room: int

    def parts(self, overlap_tokens: int) -> tuple[Part, ...]:
        """The parts of at most `room` tokens each, prefix on every one."""
        text = self.section.reading.text
        readings = (
            self.section.reading.slice(start, end).strip()
            for start, end in ranges(text, self.tokens, self.room, overlap_tokens)
        )
        return tuple(Part(reading, self.prefix + reading.text) for reading in readings)


def cut(
    documents: Sequence[Document], embedder: Embedder, overlap_tokens: int
) -> list[tuple[Chunk, ...]]:
    """The chunks of each document, in order; sections without text have none.

    A section whose `embed_text` is longer than the window becomes parts that overlap by about `overlap_tokens`, cut
    where a sentence or at least a word begins; each part keeps the section's prefix. A document's first title carries
    the text of all its chunks, exclusion criteria aside: whom those describe is whom the study does not take. It also
    carries the exact terms of all sections, so that it holds two drugs of which each has its own section.
    """
    sections = [found for document in documents for found in document.sections]
    parts = iter(_parts(sections, embedder, overlap_tokens))
    return [
        _titled(
            tuple(
                _chunk(document, section, number, part)
                for section in document.sections
                for number, part in enumerate(next(parts))
            )
        )
        for document in documents
    ]


def ranges(text: str, tokens: Tokens, room: int, overlap_tokens: int) -> Iterator[tuple[int, int]]:
    """Character ranges of at most `room` tokens that cover `text`, each beginning inside or after the one before.

    An end is moved back to the last beginning of a sentence, else of a word, in the second half of the room; the next
    range begins at the first such place among the last `overlap_tokens` (at most a quarter of the room).
    """
    overlap = min(overlap_tokens, room // 4)
    sentences = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts = [start for start, _ in tokens]
    begins_sentence = {bisect_left(starts, position) for position in sentences}

    def begins_word(token: int) -> bool:
        return text[starts[token] - 1].isspace()

    first = 0
    while first + room < len(tokens):
        tail = range(first + room, first + room // 2, -1)
        end = _first(tail, begins_sentence.__contains__) or _first(tail, begins_word) or tail[0]
        yield (starts[first] if first else 0), starts[end]
        again = range(end - overlap, end)
        first = _first(again, begins_sentence.__contains__) or _first(again, begins_word) or end
    yield (starts[first] if first else 0), len(text)


def _first(tokens: range, fits: Callable[[int], bool]) -> int | None:
    return next((token for token in tokens if fits(token)), None)


def _parts(
    sections: Sequence[Section], embedder: Embedder, overlap_tokens: int
) -> list[tuple[Part, ...]]:
    """The parts of each section, in order."""
    window = embedder.window_tokens - SPECIAL_TOKENS
    whole: list[tuple[Part, ...]] = [
        (Part(section.reading, section.embed_text),) if section.reading.text else ()
        for section in sections
    ]
    doubtful = [i for i, section in enumerate(sections) if not _surely_fits(section, window)]
    tokens = embedder.token_spans([sections[i].embed_text for i in doubtful])
    long = {
        i: _long_section(sections[i], found, window, embedder)
        for i, found in zip(doubtful, tokens, strict=True)
        if len(found) > window and sections[i].reading.text
    }
    return _with_split(whole, long, embedder, overlap_tokens)


def _surely_fits(section: Section, window: int) -> bool:
    """Whether the text must fit without counting: four of five texts do.

    A tokenizer makes at most one token of each byte of the fully decomposed text, and one more before it.
    """
    text = section.embed_text
    return len(text) < window and len(normalize("NFKD", text).encode()) < window


def _long_section(section: Section, tokens: Tokens, window: int, embedder: Embedder) -> LongSection:
    text = section.reading.text
    if not section.embed_text.endswith(text):
        (tokens,) = embedder.token_spans([text])
        return LongSection(section, "", tokens, window)
    prefix = section.embed_text.removesuffix(text)
    own = [(max(start - len(prefix), 0), end - len(prefix)) for start, end in tokens]
    inherited = [token for token, (_, end) in zip(tokens, own, strict=True) if end <= 0]
    if len(inherited) > window // 2:  # its end, the nearest ancestor, says most
        prefix = prefix[inherited[-(window // 2)][0] :]
    room = window - min(len(inherited), window // 2)
    return LongSection(section, prefix, own[len(inherited) :], room)


def _with_split(
    parts: list[tuple[Part, ...]],
    long: dict[int, LongSection],
    embedder: Embedder,
    overlap_tokens: int,
) -> list[tuple[Part, ...]]:
    """`parts` with the long sections split. What does not fit after the cut is cut again with less room."""
    window = embedder.window_tokens - SPECIAL_TOKENS
    while long:
        for i, found in long.items():
            parts[i] = found.parts(overlap_tokens)
        excess = {i: _longest(parts[i], embedder) - window for i in long}
        long = {i: _narrowed(found, excess[i]) for i, found in long.items() if excess[i] > 0}
    return parts


def _longest(parts: Sequence[Part], embedder: Embedder) -> int:
    return max(len(tokens) for tokens in embedder.token_spans([part.embed_text for part in parts]))


def _narrowed(found: LongSection, excess: int) -> LongSection:
    if found.room <= excess:
        raise TextTooLong(
            f"Section {found.section.ordinal} of kind {found.section.kind} cannot be cut to the "
            "model's window; its tokenizer gives other tokens for a part than for the whole."
        )
    return replace(found, room=found.room - excess)


def _chunk(document: Document, section: Section, number: int, part: Part) -> Chunk:
    return Chunk(
        document=document.key,
        kind=section.kind,
        ordinal=section.ordinal,
        part=number,
        field=section.field,
        span=part.reading.span,
        text=part.reading.text,
        embed_text=part.embed_text,
        facets=document.facets,
        parents=section.parents,
        labels=section.labels,
        arms=section.arms,
        exact=(*document.exact, *section.exact),
    )


def _titled(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    if not chunks or chunks[0].kind is not SectionKind.TITLE:
        return chunks
    title, *rest = chunks
    texts = (
        chunk.embed_text for chunk in chunks if chunk.kind is not SectionKind.EXCLUSION_CRITERION
    )
    exact = tuple(dict.fromkeys(term for chunk in chunks for term in chunk.exact))
    return (replace(title, document_text="\n".join(texts), exact=exact), *rest)
