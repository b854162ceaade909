"""Every variant of the question in every lane, concurrently."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

from proband.model import (
    AnyOf,
    Field,
    Filter,
    Hit,
    Lane,
    QueryPlan,
    Ranking,
    Scale,
    Variant,
    View,
)
from proband.ports import Embedder, Index, PairScorer, Texts, TokenEmbedder
from proband.search.exact import exact, leading, question_weights
from proband.text.exact import holds_phrase

PHRASE_DEPTH = 1000
"""Chunks that are looked through for a quoted phrase: BM25 puts those that hold all its words first."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What a search reads: one corpus and its texts, the embedder, and a pool.

    The pool is shared by all searches of a process: its size is the admission limit. Reranking is by `pairs`, a
    cross-encoder, else by `tokens`; without either nothing is reranked.
    """

    index: Index
    embedder: Embedder
    texts: Texts
    pool: Executor
    tokens: TokenEmbedder | None = None
    pairs: PairScorer | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """The rankings that found something, in the order of the plan.

    `absent` are the quoted phrases that none of the passages looked through holds, `PHRASE_DEPTH` at most for each;
    `leading` the documents that the question names, in the order in which they come before all others.
    """

    rankings: tuple[Ranking, ...]
    absent: tuple[str, ...]
    leading: tuple[str, ...] = ()


def recall(plan: QueryPlan, view: View, limit: int, reader: Reader) -> Recalled:
    """What each variant found in each of its lanes, at most `limit` chunks a ranking."""
    rankings = list(reader.pool.map(lambda call: call(), _calls(plan, view, limit, reader)))
    quoted = rankings[len(rankings) - len(plan.phrases) :]  # phrases are asked last
    absent = tuple(
        phrase for phrase, ranking in zip(plan.phrases, quoted, strict=True) if not ranking.hits
    )
    found = tuple(ranking for ranking in rankings if ranking.hits)
    return Recalled(found, absent, _leading(plan, rankings, view, limit, reader.index))


def _leading(
    plan: QueryPlan, rankings: Sequence[Ranking], view: View, limit: int, index: Index
) -> tuple[str, ...]:
    if not plan.exact:
        return ()
    named = rankings[len(rankings) - len(plan.phrases) - 1]  # asked before the phrases
    return leading(plan, named, view, limit, index)


def _calls(
    plan: QueryPlan, view: View, limit: int, reader: Reader
) -> Iterator[Callable[[], Ranking]]:
    for number, variant in enumerate(plan.variants):
        for lane in variant.lanes:
            yield partial(_LANES[lane], variant, number, _within(view, variant), limit, reader)
    if plan.exact:
        yield partial(exact, plan, view, limit, reader.index)
    for phrase in plan.phrases:
        yield partial(_quoted, phrase, view, limit, reader)


def _within(view: View, variant: Variant) -> View:
    if not variant.kinds:
        return view
    return view.narrowed(Filter((AnyOf(Field.KIND, tuple(variant.kinds)),)))


def _dense(variant: Variant, number: int, view: View, limit: int, reader: Reader) -> Ranking:
    vector = reader.embedder.embed_query(variant.text)
    return replace(reader.index.dense(vector, view, limit), variant=number)


def _lexical(variant: Variant, number: int, view: View, limit: int, reader: Reader) -> Ranking:
    return replace(
        reader.index.lexical(question_weights(variant.text), view, limit), variant=number
    )


def _document(variant: Variant, number: int, view: View, limit: int, reader: Reader) -> Ranking:
    return replace(
        reader.index.document(question_weights(variant.text), view, limit), variant=number
    )


_LANES = {Lane.DENSE: _dense, Lane.LEXICAL: _lexical, Lane.DOCUMENT: _document}


def _quoted(phrase: str, view: View, limit: int, reader: Reader) -> Ranking:
    """Chunks whose text holds the phrase, among those that hold its words; none when it does not occur."""
    words = reader.index.lexical(question_weights(phrase), view, max(limit, PHRASE_DEPTH))
    texts = reader.texts.chunk_texts(hit.chunk_id for hit in words.hits)
    holding = [
        replace(hit, score=1.0)
        for hit in words.hits
        if hit.chunk_id in texts and holds_phrase(texts[hit.chunk_id].text, phrase)
    ]
    return Ranking(Lane.EXACT, Scale.MATCHES, _ranked(holding[:limit]))


def _ranked(hits: list[Hit]) -> tuple[Hit, ...]:
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
