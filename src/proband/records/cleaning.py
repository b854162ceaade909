"""Free text of a row as clean readings, paragraph by paragraph, each character known by its place in the column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from proband.text.reading import Reading, plain

_BREAK = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clean text, and how much of what was taken out, by what it was."""

    paragraphs: tuple[Reading, ...]
    removed: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph with the heading above it."""

    reading: Reading
    heading: str = ""


def clean(value: str, form: str = "") -> Cleaned:
    """The text of a value, its markup left out."""
    cuts = [0, *(found.end() for found in _BREAK.finditer(value)), len(value)]
    return Cleaned(tuple(plain(value, start, end) for start, end in pairwise(cuts)), {})


def paragraphs(cleaned: Cleaned) -> tuple[Paragraph, ...]:
    """The paragraphs of a text, empty ones left out."""
    return tuple(Paragraph(reading) for reading in cleaned.paragraphs if reading.text)
