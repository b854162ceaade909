"""Reciprocal rank fusion: rankings of different scales meet by rank alone.

Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
SIGIR 2009: score = sum over rankings of 1 / (k + rank), ranks from 1. Here each summand is multiplied by the vote of
its ranking.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from proband.model import Candidate, Found, Grouped, Hit, Lane, Ranking
from proband.search.dedupe import places


def fuse(rankings: Sequence[Ranking], k: int) -> tuple[Grouped, ...]:
    """All documents found, best first, ties by document key; in each its chunks, best first, ties by id.

    A document scores by the rank of its strongest chunk in each ranking, so it gains from a title that matches in one
    and a criterion that matches in another, but not from many chunks in the same one.
    """
    found: defaultdict[str, list[Found]] = defaultdict(list)
    for ranking in rankings:
        for document, (rank, hit) in places(ranking).items():
            found[document].append(_place(ranking, rank, hit))
    chunks = _by_document(rankings, k)
    groups = (
        Grouped(document, rrf(some, k), chunks[document], _in_order(some))
        for document, some in found.items()
    )
    return tuple(sorted(groups, key=lambda group: (-group.score, group.document)))


def led(groups: Sequence[Grouped], leading: Sequence[str], k: int) -> tuple[Grouped, ...]:
    """`groups` with the `leading` documents first, in their order: what the question names comes before what is near.

    Their score is that of the best of all and 1 / (k + place) more, so that scores still fall.
    """
    above = max((group.score for group in groups), default=0.0)
    place = {document: number for number, document in enumerate(leading, start=1)}
    first = [
        replace(group, score=above + 1 / (k + place[group.document]))
        for group in groups
        if group.document in place
    ]
    others = (group for group in groups if group.document not in place)
    return (*sorted(first, key=lambda group: -group.score), *others)


def with_votes(rankings: Sequence[Ranking], lexical_vote: float) -> tuple[Ranking, ...]:
    """`rankings` with the vote of both lexical lanes shared, where both found something.

    They weigh the same words, of a passage and of its whole document, so that they are one opinion and not two.
    """
    shares = {Lane.LEXICAL: lexical_vote, Lane.DOCUMENT: 1 - lexical_vote}
    if not shares.keys() <= {ranking.lane for ranking in rankings}:
        return tuple(rankings)
    return tuple(replace(one, vote=shares.get(one.lane, one.vote)) for one in rankings)


def rrf(found: Iterable[Found], k: int) -> float:
    """Sum of vote / (k + rank), exact to the last bit, so that the order of the rankings does not matter."""
    return math.fsum(place.vote / (k + place.rank) for place in found)


def _place(ranking: Ranking, rank: int, hit: Hit) -> Found:
    return Found(ranking.lane, ranking.variant, rank, hit.score, ranking.scale, ranking.vote)


def _by_document(rankings: Sequence[Ranking], k: int) -> dict[str, tuple[Candidate, ...]]:
    hits: dict[str, Hit] = {}
    found: defaultdict[str, list[Found]] = defaultdict(list)
    for ranking in rankings:
        for hit in ranking.hits:
            hits[hit.chunk_id] = hit
            found[hit.chunk_id].append(_place(ranking, hit.rank, hit))
    grouped: defaultdict[str, list[Candidate]] = defaultdict(list)
    for chunk_id, hit in hits.items():
        ordered = _in_order(found[chunk_id])
        candidate = Candidate(hit.chunk_id, hit.document, hit.kind, rrf(ordered, k), ordered)
        grouped[hit.document].append(candidate)
    return {document: tuple(sorted(some, key=_best_first)) for document, some in grouped.items()}


def _in_order(found: Iterable[Found]) -> tuple[Found, ...]:
    return tuple(sorted(found, key=lambda place: (place.lane, place.variant)))


def _best_first(candidate: Candidate) -> tuple[float, str]:
    return -candidate.score, candidate.chunk_id
