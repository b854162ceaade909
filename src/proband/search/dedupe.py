"""One document stands once in a ranking, at its strongest chunk."""

from __future__ import annotations

from dataclasses import replace

from proband.model import Hit, Ranking


def strongest(ranking: Ranking) -> Ranking:
    """`ranking` with only the first hit of each document, ranked anew from 1.

    Done before anything is cut off, so that a study whose thirty criteria all match fills one place and not thirty.
    """
    first: dict[str, Hit] = {}
    for hit in ranking.hits:
        first.setdefault(hit.document, hit)
    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(first.values(), start=1))
    return replace(ranking, hits=hits)
