"""The best documents read once more: how near each word of the question has a word in them, or by a cross-encoder.

Late interaction is Khattab and Zaharia, "ColBERT", SIGIR 2020, with the token vectors of the embedder itself: the score
of a document is the mean over the question's tokens of the best cosine with any token of its passages. A cross-encoder,
where one is configured, reads question and passage together: the score is the sigmoid of its best logit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from proband.model import (
    Breadth,
    Candidate,
    ChunkId,
    Float32Matrix,
    Float32Vector,
    Grouped,
    Hit,
    Lane,
    QueryPlan,
    Ranking,
    Scale,
    SectionKind,
)
from proband.ports import PairScorer, TokenEmbedder
from proband.search.recall import Reader
from proband.settings import SearchSettings


class _Scored(NamedTuple):
    """A document's score, and the passage of it that is nearest by itself."""

    score: float
    best: Candidate


def rerank(
    plan: QueryPlan, groups: Sequence[Grouped], reader: Reader, rules: SearchSettings
) -> Ranking:
    """`groups` in the order of their best passages, read once more.

    A list to be fused with the others, not an order: alone it loses to them. Empty where a name or a quoted phrase is
    asked for, which only loses by it (decision 014), and where the reader has nothing to read with.
    """
    asked = [variant for variant in plan.variants if Lane.DENSE in variant.lanes]
    if not asked or plan.alone or plan.phrases or not (reader.tokens or reader.pairs):
        return Ranking(Lane.RERANK, Scale.MAXSIM, ())
    read = _read(plan, asked[0].kinds, groups, rules)
    shown = reader.texts.chunk_texts(one.chunk_id for some in read for one in some)
    texts = {chunk_id: chunk.text for chunk_id, chunk in shown.items() if chunk.text}
    parts = [variant.text for variant in asked]
    if reader.pairs:
        scale, nearest = Scale.SIGMOID, _by_pairs(parts, texts, reader.pairs)
    elif reader.tokens:
        scale, nearest = Scale.MAXSIM, _by_tokens(parts, texts, reader.tokens)
    scored = [found for some in read if (found := _scored(some, nearest))]
    return Ranking(Lane.RERANK, scale, _hits(scored), vote=rules.rerank_vote)


def _read(
    plan: QueryPlan,
    kinds: Sequence[SectionKind],
    groups: Sequence[Grouped],
    rules: SearchSettings,
) -> list[list[Candidate]]:
    """The passages of each document that are read, best first."""
    is_story = plan.breadth is Breadth.BROAD
    most = rules.rerank_story_passages if is_story else rules.rerank_passages
    return [
        [one for one in group.candidates if not kinds or one.kind in kinds][:most]
        for group in groups
    ]


def _by_pairs(
    asked: Sequence[str], texts: Mapping[ChunkId, str], pairs: PairScorer
) -> dict[ChunkId, Float32Vector]:
    """For each passage `(1,)`: how likely it answers the part of the question that it answers best."""
    logits = np.max([pairs.score_pairs(part, list(texts.values())) for part in asked], axis=0)
    shares = (1 / (1 + np.exp(-logits))).astype(np.float32)
    return dict(zip(texts, shares[:, np.newaxis], strict=True))


def _by_tokens(
    asked: Sequence[str], texts: Mapping[ChunkId, str], tokens: TokenEmbedder
) -> dict[ChunkId, Float32Vector]:
    """For each passage the best cosine of each token of the question with a token of it."""
    question = np.concatenate(tokens.token_vectors(asked))
    vectors = tokens.token_vectors(list(texts.values()))
    return {
        chunk_id: best_cosines(question, passage)
        for chunk_id, passage in zip(texts, vectors, strict=True)
        if len(passage)
    }


def best_cosines(question: Float32Matrix, passage: Float32Matrix) -> Float32Vector:
    """For each token of the question the best cosine with a token of the passage, which has one at least."""
    best: Float32Vector = (question @ passage.T).max(axis=1)
    return best


def _scored(
    passages: Sequence[Candidate], nearest: Mapping[ChunkId, Float32Vector]
) -> _Scored | None:
    known = [one for one in passages if one.chunk_id in nearest]
    if not known:
        return None
    score = float(np.max([nearest[one.chunk_id] for one in known], axis=0).mean())
    return _Scored(score, max(known, key=lambda one: float(nearest[one.chunk_id].mean())))


def _hits(scored: Sequence[_Scored]) -> tuple[Hit, ...]:
    """Best first, equal scores by id of the chunk."""
    ordered = sorted(scored, key=lambda one: (-one.score, one.best.chunk_id))
    return tuple(
        Hit(best.chunk_id, best.document, best.kind, rank, score)
        for rank, (score, best) in enumerate(ordered, start=1)
    )
