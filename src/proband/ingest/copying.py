"""An index written anew, without some of its points: what an engine keeps of removed points is gone with its files."""

from __future__ import annotations

from collections.abc import Callable

from proband.ingest.progress import Progress
from proband.model import Point
from proband.ports import IndexWriter

TOGETHER = 2_000
"""Points that are read and written at once."""


def copy_points(
    present: IndexWriter,
    coming: IndexWriter,
    wanted: Callable[[Point], bool],
    progress: Progress,
) -> int:
    """Writes the wanted points of one index, of all generations, into an empty one; how many were left out."""
    ids = sorted(present.ids())
    left_out = 0
    for start in range(0, len(ids), TOGETHER):
        points = present.fetch(ids[start : start + TOGETHER]).values()
        kept = [point for point in points if wanted(point)]
        left_out += len(points) - len(kept)
        coming.write(kept)
        progress.advance("write the index anew", start + len(points), len(ids))
    coming.optimize()
    coming.flush()
    return left_out
