"""A search from question to cited passages: the stages in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proband.model import (
    Filter,
    Grouped,
    QueryPlan,
    Question,
    Scope,
    SearchResult,
)
from proband.search.fuse import fuse
from proband.search.passages import passages
from proband.search.plan import ReadFilter, plan
from proband.search.recall import Reader, recall
from proband.search.rerank import rerank
from proband.search.stopwatch import Stopwatch
from proband.settings import SearchSettings


def everything(_: str) -> Filter:
    """The filter of a question that says nothing about a patient."""
    return Filter()


@dataclass(frozen=True, slots=True)
class Ranked:
    """What was run, and all documents found, best first; quoted phrases not found; `timings_ms` by stage."""

    plan: QueryPlan
    groups: tuple[Grouped, ...]
    absent: tuple[str, ...]
    timings_ms: Mapping[str, float]


def rank(
    question: Question,
    scope: Scope,
    generation: int,
    reader: Reader,
    rules: SearchSettings,
    read_filter: ReadFilter = everything,
) -> Ranked:
    """The documents that answer `question` in this generation, without their texts.

    `read_filter` reads a filter from a patient's narrative; it is not called for other questions.
    """
    watch = Stopwatch()
    planned = plan(question, reader.embedder, rules, read_filter)
    watch.lap("plan")
    view = scope.view(generation, planned.where)
    recalled = recall(planned, view, _depth(question.top_k, rules), reader)
    watch.lap("recall")
    groups = fuse(recalled.rankings, rules.rrf_k)
    watch.lap("fuse")
    reranked = rerank(planned, groups, reader, rules)
    if reranked.hits:
        groups = fuse((*recalled.rankings, reranked), rules.rrf_k)
    watch.lap("rerank")
    return Ranked(planned, groups, recalled.absent, watch.laps_ms)


def _depth(top_k: int, rules: SearchSettings) -> int:
    """How many chunks a ranking holds: several a document that is wanted, within bounds, never fewer than documents."""
    wanted = max(rules.least_fetch, rules.over_fetch * top_k)
    return max(min(wanted, rules.most_fetch), top_k)


def search(
    question: Question,
    scope: Scope,
    generation: int,
    reader: Reader,
    rules: SearchSettings,
    read_filter: ReadFilter = everything,
) -> SearchResult:
    """The `question.top_k` best documents with their passages, verbatim and citable.

    A document that the catalogue lacks is named in `missing` and its place taken by the next one.
    """
    ranked = rank(question, scope, generation, reader, rules, read_filter)
    watch = Stopwatch(ranked.timings_ms)
    hits, missing = passages(ranked.groups, question.top_k, 1 + rules.also_matched, reader.texts)
    watch.lap("texts")
    return SearchResult(generation, hits, missing, watch.laps_ms, ranked.plan, ranked.absent)
