"""A search from question to cited passages: the stages in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proband.model import (
    Accepted,
    Field,
    Filter,
    Grouped,
    QueryPlan,
    Question,
    Ranking,
    Scope,
    Searched,
    SearchResult,
    View,
)
from proband.search.fuse import fuse, led, with_votes
from proband.search.gate import Gate, decide
from proband.search.named import with_names
from proband.search.passages import passages
from proband.search.plan import ReadFilter, plan
from proband.search.prefix import prefix
from proband.search.recall import Reader, recall
from proband.search.rerank import rerank
from proband.search.signals import look
from proband.search.stopwatch import Stopwatch
from proband.settings import SearchSettings


def everything(_: str) -> Filter:
    """The filter of a question that says nothing about a patient."""
    return Filter()


OPEN = Gate(
    uncertified="no calibration was made for these studies, so weak matches are shown with their score; "
    "`proband gate calibrate` makes one"
)
"""Refuses what is not there, and nothing for being weak."""

FEW_PASSAGES = 20_000
"""Up to here their documents are counted for a refusal: 0.05 s; of 350,000 it took 5 s."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What was run, and all documents found, best first; quoted phrases not found; `timings_ms` by stage.

    `rankings` and `fused` are what the groups were made of, for an evaluation stage by stage: what each lane found
    (reranking last, where it was run), and the documents in the order that they had before it.
    """

    plan: QueryPlan
    groups: tuple[Grouped, ...]
    absent: tuple[str, ...]
    timings_ms: Mapping[str, float]
    rankings: tuple[Ranking, ...] = ()
    fused: tuple[Grouped, ...] = ()


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
    view = scope.view(generation, planned.where)
    planned = with_names(planned, view, reader.index)
    watch.lap("plan")
    recalled = recall(planned, view, _depth(question.top_k, rules), reader)
    watch.lap("recall")
    rankings = with_votes(recalled.rankings, rules.lexical_vote)
    groups = fused = fuse(rankings, rules.rrf_k)
    watch.lap("fuse")
    reranked = rerank(planned, prefix(fused, question.top_k, rules), reader, rules)
    if reranked.hits:
        rankings = (*rankings, reranked)
        groups = fuse(rankings, rules.rrf_k)
    groups = led(groups, recalled.leading, rules.rrf_k)
    watch.lap("rerank")
    return Ranked(planned, groups, recalled.absent, watch.laps_ms, rankings, fused)


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
    gate: Gate = OPEN,
    *,
    weigh: bool = False,
) -> SearchResult:
    """The `question.top_k` best documents with their passages, verbatim and citable; or why there is no answer.

    With `weigh` the score of the answer is measured although the gate has no threshold.
    A document that the catalogue lacks is named in `missing` and its place taken by the next one.
    """
    ranked = rank(question, scope, generation, reader, rules, read_filter)
    watch = Stopwatch(ranked.timings_ms)
    view = scope.view(generation, ranked.plan.where)
    whole = scope.view(generation, Filter())
    weigh = weigh or gate.threshold is not None
    signals = look(ranked.plan, ranked.groups, ranked.absent, whole, reader, weigh=weigh)
    decision = decide(ranked.plan, signals, gate, lambda: searched(ranked.plan, view, reader))
    watch.lap("gate")
    found, missing = passages(ranked.groups, question.top_k, 1 + rules.also_matched, reader.texts)
    watch.lap("texts")
    hits, nearest = (found, ()) if isinstance(decision, Accepted) else ((), found)
    return SearchResult(
        generation,
        hits,
        missing,
        watch.laps_ms,
        ranked.plan,
        ranked.absent,
        decision,
        nearest,
    )


def searched(plan: QueryPlan, view: View, reader: Reader) -> Searched:
    """Where an answer to this plan was looked for."""
    fitting = reader.index.count(view)
    few = fitting <= FEW_PASSAGES
    documents = len(reader.index.facets(Field.DOCUMENT, view, fitting)) if few else None
    return Searched(view.generation, plan, fitting, documents)
