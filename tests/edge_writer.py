"""Writes to an Edge index until it is killed: `python edge_writer.py FOLDER HOW FLUSHES`.

After each flush it says how many points it has written and how many of them it has expired in generation 2.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from factories import chunk_id, point
from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.settings import IndexSettings

TOGETHER = 200


def main(folder: Path, how: str, flushes: int) -> None:
    rules = IndexSettings(segment_points=500, open_points=100)
    index = QdrantEdgeIndex.open(folder, rules, "edge_writer")
    number = 0
    while True:
        number += 1
        start = (number - 1) * TOGETHER
        index.write([point(n, document=str(n % 3)) for n in range(start, start + TOGETHER)])
        index.expire([chunk_id(n) for n in range(start // 2, start // 2 + TOGETHER // 2)], 2)
        if how == "after optimize":
            index.optimize()
        index.flush()
        print(number * TOGETHER, number * TOGETHER // 2, flush=True)  # noqa: T201
        if how != "from outside" and number == flushes:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
