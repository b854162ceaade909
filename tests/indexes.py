"""Empty indexes for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from factories import DIMENSIONS
from proband.adapters.memory import MemoryIndex
from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.ports import IndexWriter, Manifest
from proband.settings import IndexSettings

MANIFEST = Manifest("hash", "digest", DIMENSIONS, 1, 1)
ADAPTERS = ("memory", "qdrant_edge", "qdrant_edge_built")
BUILDS_ALWAYS = IndexSettings(segment_points=1, open_points=1)
"""Every write is built into a segment at once, so that small tests meet what large indexes consist of."""

MEMORY = Path("/dev/shm")


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder in memory where the system offers it: Edge waits for the disk again and again."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


@contextmanager
def edge_index(rules: IndexSettings | None = None) -> Iterator[QdrantEdgeIndex]:
    """An empty Edge index."""
    with quick_folder() as folder:
        QdrantEdgeIndex.create(folder / "index", MANIFEST, rules)
        index = QdrantEdgeIndex.open(folder / "index", rules or IndexSettings(), "test")
        yield index
        index.close()


@contextmanager
def empty_index(adapter: str) -> Iterator[IndexWriter]:
    """An empty index of this adapter."""
    if adapter == "memory":
        yield MemoryIndex(MANIFEST)
        return
    with edge_index(BUILDS_ALWAYS if adapter.endswith("built") else None) as index:
        yield index
