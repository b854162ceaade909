"""What the reading of an eligibility block gives: criteria, and an account of every character."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proband.text.reading import Reading, Span


class CriterionKind(StrEnum):
    """Which list a criterion stands in; UNPARSED where the text does not decide."""

    INCLUSION = "INCLUSION"
    EXCLUSION = "EXCLUSION"
    UNPARSED = "UNPARSED"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a study's eligibility text, with what it stands under.

    `ordinal` counts from 1 within the kind. `above` are the conditions above it, in full, `labels` the headings that
    ask nothing, `arms` the cohorts, parts or roles that it binds (empty: everybody); each outermost first.
    `embed_text` is what is searched: the parents, abbreviated, then the text. It is never quoted.
    """

    kind: CriterionKind
    ordinal: int
    reading: Reading
    above: tuple[Reading, ...]
    labels: tuple[str, ...]
    arms: tuple[str, ...]
    embed_text: str

    @property
    def text(self) -> str:
        """The clean text: no list mark, no markup, single spaces."""
        return self.reading.text

    @property
    def parents(self) -> tuple[str, ...]:
        """The texts of the conditions above it."""
        return tuple(reading.text for reading in self.above)

    @property
    def span(self) -> Span:
        """Where the text stands in the block as published."""
        return self.reading.span


@dataclass(frozen=True, slots=True)
class Account:
    """How many of the block's non-space characters each class of line holds; list marks count with their line.

    A line that only introduces the lines below it counts as criterion: its words are their `parents`.
    """

    characters: int
    header: int = 0
    scope: int = 0
    label: int = 0
    criterion: int = 0
    note: int = 0
    filler: int = 0

    @property
    def unaccounted(self) -> int:
        """0: each character belongs to exactly one line, and each line to exactly one class."""
        return self.characters - (
            self.header + self.scope + self.label + self.criterion + self.note + self.filler
        )


@dataclass(frozen=True, slots=True)
class Split:
    """An eligibility block, read. `incomplete`: the text says that further criteria stand elsewhere."""

    criteria: tuple[Criterion, ...]
    incomplete: bool
    account: Account
