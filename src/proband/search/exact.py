"""The exact lane: chunks that hold what the question names, nearer tiers before later ones."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from proband.model import (
    TIERS,
    AnyOf,
    ChunkId,
    Field,
    Filter,
    Hit,
    Lane,
    QueryPlan,
    Ranking,
    Scale,
    SectionKind,
    SparseVector,
    View,
)
from proband.ports import Index
from proband.text.analyser import terms
from proband.text.bm25 import query_weights

TITLES = Filter((AnyOf(Field.KIND, (SectionKind.TITLE,)),))

OWN_TIERS = 2
"""The tiers of a document's own identifiers."""


@dataclass(slots=True)
class _Holder:
    """A chunk with how many terms it holds in each tier, and its place among those that the words order."""

    hit: Hit
    held: list[float] = field(default_factory=lambda: [0.0] * len(TIERS))
    place: int = sys.maxsize

    @property
    def order(self) -> tuple[list[float], int, bool, str]:
        """Nearer tiers first, then the words of the question, then titles."""
        is_title = self.hit.kind is SectionKind.TITLE
        return [-count for count in self.held], self.place, not is_title, self.hit.chunk_id


def question_weights(text: str) -> SparseVector:
    """The terms of a question as the lexical lanes take them."""
    return SparseVector(*query_weights(terms(text)))


def exact(plan: QueryPlan, view: View, limit: int, index: Index) -> Ranking:
    """Chunks by how many of the terms they hold in the nearest tier, then in the next ones; equal ones by BM25 of the
    question, then titles first.

    A hit in one tier outranks any number of hits in later tiers: E11 comes before E11.9, and a drug's name before its
    other names. The score is the number of terms held in all tiers.
    """
    words = question_weights(plan.standalone)
    holders: dict[ChunkId, _Holder] = {}
    for number in range(len(TIERS)):
        wanted = tuple(dict.fromkeys(t for term in plan.exact for t in term.tiers[number]))
        if wanted and len(holders) < limit:
            _add(holders, number, wanted, view, limit, index, words)
    ordered = sorted(holders.values(), key=lambda holder: holder.order)[:limit]
    hits = (
        replace(holder.hit, rank=rank, score=sum(holder.held))
        for rank, holder in enumerate(ordered, start=1)
    )
    return Ranking(Lane.EXACT, Scale.MATCHES, tuple(hits))


def leading(
    plan: QueryPlan, found: Ranking, view: View, limit: int, index: Index
) -> tuple[str, ...]:
    """The documents that come before all others: what the exact lane found, or beside other words what is named."""
    if plan.alone:
        return tuple(dict.fromkeys(hit.document for hit in found.hits))
    names = [
        t for term in plan.exact if term.names for tier in term.tiers[:OWN_TIERS] for t in tier
    ]
    hits = index.exact(names, view, limit).hits if names else ()
    return tuple(dict.fromkeys(hit.document for hit in hits))


def _add(
    holders: dict[ChunkId, _Holder],
    tier: int,
    wanted: Sequence[str],
    view: View,
    limit: int,
    index: Index,
    words: SparseVector,
) -> None:
    """Adds what holds any of the terms of one tier: the best by words, by number of terms, and among titles.

    A title holds what its whole document is named by, so that two drugs of one study meet there.
    """
    for hit in index.lexical(words, view.narrowed(_holding(wanted)), limit).hits:
        holder = holders.setdefault(hit.chunk_id, _Holder(hit))
        holder.held[tier] = 1.0
        holder.place = min(hit.rank, holder.place)
    for narrower in (view, view.narrowed(TITLES)):
        for hit in index.exact(wanted, narrower, limit).hits:
            holders.setdefault(hit.chunk_id, _Holder(hit)).held[tier] = hit.score


def _holding(wanted: Sequence[str]) -> Filter:
    return Filter((AnyOf(Field.EXACT, tuple(wanted)),))
