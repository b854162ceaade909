"""Progress on stderr: bars on a terminal, one line a stage elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class StderrProgress:
    """Shows how far each stage has come; call it from one thread at a time.

    Use it as a context manager. `advance(stage, done, total)` sets a stage's count; `total` None: not known.
    """

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not sys.stderr.isatty(),
        )
        self._stages: dict[str, TaskID] = {}
        self._last: dict[str, int] = {}

    def __enter__(self) -> StderrProgress:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bars.stop()
        if self._bars.disable:
            for stage, done in self._last.items():
                self._console.print(f"{stage}: {done:,}", highlight=False)

    def advance(self, stage: str, done: int, total: int | None) -> None:
        """Sets how many of `total` the stage has done."""
        self._last[stage] = done
        if stage not in self._stages:
            self._stages[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(self._stages[stage], completed=done, total=total)
