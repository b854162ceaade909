from __future__ import annotations

from dataclasses import replace

import pytest

from factories import RECIPE, chunk
from proband.catalogue.chunk_rows import ChunkMark, NewChunk
from proband.ingest.difference import Difference, difference, merged
from proband.ingest.identity import chunk_id, identified
from proband.model import FOREVER, Chunk, ChunkId, Facets

A = chunk("A", ordinal=1)
B = chunk("B", ordinal=2)


def new(found: Chunk) -> NewChunk:
    return identified([found], RECIPE)[0]


def mark(found: Chunk, born: int, died: int = FOREVER, chunk_id: str | None = None) -> ChunkMark:
    one = new(found)
    identity = one.id if chunk_id is None else ChunkId(chunk_id)
    place = (found.kind, found.ordinal, found.part)
    return ChunkMark(identity, str(found.document), *place, one.digest, born, died)


def test_first_chunks_are_new_under_their_first_ids() -> None:
    wanted = [new(A), new(B)]
    assert difference(wanted, [], 1) == Difference(new=tuple(wanted))


def test_same_chunk_is_not_touched() -> None:
    assert difference([new(A)], [mark(A, 1)], 2) == Difference()


def test_document_that_is_gone_expires_its_chunks() -> None:
    assert difference([], [mark(A, 1), mark(B, 1)], 2) == Difference(expired=(new(A).id, new(B).id))


def test_changed_text_expires_one_chunk_and_adds_one() -> None:
    changed = chunk("A2", ordinal=1)
    assert difference([new(changed), new(B)], [mark(A, 1), mark(B, 1)], 2) == Difference(
        new=(new(changed),), expired=(new(A).id,)
    )


def test_change_of_facets_alone_gives_a_new_id() -> None:
    changed = replace(A, facets=Facets(status="COMPLETED"))
    found = difference([new(changed)], [mark(A, 1)], 2)
    fresh = chunk_id(A, new(A).text_digest, 2)
    assert found == Difference(new=(replace(new(changed), id=fresh),), expired=(new(A).id,))
    assert fresh != new(A).id


def test_chunk_that_comes_back_after_it_died_gives_a_new_id() -> None:
    found = difference([new(A)], [mark(A, 1, 2)], 3)
    assert found == Difference(new=(replace(new(A), id=chunk_id(A, new(A).text_digest, 3)),))


def test_dead_chunks_are_not_expired_again() -> None:
    assert difference([], [mark(A, 1, 2)], 3) == Difference()


def test_chunk_that_died_in_this_very_generation_is_dead() -> None:
    found = difference([new(A)], [mark(A, 1, 2)], 2)
    assert [one.id for one in found.new] == [chunk_id(A, new(A).text_digest, 2)]


def test_chunk_born_in_this_generation_is_removed_not_expired() -> None:
    assert difference([], [mark(A, 2)], 2) == Difference(removed=(new(A).id,))


def test_chunk_replaced_within_its_generation_keeps_its_id() -> None:
    changed = replace(A, facets=Facets(status="COMPLETED"))
    found = difference([new(changed)], [mark(A, 2)], 2)
    assert found == Difference(new=(new(changed),), removed=(new(A).id,))


def test_chunk_born_in_this_generation_is_written_again_when_its_document_is_seen_again() -> None:
    reborn = chunk_id(A, new(A).text_digest, 2)
    stored = [mark(A, 1, 2), mark(A, 2, chunk_id=reborn)]
    assert difference([new(A)], stored, 2) == Difference(again=(replace(new(A), id=reborn),))


def test_two_sections_in_one_place_are_refused() -> None:
    with pytest.raises(ValueError, match="NCT99000001 has two sections of one kind and ordinal"):
        difference([new(A), new(chunk("other", ordinal=1))], [], 1)


def test_differences_of_documents_add_up_in_order() -> None:
    first = Difference(new=(new(A),), expired=(ChunkId("1"),))
    second = Difference(again=(new(B),), expired=(ChunkId("2"),), removed=(ChunkId("3"),))
    assert merged([first, second]) == Difference(
        (new(A),), (new(B),), (ChunkId("1"), ChunkId("2")), (ChunkId("3"),)
    )
    assert merged([]) == Difference()
