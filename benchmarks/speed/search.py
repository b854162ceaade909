"""How long a search takes: `PROBAND_HOME=... python benchmarks/speed/search.py`.

Asks the pointed and polarity questions of the sample's set, with filters, of whatever the home holds. In process: one
engine, the embedding of the question included, each question new to the cache. Cold: a new process a question, and the
same for `--help`. Prints medians and 95th percentiles in milliseconds; the peer of the cold start is Python itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from proband.engine import Engine
from proband.model import Filter, Question
from proband.trials.filters import Sex, Wanted, study_filter
from proband.wiring import open_search

QUESTIONS = Path(__file__).parents[1] / "quality" / "sample" / "questions.jsonl"
COLD = 7
FILTERS = {
    "no filter": Filter(),
    "age 54, female": study_filter(Wanted(age_days=54 * 365, sex=Sex.FEMALE)),
    "recruiting, age 54, female": study_filter(
        Wanted(recruiting=True, age_days=54 * 365, sex=Sex.FEMALE)
    ),
    "criteria only, no exclusions, age 54": study_filter(
        Wanted(criteria_only=True, no_exclusions=True, age_days=54 * 365)
    ),
}


def main() -> None:
    """Prints one table."""
    print("| what | p50 ms | p95 ms |\n|---|---|---|")
    with open_search("benchmark search") as engine:
        seen = engine.seen(None)
        engine.search(Question("warm up"), seen)
        for number, (name, where) in enumerate(FILTERS.items()):
            print(row(f"in process, {name}", _each(engine, where, " ?" * number, seen)))
    for arguments in (("search", "no prior chemotherapy"), ("--help",)):
        print(row(f"cold, proband {arguments[0]}", _cold("-m", "proband", *arguments)))
    print(row("cold, python -c pass", _cold("-c", "pass")))


def row(name: str, took_ms: Sequence[float]) -> str:
    """One line of the table."""
    ordered = sorted(took_ms)
    return (
        f"| {name} | {ordered[len(ordered) // 2]:.1f} | {ordered[int(len(ordered) * 0.95)]:.1f} |"
    )


def _each(engine: Engine, where: Filter, salt: str, seen: int) -> list[float]:
    """Times of all questions; `salt` makes each one new to the embedder's cache."""
    return [
        timed(lambda text=text: engine.search(Question(text + salt, where), seen))
        for text in _questions()
    ]


def _questions() -> list[str]:
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    return [row["text"] for row in rows if row.get("kind") in ("pointed", "polarity", "filter")]


def _cold(*arguments: str) -> list[float]:
    command = [sys.executable, *arguments]
    return [
        timed(lambda: subprocess.run(command, capture_output=True, check=True)) for _ in range(COLD)
    ]


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that one call takes."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
