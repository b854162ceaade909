"""Empty indexes for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from factories import DIMENSIONS
from proband.adapters.memory import MemoryIndex
from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.model import Corpus, Point
from proband.ports import IndexWriter, Manifest
from proband.settings import IndexSettings

MANIFEST = Manifest("hash", "digest", DIMENSIONS, 1, 1)
ADAPTERS = ("memory", "qdrant_edge", "qdrant_edge_built", "qdrant_edge_records")
BUILDS_ALL = IndexSettings(open_points=1)
MEMORY = Path("/dev/shm")


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder in memory where the system offers it: Edge waits for the disk again and again."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


class BuiltIndex(QdrantEdgeIndex):
    """Builds after every write, so that small tests meet what large indexes consist of."""

    def write(self, points: Sequence[Point]) -> None:
        super().write(points)
        self.optimize()


@contextmanager
def edge_index(
    rules: IndexSettings | None = None,
    kind: type[QdrantEdgeIndex] = QdrantEdgeIndex,
    corpus: Corpus = Corpus.TRIALS,
) -> Iterator[QdrantEdgeIndex]:
    """An empty Edge index."""
    with quick_folder() as folder:
        QdrantEdgeIndex.create(folder / "index", MANIFEST, rules, corpus)
        index = kind.open(folder / "index", rules or IndexSettings(), "test")
        yield index
        index.close()


@contextmanager
def empty_index(adapter: str) -> Iterator[IndexWriter]:
    """An empty index of this adapter."""
    match adapter:
        case "memory":
            yield MemoryIndex(MANIFEST)
        case "qdrant_edge":
            with edge_index() as index:
                yield index
        case "qdrant_edge_built":
            with edge_index(BUILDS_ALL, BuiltIndex) as index:
                yield index
        case "qdrant_edge_records":
            with edge_index(corpus=Corpus.RECORDS) as index:
                yield index
