"""What holds for every fusion."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from proband.model import ChunkId, Hit, Lane, Ranking, Scale, SectionKind
from proband.search.dedupe import places
from proband.search.fuse import fuse


def ranking(chunks: list[int]) -> Ranking:
    hits = tuple(
        Hit(ChunkId(f"c{chunk}"), f"d{chunk % 5}", SectionKind.TITLE, rank, 1.0 / rank)
        for rank, chunk in enumerate(chunks, start=1)
    )
    return Ranking(Lane.DENSE, Scale.COSINE, hits)


rankings = st.lists(st.lists(st.integers(0, 20), max_size=12, unique=True).map(ranking), max_size=5)


@given(rankings)
def test_scores_do_not_matter_only_ranks(some: list[Ranking]) -> None:
    squashed = [
        replace(one, hits=tuple(replace(hit, score=math.exp(hit.score)) for hit in one.hits))
        for one in some
    ]
    assert [(g.document, g.score) for g in fuse(squashed, 60)] == [
        (g.document, g.score) for g in fuse(some, 60)
    ]


@given(rankings)
def test_the_order_of_the_rankings_does_not_matter(some: list[Ranking]) -> None:
    shuffled = some[::-1]
    assert [(g.document, g.score) for g in fuse(shuffled, 60)] == [
        (g.document, g.score) for g in fuse(some, 60)
    ]


@given(rankings)
def test_every_document_found_stands_once_with_every_chunk_found(some: list[Ranking]) -> None:
    groups = fuse(some, 60)
    documents = [group.document for group in groups]
    assert sorted(documents) == sorted({hit.document for one in some for hit in one.hits})
    chunks = [candidate.chunk_id for group in groups for candidate in group.candidates]
    assert sorted(chunks) == sorted({hit.chunk_id for one in some for hit in one.hits})


@given(rankings)
def test_groups_fall_by_score(some: list[Ranking]) -> None:
    scores = [group.score for group in fuse(some, 60)]
    assert scores == sorted(scores, reverse=True)


@given(st.lists(st.integers(0, 20), max_size=12, unique=True).map(ranking))
def test_each_document_takes_the_place_of_its_first_hit(one: Ranking) -> None:
    ranks = {document: rank for document, (rank, _) in places(one).items()}
    assert list(ranks.values()) == list(range(1, len(ranks) + 1))
    assert list(ranks) == list(dict.fromkeys(hit.document for hit in one.hits))
