"""Passages of whole studies, for tests of what is shown around them."""

from __future__ import annotations

import html
from collections.abc import Sequence

from fakes import HashEmbedder
from proband.ingest.chunker import SPECIAL_TOKENS, cut
from proband.model import Chunk, ChunkId, Passage
from proband.search.expand import Slice
from proband.trials.documents import published_text, study_document
from proband.trials.study import Study

OVERLAP = 2


def passages_of(found: Study, window: int = 256) -> list[Passage]:
    """Every chunk of a study as a passage, cut to windows of so many words that overlap by two."""
    embedder = HashEmbedder(window_tokens=window + SPECIAL_TOKENS)
    (chunks,) = cut([study_document(found)], embedder, OVERLAP)
    return [_passage(chunk, number) for number, chunk in enumerate(chunks)]


def _passage(chunk: Chunk, number: int) -> Passage:
    return Passage(
        chunk_id=ChunkId(str(number)),
        kind=chunk.kind,
        ordinal=chunk.ordinal,
        part=chunk.part,
        field=chunk.field,
        span=chunk.span,
        text=chunk.text,
        parents=chunk.parents,
        labels=chunk.labels,
        arms=chunk.arms,
        score=0.0,
        found=(),
    )


def is_proven(found: Study, shown: Slice) -> bool:
    """Whether the published slice says the text: all its letters and digits in order, from the first to the last.

    List marks, bold marks and scopes inside the slice may be left out of the text; nothing is added to it.
    """
    cited = _said(shown.span.of(published_text(found, shown.field)))
    said = _said(shown.text)
    rest = iter(cited)
    return (
        all(character in rest for character in said)
        and cited[:1] + cited[-1:] == said[:1] + said[-1:]
    )


def _said(text: str) -> list[str]:
    while (decoded := html.unescape(text)) != text:
        text = decoded
    return [character for character in text if character.isalnum()]


def words(slices: Sequence[Slice]) -> int:
    """How many tokens of the fake embedder the texts have."""
    return sum(len(one.text.split()) for one in slices)
