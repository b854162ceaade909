"""`kill -9` at random moments of an import: readers see whole generations, the next run loses and doubles nothing."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import import_driver
from bench import TRIALS, Bench
from catalogues import new_catalogue, url_of
from import_driver import corpus, open_bench
from proband.catalogue.catalogue import Catalogue
from proband.ingest.reconcile import compare

TESTS = Path(import_driver.__file__).parent


class Imports:
    """Imports of one version after the other, each in a process of its own."""

    def __init__(self, folder: Path, kind: str, moments: random.Random) -> None:
        self.folder = folder
        self.kind = kind
        self.moments = moments
        self.version = 0
        self.kills = 0
        self.took_s = self.whole_import()

    def start(self) -> subprocess.Popen[str]:
        """Begins to import the version; comes back when it has begun to write."""
        process = subprocess.Popen(
            [sys.executable, import_driver.__file__, self.folder, str(self.version), self.kind],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        return process

    def whole_import(self) -> float:
        """Imports the version without a kill; how long it took."""
        with self.start() as process:
            begun = time.monotonic()
            assert process.communicate()[0] == "done\n"
        self.version += 1
        return time.monotonic() - begun

    def kill_once(self) -> None:
        """Kills an import of the version at a random moment, reading the catalogue up to then."""
        with self.start() as process:
            end = time.monotonic() + self.moments.uniform(0, self.took_s)
            catalogue = Catalogue.open(url_of(self.folder))
            while time.monotonic() < end and process.poll() is None:
                self.check_catalogue(Bench(catalogue))
            catalogue.close()
            process.kill()
            done = process.communicate()[0] == "done\n"
        self.version += done
        self.kills += not done

    def check_catalogue(self, bench: Bench) -> None:
        """What readers see in the catalogue is whole, and one of the last two versions."""
        active = bench.catalogue.active(TRIALS)
        assert active is not None
        assert version_of(active.cause) in (self.version - 1, self.version)
        assert bench.catalogue_texts(active.number) == shown(version_of(active.cause))

    def check(self) -> None:
        """What readers see in catalogue and index is whole, in every generation that can be read."""
        with open_bench(self.folder, self.kind) as bench:
            self.check_catalogue(bench)
            for found in bench.catalogue.readable(TRIALS):
                expected = shown(version_of(found.cause))
                assert bench.catalogue_texts(found.number) == expected
                assert bench.index_texts(found.number) == expected
                assert statuses(bench, found.number) == {
                    name: {status} for name, (_, status) in corpus(version_of(found.cause)).items()
                }

    def check_in_step(self) -> None:
        """Nothing is lost or doubled: catalogue and index hold the same chunks with the same lifetimes."""
        with open_bench(self.folder, self.kind) as bench:
            assert bench.catalogue.building(TRIALS) is None
            assert compare(bench.catalogue, bench.index, TRIALS).agrees
            assert bench.index.ids() == bench.catalogue.lifetimes(TRIALS)


def version_of(cause: str) -> int:
    return int(cause.removeprefix("version "))


def shown(version: int) -> Mapping[str, list[str]]:
    return {name: list(texts) for name, (texts, _) in corpus(version).items()}


def statuses(bench: Bench, number: int) -> dict[str, set[str]]:
    alive = [i for i, (born, died) in bench.index.ids().items() if born <= number < died]
    found: dict[str, set[str]] = {}
    for point in bench.index.fetch(alive).values():
        found.setdefault(point.document.rsplit("/", 1)[1], set()).add(point.facets.status)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where there is such a place: a kill leaves there what it leaves on a disk, ten times sooner."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as made:
        yield Path(made)


@pytest.mark.parametrize(
    ("kind", "kills"), [("file", 4), pytest.param("edge", 20, marks=pytest.mark.slow)]
)
def test_import_survives_kills_at_random_moments(folder: Path, kind: str, kills: int) -> None:
    new_catalogue(folder).close()
    imports = Imports(folder, kind, random.Random(kills))
    imports.check_in_step()
    while imports.kills < kills:
        imports.kill_once()
        imports.check()
        if imports.moments.random() < 0.25:
            imports.whole_import()
            imports.check_in_step()
    imports.whole_import()
    imports.check()
    imports.check_in_step()
