"""A clock that tests move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from proband.adapters.polite_http import Clock

BEGIN = datetime(2026, 9, 4, 12, 0, 0, tzinfo=UTC)


class FakeTime:
    """Time that passes only while somebody sleeps; `slept` holds each sleep in seconds."""

    def __init__(self, chance: float = 0.0) -> None:
        self.slept: list[float] = []
        self.passed_s = 0.0
        self.clock = Clock(
            monotonic=lambda: self.passed_s,
            now=lambda: BEGIN + timedelta(seconds=self.passed_s),
            sleep=self._sleep,
            chance=lambda: chance,
        )

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.passed_s += seconds
