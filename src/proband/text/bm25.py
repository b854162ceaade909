"""BM25 weights of analysed text, as a sparse vector that an engine with IDF can multiply.

score(q, d) = sum over common terms of  query weight x IDF x text weight; the engine knows the IDF. Robertson and
Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, equation 3.15.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

Weights = tuple[tuple[int, ...], tuple[float, ...]]
"""Distinct term hashes in ascending order, and a weight for each."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """How fast repeated terms stop counting (`k1`) and how much longer texts pay for their length (`b`).

    `average_terms` is a constant, so that weights never go stale.
    """

    k1: float
    b: float
    average_terms: float


CHUNK = Saturation(k1=1.2, b=0.75, average_terms=15)
"""The usual values. 385,000 chunks of 17,877 studies have 14.6 terms on average."""

DOCUMENT = Saturation(k1=5, b=0.9, average_terms=240)
"""Whole studies have 237 terms on average; docs/decisions/011-whole-studies.md has the figures."""


def weights(terms: Iterable[str], saturation: Saturation) -> Weights:
    """Saturated and length-normalised frequencies of a text's terms."""
    counts = Counter(terms)
    k1, b = saturation.k1, saturation.b
    norm = k1 * (1 - b + b * counts.total() / saturation.average_terms)
    return _hashed({term: n * (k1 + 1) / (n + norm) for term, n in counts.items()})


def query_weights(terms: Iterable[str]) -> Weights:
    """How often each term stands in the question."""
    return _hashed({term: float(n) for term, n in Counter(terms).items()})


@lru_cache(maxsize=1 << 17)
def term_hash(term: str) -> int:
    """An unsigned 32-bit number, the same in every process: among 75,000 terms one expects 0.7 collisions."""
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "big")


def _hashed(by_term: dict[str, float]) -> Weights:
    merged: dict[int, float] = {}
    for term, weight in by_term.items():
        key = term_hash(term)
        merged[key] = merged.get(key, 0.0) + weight
    indices = tuple(sorted(merged))
    return indices, tuple(merged[index] for index in indices)
