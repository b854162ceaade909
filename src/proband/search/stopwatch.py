"""How long each stage took."""

from __future__ import annotations

import time
from collections.abc import Mapping


class Stopwatch:
    """Milliseconds by stage, each measured from the end of the one before."""

    def __init__(self, earlier: Mapping[str, float] | None = None) -> None:
        self.laps_ms: dict[str, float] = dict(earlier or {})
        self._started = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Ends `stage`."""
        now = time.perf_counter()
        self.laps_ms[stage] = (now - self._started) * 1000
        self._started = now
