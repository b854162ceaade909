"""One document stands once in a ranking, at its strongest chunk."""

from __future__ import annotations

from proband.model import Hit, Ranking


def places(ranking: Ranking) -> dict[str, tuple[int, Hit]]:
    """The documents of `ranking` with their ranks from 1, each at its first hit.

    Done before anything is cut off, so that a study whose thirty criteria all match fills one place and not thirty.
    """
    first: dict[str, Hit] = {}
    for hit in ranking.hits:
        first.setdefault(hit.document, hit)
    return {document: (rank, hit) for rank, (document, hit) in enumerate(first.items(), start=1)}
