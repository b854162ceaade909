"""The versioned file of judged questions over the sample: `benchmarks/quality/sample/README.md` describes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proband.errors import UsageError
from proband.evaluation.collection import Collection, Measure, lines

DEPTH = 10
"""Documents a question: what a person is shown."""


def read_questions(path: Path, name: str) -> Collection:
    """The questions of a file; those without an answer have no grades. Raises SourceUnavailable, UsageError."""
    rows = [_row(line, path, number) for number, line in enumerate(lines(path), 1)][1:]
    return Collection(
        name,
        topics={row["id"]: row["text"] for row in rows},
        grades={row["id"]: row["relevant"] for row in rows},
        measures=(Measure.NDCG, Measure.MRR, Measure.PAIRS),
        depth=DEPTH,
        against={row["id"]: frozenset(row.get("against", ())) for row in rows},
        kinds={row["id"]: row["kind"] for row in rows},
        filters={row["id"]: row["filters"] for row in rows if row.get("filters")},
    )


def _row(line: str, path: Path, number: int) -> dict[str, Any]:
    wanted = ("collection", "version") if number == 1 else ("id", "kind", "text", "relevant")
    try:
        row = json.loads(line)
        if not all(name in row for name in wanted):
            raise KeyError
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path}, line {number}: needs an object with {', '.join(wanted)}."
        ) from error
    found: dict[str, Any] = row
    return found
