"""One import in a process of its own, to be killed: `python import_driver.py FOLDER VERSION file|edge`.

Says "begun" when it begins to write and "done" when the version is visible.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from bench import TRIALS, Bench, lines
from catalogues import url_of
from proband.adapters.memory import MemoryIndex
from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.checkpoints import Checkpoint
from proband.ingest.vacuum import vacuum
from proband.ports import IndexWriter, Manifest
from proband.settings import IndexSettings
from proband.trials.study import Study

STUDIES = 40
TOGETHER = 10
KEPT = 2


class FileIndex(MemoryIndex):
    """A memory index that a flush writes to a file: whatever was not flushed is lost in a kill."""

    def __init__(self, file: Path, manifest: Manifest) -> None:
        super().__init__(manifest)
        self._file = file
        if file.exists():
            self._points = pickle.loads(file.read_bytes())

    def flush(self) -> None:
        coming = self._file.with_suffix(".coming")
        coming.write_bytes(pickle.dumps(self._points))
        os.replace(coming, self._file)


@contextmanager
def open_bench(folder: Path, kind: str) -> Iterator[Bench]:
    """The catalogue and the index of this kind in `folder`."""
    catalogue = Catalogue.open(url_of(folder))
    manifest = Bench(catalogue).manifest
    index = open_index(folder, kind, manifest)
    yield Bench(catalogue, index, TOGETHER)
    index.close()
    catalogue.close()


def open_index(folder: Path, kind: str, manifest: Manifest) -> IndexWriter:
    """The index in `folder`, made if it is not there."""
    match kind:
        case "file":
            return FileIndex(folder / "points", manifest)
        case "edge":
            return open_edge(folder / "edge", manifest)
    raise ValueError(kind)


def open_edge(folder: Path, manifest: Manifest) -> QdrantEdgeIndex:
    """The index that ships, made if it is not there."""
    if not QdrantEdgeIndex.exists(folder):
        QdrantEdgeIndex.create(folder, manifest)
    return QdrantEdgeIndex.open(folder, IndexSettings(), "test")


def corpus(version: int) -> dict[str, tuple[tuple[str, ...], str]]:
    """The texts and the status of every study of this version; each version adds, changes and removes some."""
    return {
        f"NCT99{number:06}": (texts(number, version), status(number, version))
        for number in range(STUDIES)
        if (number + version) % 7
    }


def texts(number: int, version: int) -> tuple[str, ...]:
    """Five lines, of which one or two change from version to version and one is shared by all studies."""
    own = (f"line {k} of {number} edition {(version + number + k) // 4}" for k in range(4))
    return ("not pregnant", *own)


def status(number: int, version: int) -> str:
    """Changes for a fifth of the studies from version to version."""
    return "RECRUITING" if (number + version) % 5 else "COMPLETED"


def studies(version: int) -> list[Study]:
    """The studies of this version in order."""
    return [lines(name, *said, status=state) for name, (said, state) in corpus(version).items()]


def import_version(bench: Bench, version: int) -> None:
    """Stores, indexes and makes visible; goes on where a killed run stopped."""
    built = bench.catalogue.begin(TRIALS, f"version {version}", bench.manifest)
    reached = bench.catalogue.checkpoints(built).get("driver")
    position = int(reached.position) if reached else 0
    coming = iter(studies(version)[position:])
    while batch := list(islice(coming, TOGETHER)):
        position += len(batch)
        bench.catalogue.store_studies(built, batch, Checkpoint("driver", str(position)))
    stored = {mark.nct_id for mark in bench.catalogue.study_marks(built.number)}
    bench.catalogue.remove_studies(built, stored - corpus(version).keys())
    bench.index_all(built)
    bench.finish(built)
    vacuum(bench.catalogue, bench.index, TRIALS, KEPT)


def main() -> None:
    folder, version, kind = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open_bench(folder, kind) as bench:
        print("begun", flush=True)  # noqa: T201
        import_version(bench, version)
    print("done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
