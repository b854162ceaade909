"""`proband index --watch` holds the index only while something waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from proband import wiring
from proband.cli import index as index_module
from proband.errors import GenerationIncomplete, IndexHeld, ProbandError


class Watched:
    """A home in which a generation waits in the rounds that are given; what was opened, round by round."""

    def __init__(self, waits: list[bool], trouble: ProbandError | None = None) -> None:
        self.rounds = iter(waits)
        self.trouble = trouble
        self.opened = 0

    def building(self, corpus: str) -> object | None:
        return object() if next(self.rounds) else None

    @contextmanager
    def catalogue(self) -> Iterator[Watched]:
        yield self

    @contextmanager
    def engine(self, command: str) -> Iterator[SimpleNamespace]:
        self.opened += 1
        if self.trouble:
            raise self.trouble
        yield SimpleNamespace(index=lambda progress: None)


def watch(home: Watched, rounds: int, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Watches that many rounds, then Ctrl-C."""
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == rounds:
            raise KeyboardInterrupt

    monkeypatch.setattr(index_module.time, "sleep", sleep)
    monkeypatch.setattr(wiring, "open_catalogue", home.catalogue)
    monkeypatch.setattr(wiring, "open_engine", home.engine)
    return CliRunner().invoke(index_module.index, ["--watch"])


def test_watch_opens_the_index_only_in_rounds_in_which_something_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = Watched([False, True, False])
    ran = watch(home, 3, monkeypatch)
    assert home.opened == 1
    assert "Nothing waits" not in ran.output


def test_watch_goes_on_quietly_beside_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Watched([True, True], IndexHeld("The index is held by `proband trials import`."))
    ran = watch(home, 2, monkeypatch)
    assert home.opened == 2
    assert "held" not in ran.output


def test_watch_says_once_that_an_import_was_broken_off_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = Watched([True, True, True], GenerationIncomplete("The import of a.json was broken off."))
    ran = watch(home, 3, monkeypatch)
    assert home.opened == 3
    assert ran.output.count("The import of a.json was broken off.") == 1


def test_watch_with_rebuild_is_a_usage_error() -> None:
    ran = CliRunner().invoke(index_module.index, ["--watch", "--rebuild"])
    assert ran.exit_code == 2
