"""How many of the fused documents are read once more: at least what is shown, no further than an elbow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from proband.model import Grouped
from proband.settings import SearchSettings

LEAST = 8
"""Documents that are read however few are wanted (records design note)."""


def prefix(groups: Sequence[Grouped], top_k: int, rules: SearchSettings) -> Sequence[Grouped]:
    """The first documents: max(top_k, 8), then as many as follow without an elbow, never above `rerank_documents`.

    An elbow is a fused score below `rerank_elbow` of the one before it.
    """
    most = groups[: rules.rerank_documents]
    least = max(top_k, LEAST)
    for place, (one, following) in enumerate(pairwise(most), start=1):
        if place >= least and following.score < rules.rerank_elbow * one.score:
            return most[:place]
    return most
