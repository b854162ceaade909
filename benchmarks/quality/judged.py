"""A judged pool and its scores, by the rules of the pool's README."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import ir_measures
from ir_measures import R, nDCG

ELIGIBLE, EXCLUDED = 2, 1
Run = Mapping[str, Sequence[str]]
"""Documents by topic, best first."""


@dataclass(frozen=True)
class Pool:
    """Topics by id, and the judged documents of each with their grades."""

    topics: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]

    @property
    def scored(self) -> list[str]:
        """The topics that have an eligible document."""
        return [topic for topic in self.topics if ELIGIBLE in self.grades[topic].values()]


@dataclass(frozen=True)
class Scores:
    """Means over the topics; `eligible_first` over those that have an excluded document too."""

    full: float
    condensed: float
    recall_100: float
    eligible_first: float

    def __str__(self) -> str:
        return (
            f"{self.full:.3f} | {self.condensed:.3f} | {self.recall_100:.3f}"
            f" | {self.eligible_first:.3f}"
        )


def read_pool(folder: Path) -> Pool:
    """The pool in a folder with `topics.jsonl` and `qrels.txt`."""
    lines = (folder / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    topics = {row["id"]: row["text"] for row in map(json.loads, lines)}
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        grades[topic][document] = int(grade)
    return Pool(topics, grades)


def score(run: Run, pool: Pool) -> Scores:
    """Full: an unjudged document counts as not relevant. Condensed: it is taken out first."""
    condensed = {
        topic: [document for document in ranked if document in pool.grades[topic]]
        for topic, ranked in run.items()
    }
    return Scores(
        full=_mean(nDCG @ 10, run, pool),
        condensed=_mean(nDCG @ 10, condensed, pool),
        recall_100=_mean(R(rel=ELIGIBLE) @ 100, run, pool),
        eligible_first=_eligible_first(run, pool),
    )


def _mean(measure: ir_measures.Measure, run: Run, pool: Pool) -> float:
    qrels = [
        ir_measures.Qrel(topic, document, grade)
        for topic in pool.scored
        for document, grade in pool.grades[topic].items()
    ]
    scored = [
        ir_measures.ScoredDoc(topic, document, -float(place))
        for topic in pool.scored
        for place, document in enumerate(run.get(topic, ()))
    ]
    return float(ir_measures.calc_aggregate([measure], qrels, scored)[measure])


def _eligible_first(run: Run, pool: Pool) -> float:
    shares = []
    for topic in pool.scored:
        grades = pool.grades[topic]
        place = {document: rank for rank, document in enumerate(run.get(topic, ()))}
        eligible = [place.get(d, len(place)) for d, grade in grades.items() if grade == ELIGIBLE]
        excluded = [place.get(d, len(place)) for d, grade in grades.items() if grade == EXCLUDED]
        if excluded:
            shares.append(fmean(e < x for e in eligible for x in excluded))
    return fmean(shares)
