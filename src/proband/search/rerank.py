"""Late interaction: a story's best studies once more in order, by how near each of its words has a word in them.

Khattab and Zaharia, "ColBERT", SIGIR 2020, with the token vectors of the embedder itself: the score of a document is
the mean over the question's tokens of the best cosine with any token of its passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from proband.model import (
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
)
from proband.ports import TokenEmbedder
from proband.search.recall import Reader
from proband.settings import SearchSettings


class _Scored(NamedTuple):
    """A document's score, and the passage of it that is nearest by itself."""

    score: float
    best: Candidate


def rerank(
    plan: QueryPlan, groups: Sequence[Grouped], reader: Reader, rules: SearchSettings
) -> Ranking:
    """The first `rerank_documents` of `groups` in order of late interaction with their best passages.

    A list to be fused with the others, not an order: alone it loses to them. Empty for other questions than stories,
    which do not gain by it (decision 014), and where the reader has no token vectors.
    """
    asked = [variant for variant in plan.variants if Lane.DENSE in variant.lanes and variant.kinds]
    if reader.tokens is None or not asked or not rules.rerank_documents:
        return Ranking(Lane.RERANK, Scale.MAXSIM, ())
    kinds = asked[0].kinds
    read = [
        [one for one in group.candidates if one.kind in kinds][: rules.rerank_passages]
        for group in groups[: rules.rerank_documents]
    ]
    nearest = _nearest([variant.text for variant in asked], read, reader, reader.tokens)
    scored = [found for some in read if (found := _scored(some, nearest))]
    return Ranking(Lane.RERANK, Scale.MAXSIM, _hits(scored))


def _nearest(
    asked: Sequence[str],
    read: Sequence[Sequence[Candidate]],
    reader: Reader,
    tokens: TokenEmbedder,
) -> dict[ChunkId, Float32Vector]:
    """For each passage that has a text, the best cosine of each token of the question with a token of it."""
    shown = reader.texts.chunk_texts(one.chunk_id for some in read for one in some)
    ids = [chunk_id for chunk_id, chunk in shown.items() if chunk.text]
    question = np.concatenate(tokens.token_vectors(asked))
    vectors = tokens.token_vectors([shown[chunk_id].text for chunk_id in ids])
    return {
        chunk_id: _best_cosines(question, passage)
        for chunk_id, passage in zip(ids, vectors, strict=True)
        if len(passage)
    }


def _best_cosines(question: Float32Matrix, passage: Float32Matrix) -> Float32Vector:
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
