"""What is in force at a place in the block: the side, and the scopes and labels above it."""

from __future__ import annotations

from dataclasses import dataclass, field

from proband.trials.headers import Header, Side
from proband.trials.labels import Label


@dataclass(frozen=True, slots=True)
class Heading:
    """A scope or label line. `outer`: it stands above the headers and outlives them."""

    label: str = ""
    arms: tuple[str, ...] = ()
    level: int = 1
    side: Side | None = None
    style: tuple[bool, bool] = (False, False)
    outer: bool = False


@dataclass(slots=True)
class Standing:
    """The headings in force outside the lists. A heading lasts until the next of its level, or a header."""

    side: Side = Side.MIXED
    arms: tuple[str, ...] = ()
    headings: list[Heading] = field(default_factory=list)
    fresh: bool = False
    """No line but headings since the last heading."""

    def current_side(self) -> Side:
        """The side for the next line: the last label that turns it, else the header's."""
        return next(
            (heading.side for heading in reversed(self.headings) if heading.side), self.side
        )

    def current_labels(self) -> tuple[str, ...]:
        """The labels in force, outermost first."""
        return tuple(heading.label for heading in self.headings if heading.label)

    def current_arms(self) -> tuple[str, ...]:
        """The scope in force, outermost first."""
        outer = tuple(arm for heading in self.headings if heading.outer for arm in heading.arms)
        inner = tuple(arm for heading in self.headings if not heading.outer for arm in heading.arms)
        return merged(outer, self.arms, inner)

    def open_list(self, header: Header) -> None:
        """A header. A side sentence keeps the label right above it; after lines it ends the labels."""
        self.side = header.side
        if header.sentence:
            if not self.fresh:
                self.headings = [heading for heading in self.headings if heading.arms]
            self.headings = [heading for heading in self.headings if not heading.side]
            self.arms = merged(self.arms, header.arms)
        else:
            self.headings = [
                Heading(arms=heading.arms, level=heading.level, style=heading.style, outer=True)
                for heading in self.headings
                if heading.outer or (self.fresh and heading.arms)
            ]
            self.arms = header.arms
        self.fresh = True

    def open_scope(self, arms: tuple[str, ...], style: tuple[bool, bool]) -> None:
        """A scope line: ends the scope of its level, also the header's, and the labels under it."""
        self.arms = tuple(arm for arm in self.arms if _kind((arm,)) != _kind(arms))
        keep = len(self.headings)
        for n, heading in enumerate(self.headings):
            alike = heading.arms and (_kind(heading.arms) == _kind(arms) or not self.fresh)
            if alike and heading.outer and _kind(heading.arms) != _kind(arms):
                continue
            if alike or (heading.label and heading.level > 0 and not self.fresh):
                keep = n
                break
        self.headings = [*self.headings[:keep], Heading(arms=arms, style=style)]
        self.fresh = True

    def open_label(self, label: Label, style: tuple[bool, bool]) -> None:
        """A label line: directly below another it is one level in, else it takes the place of its like."""
        level = self._level(label, style)
        keep = next(
            (
                n
                for n, heading in enumerate(self.headings)
                if heading.label and heading.level >= level
            ),
            len(self.headings),
        )
        if label.level == 0:
            keep = 0
            self.side, self.arms = Side.INCLUSION, ()
        side = label.side if label.level == 2 else None
        self.headings = [*self.headings[:keep], Heading(label.text, (), level, side, style)]
        self.fresh = True

    def _level(self, label: Label, style: tuple[bool, bool]) -> int:
        if label.level == 0:
            return 0
        labels = [heading for heading in self.headings if heading.label]
        if label.level == 2:
            return 1 + max((heading.level for heading in labels if not heading.side), default=0)
        if self.fresh and labels and self.headings[-1].label and not self.headings[-1].side:
            return labels[-1].level + 1
        if label.length:  # a fixed label of the older layouts
            return 1
        alike = [
            heading.level
            for heading in labels
            if heading.style == style and heading.level and not heading.side
        ]
        return max(alike, default=1)

    def end_scope(self, label: Label, style: tuple[bool, bool]) -> None:
        """`All cohorts:` is a label that ends the scope."""
        self.headings = [
            heading for heading in self.headings if heading.label and heading.level == 0
        ]
        self.arms = ()
        self.open_label(label, style)


def merged(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """The arms of all groups in order, each once, without regard to case."""
    return tuple(
        {arm.lower(): arm for group in reversed(groups) for arm in reversed(group)}.values()
    )[::-1]


def _kind(arms: tuple[str, ...]) -> str:
    return arms[0].split()[0].lower() if arms else ""
