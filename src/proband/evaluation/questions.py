"""The versioned file of judged questions over the sample: `benchmarks/quality/sample/README.md` describes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.evaluation.collection import Collection, Measure
from proband.evaluation.jsonl import lines, row

DEPTH = 10
"""Documents a question: what a person is shown."""


def read_questions(path: Path, name: str) -> Collection:
    """The questions of a file; those without an answer have no grades. Raises SourceUnavailable, UsageError."""
    rows = [_row(line, path, number) for number, line in enumerate(lines(path), 1)][1:]
    return Collection(
        name,
        topics={one["id"]: one["text"] for one in rows},
        grades={one["id"]: one["relevant"] for one in rows},
        measures=(Measure.NDCG, Measure.MRR, Measure.PAIRS),
        depth=DEPTH,
        against={one["id"]: frozenset(one.get("against", ())) for one in rows},
        kinds={one["id"]: one["kind"] for one in rows},
        filters={one["id"]: one["filters"] for one in rows if one.get("filters")},
    )


def _row(line: str, path: Path, number: int) -> dict[str, Any]:
    wanted = ("collection", "version") if number == 1 else ("id", "kind", "text", "relevant")
    return row(line, f"{path}, line {number}", *wanted)
