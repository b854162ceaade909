from __future__ import annotations

from dataclasses import replace

from proband.model import ChunkId, Found, Hit, Lane, Ranking, Scale, SectionKind
from proband.search.fuse import fuse, led, rrf, with_votes


def ranking(lane: Lane, *chunks: str, scale: Scale = Scale.COSINE, variant: int = 0) -> Ranking:
    """Chunks named `document.number`, best first."""
    hits = tuple(
        Hit(ChunkId(chunk), chunk.split(".")[0], SectionKind.TITLE, rank, 1 / rank)
        for rank, chunk in enumerate(chunks, start=1)
    )
    return Ranking(lane, scale, hits, variant)


def test_a_document_scores_the_sum_of_its_reciprocal_ranks() -> None:
    first, second = fuse([ranking(Lane.DENSE, "a.1", "b.1"), ranking(Lane.LEXICAL, "b.1")], k=60)
    assert (first.document, first.score) == ("b", 1 / 62 + 1 / 61)
    assert (second.document, second.score) == ("a", 1 / 61)


def test_many_chunks_in_one_ranking_count_once_and_push_nobody_down() -> None:
    (a, b) = fuse([ranking(Lane.DENSE, "a.1", "a.2", "a.3", "b.1")], k=60)
    assert (a.score, b.score) == (1 / 61, 1 / 62)


def test_chunks_of_one_document_in_two_rankings_add_up() -> None:
    a, b = fuse([ranking(Lane.DENSE, "a.1", "b.1"), ranking(Lane.LEXICAL, "a.2", "b.1")], k=60)
    assert [group.document for group in (a, b)] == ["a", "b"]
    assert a.score == 2 / 61


def test_equal_scores_stand_in_order_of_the_key() -> None:
    groups = fuse([ranking(Lane.DENSE, "b.1"), ranking(Lane.LEXICAL, "a.1")], k=60)
    assert [group.document for group in groups] == ["a", "b"]


def test_the_strongest_chunk_of_a_document_comes_first_with_all_its_places() -> None:
    (a,) = fuse(
        [ranking(Lane.DENSE, "a.1", "a.2"), ranking(Lane.LEXICAL, "a.2", scale=Scale.BM25)], k=60
    )
    assert [candidate.chunk_id for candidate in a.candidates] == ["a.2", "a.1"]
    assert a.candidates[0].found == (
        Found(Lane.DENSE, 0, 2, 1 / 2, Scale.COSINE),
        Found(Lane.LEXICAL, 0, 1, 1.0, Scale.BM25),
    )


def test_no_rankings_give_nothing() -> None:
    assert fuse([], k=60) == ()


def test_a_document_keeps_its_rank_among_documents_in_each_ranking() -> None:
    dense = ranking(Lane.DENSE, "a.1", "a.2", "b.1")
    more = ranking(Lane.DENSE, "b.2", variant=1)
    lexical = ranking(Lane.LEXICAL, "a.3", "b.3", scale=Scale.BM25)
    found = {group.document: group.found for group in fuse([lexical, more, dense], k=60)}
    assert found["b"] == (
        Found(Lane.DENSE, 0, 2, 1 / 3, Scale.COSINE),
        Found(Lane.DENSE, 1, 1, 1.0, Scale.COSINE),
        Found(Lane.LEXICAL, 0, 2, 1 / 2, Scale.BM25),
    )
    assert [place.rank for place in found["a"]] == [1, 1]


def test_the_ranks_of_a_document_explain_its_score() -> None:
    groups = fuse([ranking(Lane.DENSE, "a.1", "a.2", "b.1"), ranking(Lane.LEXICAL, "b.3")], k=60)
    for group in groups:
        assert group.score == rrf(group.found, k=60)


def test_documents_that_lead_come_first_in_their_order_with_scores_that_fall() -> None:
    groups = fuse([ranking(Lane.DENSE, "a.1", "b.1", "c.1", "d.1")], k=60)
    led_groups = led(groups, ("d", "unknown", "b"), k=60)
    assert [group.document for group in led_groups] == ["d", "b", "a", "c"]
    assert [group.score for group in led_groups] == [2 / 61, 1 / 61 + 1 / 63, 1 / 61, 1 / 63]


def test_both_lexical_lanes_share_one_vote() -> None:
    lanes = [ranking(lane, "a.1") for lane in (Lane.DENSE, Lane.LEXICAL, Lane.DOCUMENT)]
    assert [one.vote for one in with_votes(lanes, 0.25)] == [1.0, 0.25, 0.75]
    (a,) = fuse(with_votes(lanes, 0.25), k=60)
    assert a.score == 2 / 61


def test_a_lexical_lane_that_found_something_alone_has_the_whole_vote() -> None:
    for alone in (Lane.LEXICAL, Lane.DOCUMENT):
        lanes = [ranking(Lane.DENSE, "a.1"), ranking(alone, "b.1")]
        assert [one.vote for one in with_votes(lanes, 0.25)] == [1.0, 1.0]


def test_a_vote_weighs_documents_and_passages_alike() -> None:
    heavy = replace(ranking(Lane.RERANK, "b.1"), vote=2.0)
    first, second = fuse([ranking(Lane.DENSE, "a.1"), heavy], k=10)
    assert (first.document, first.score, first.candidates[0].score) == ("b", 2 / 11, 2 / 11)
    assert (second.document, second.score) == ("a", 1 / 11)
