"""What each stage of a search contributes: the order of documents by one lane alone, fused, and reranked.

All come from one search, so that a table compares stages and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from proband.model import DocumentKey, Grouped, Lane, QueryPlan, Question
from proband.search.fuse import fuse
from proband.search.pipeline import Ranked

Run = Mapping[str, Sequence[str]]
"""Documents by topic, best first, as the judgements name them. A topic that was not asked is absent."""

Search = Callable[[Question], Ranked]
"""A whole search of one collection."""

Advance = Callable[[str, int, int | None], None]
"""Is told of a stage's name how many are done, and of how many."""


class Stage(StrEnum):
    """A search that keeps to one lane or ends early; RERANKED is the search as it is."""

    DENSE = "dense alone"
    LEXICAL = "lexical alone"
    DOCUMENT = "document alone"
    EXACT = "exact alone"
    FUSED = "fused"
    RERANKED = "fused, reranked"


LANES = {
    Stage.DENSE: Lane.DENSE,
    Stage.LEXICAL: Lane.LEXICAL,
    Stage.DOCUMENT: Lane.DOCUMENT,
    Stage.EXACT: Lane.EXACT,
}


def staged(ranked: Ranked, depth: int, rrf_k: int) -> dict[Stage, list[str]]:
    """The first `depth` documents of each stage that the plan asked.

    Several rankings of one lane are fused among themselves.
    """
    asked = _asked(ranked.plan)
    found = {
        stage: fuse([one for one in ranked.rankings if one.lane is lane], rrf_k)
        for stage, lane in LANES.items()
        if lane in asked
    }
    found |= {Stage.FUSED: ranked.fused, Stage.RERANKED: ranked.groups}
    return {stage: [_name(group) for group in groups[:depth]] for stage, groups in found.items()}


def runs(
    asked: Mapping[str, Question], search: Search, rrf_k: int, advance: Advance
) -> tuple[dict[Stage, Run], dict[str, float]]:
    """One run a stage over these questions, each as deep as its question asks, and the seconds that each took."""
    gathered: dict[Stage, dict[str, list[str]]] = {stage: {} for stage in Stage}
    seconds = {}
    for number, (topic, question) in enumerate(asked.items(), 1):
        started = time.perf_counter()
        ranked = search(question)
        seconds[topic] = time.perf_counter() - started
        for stage, documents in staged(ranked, question.top_k, rrf_k).items():
            gathered[stage][topic] = documents
        advance("topics", number, len(asked))
    return {stage: run for stage, run in gathered.items() if run}, seconds


def _asked(plan: QueryPlan) -> set[Lane]:
    lanes = {lane for variant in plan.variants for lane in variant.lanes}
    return lanes | {Lane.EXACT} if plan.exact or plan.phrases else lanes


def _name(group: Grouped) -> str:
    return DocumentKey.parse(group.document).parts[0]
