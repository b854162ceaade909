"""Search on the judged questions of the sample: `PROBAND_HOME=... python benchmarks/quality/questions.py`.

The home must hold the sample (`proband demo` makes one). Prints nDCG@10 by kind of question, without and with
reranking; questions without an answer have no score.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import ir_measures
from ir_measures import nDCG

from proband.cli.search import search
from proband.cli.wanted import FILTERS, wanted_filter
from proband.engine import Engine
from proband.model import DocumentKey, Question
from proband.wiring import open_search

QUESTIONS = Path(__file__).parent / "sample" / "questions.jsonl"
DEPTH = 10


def main() -> None:
    """Prints one table."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()[1:]]
    with open_search("benchmark questions") as engine:
        ways = {
            "without": replace(engine, tokens=None),
            "reranked": engine,
        }
        scores = {name: _by_kind(way, rows) for name, way in ways.items()}
    print("| kind | " + " | ".join(ways) + " |\n|---|" + "---|" * len(ways))
    for kind in next(iter(scores.values())):
        figures = " | ".join(f"{found[kind]:.3f}" for found in scores.values())
        print(f"| {kind} | {figures} |")


def _by_kind(engine: Engine, rows: list[dict[str, Any]]) -> Mapping[str, float]:
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["relevant"]:
            score = _ndcg(row, _asked(engine, row))
            scores[row["kind"]].append(score)
            scores["all"].append(score)
    return {kind: fmean(found) for kind, found in sorted(scores.items())}


def _asked(engine: Engine, row: dict[str, Any]) -> list[str]:
    given = search.make_context("search", [row["text"]]).params
    options = {name: given[name] for name in FILTERS} | row.get("filters", {})
    seen = engine.seen(None)
    where = wanted_filter(options, engine, seen)
    groups = engine.rank(Question(row["text"], where, DEPTH), seen).groups
    return [DocumentKey.parse(group.document).parts[0] for group in groups[:DEPTH]]


def _ndcg(row: dict[str, Any], found: list[str]) -> float:
    qrels = [ir_measures.Qrel(row["id"], study, grade) for study, grade in row["relevant"].items()]
    run = [ir_measures.ScoredDoc(row["id"], study, -float(n)) for n, study in enumerate(found)]
    return float(ir_measures.calc_aggregate([nDCG @ DEPTH], qrels, run)[nDCG @ DEPTH])


if __name__ == "__main__":
    main()
