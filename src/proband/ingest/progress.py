"""How a long run says how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Shows how far each stage has come. Called from one thread."""

    def advance(self, stage: str, done: int, total: int | None) -> None:
        """Sets how many of `total` the stage has done; None: not known."""
        ...


class Silent:
    """A Progress that shows nothing."""

    def advance(self, stage: str, done: int, total: int | None) -> None:
        """Shows nothing."""
