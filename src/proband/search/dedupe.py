"""One document stands once in a ranking, at its strongest chunk."""

from __future__ import annotations

from proband.model import Ranking


def places(ranking: Ranking) -> dict[str, int]:
    """The documents of `ranking` with their ranks from 1, each at its first hit.

    Done before anything is cut off, so that a study whose thirty criteria all match fills one place and not thirty.
    """
    documents = dict.fromkeys(hit.document for hit in ranking.hits)
    return {document: rank for rank, document in enumerate(documents, start=1)}
