from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from factories import RECIPE, chunk
from proband.catalogue.catalogue import Catalogue, Changes
from proband.catalogue.chunk_rows import ChunkMark, ChunkText, NewChunk, StoredChunk, text_digest
from proband.catalogue.generations import Counts, Generation
from proband.catalogue.outbox import Action
from proband.ingest.identity import identified
from proband.model import (
    FOREVER,
    Chunk,
    ChunkId,
    Corpus,
    DocumentKey,
    Facets,
    GeoPoint,
    SectionKind,
)
from proband.text.reading import Span

TRIALS = Corpus.TRIALS
ADULTS = chunk("Age ≥ 18", ordinal=1)
FULL = chunk(
    "No surgery",
    ordinal=2,
    kind=SectionKind.EXCLUSION_CRITERION,
    part=1,
    field="eligibility",
    span=Span(40, 52),
    embed_text="Within 4 weeks: No surgery",
    facets=Facets(status="RECRUITING", sites=(GeoPoint(1.5, 2.5),)),
    parents=("Within 4 weeks",),
    labels=("General",),
    arms=("Arm A", "Arm B"),
    document_text="The whole study",
)


def changes(
    new: Sequence[NewChunk] = (),
    expired: Sequence[ChunkId] = (),
    removed: Sequence[ChunkId] = (),
    documents: Sequence[str] = (),
) -> Changes:
    return Changes(tuple(documents), tuple(new), tuple(expired), tuple(removed), {}, "model")


def stored(catalogue: Catalogue, built: Generation, *chunks: Chunk) -> list[ChunkId]:
    """Stores the chunks; their ids in order."""
    new = [found for one in chunks for found in identified([one], RECIPE)]
    catalogue.commit(built, changes(new))
    return [found.id for found in new]


def test_chunk_is_shown_with_everything_that_proves_it(
    catalogue: Catalogue, built: Generation
) -> None:
    (first,) = stored(catalogue, built, FULL)
    assert catalogue.chunk_texts([first, ChunkId("unknown")]) == {
        first: ChunkText(
            id=first,
            document="ctgov/studies/NCT99000001",
            kind=SectionKind.EXCLUSION_CRITERION,
            ordinal=2,
            part=1,
            field="eligibility",
            span=Span(40, 52),
            text="No surgery",
            parents=("Within 4 weeks",),
            labels=("General",),
            arms=("Arm A", "Arm B"),
        )
    }


def test_whole_chunk_comes_back_with_facets_and_lifetime(
    catalogue: Catalogue, built: Generation
) -> None:
    first, second = stored(catalogue, built, ADULTS, FULL)
    assert catalogue.chunks([first, second, ChunkId("unknown")]) == {
        first: StoredChunk(first, ADULTS, text_digest("Age ≥ 18"), 1, FOREVER),
        second: StoredChunk(second, FULL, text_digest(FULL.embed_text), 1, FOREVER),
    }


def test_facets_are_stored_once_for_all_chunks_that_share_them(
    catalogue: Catalogue, built: Generation
) -> None:
    stored(catalogue, built, ADULTS, replace(ADULTS, ordinal=2), FULL)
    stored(catalogue, built, replace(FULL, ordinal=3))
    with catalogue._reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM facets").scalar() == 2


def test_expired_chunk_is_read_by_older_generations_only(
    catalogue: Catalogue, built: Generation
) -> None:
    first, second = stored(catalogue, built, ADULTS, FULL)
    catalogue.activate(built, Counts(1, 2))
    later = catalogue.begin(TRIALS, "import", built.manifest)
    catalogue.commit(later, changes(expired=[first]))
    assert catalogue.counts(TRIALS, 1) == Counts(1, 2)
    assert catalogue.counts(TRIALS, 2) == Counts(1, 1)
    assert catalogue.lifetimes(TRIALS) == {first: (1, 2), second: (1, FOREVER)}


def test_chunk_replaced_under_its_own_id_reads_as_the_new_one(
    catalogue: Catalogue, built: Generation
) -> None:
    (first,) = stored(catalogue, built, ADULTS)
    other = replace(ADULTS, facets=Facets(status="COMPLETED"))
    (new,) = identified([other], RECIPE)
    assert new.id == first
    catalogue.commit(built, changes([new], removed=[first]))
    assert catalogue.chunks([first])[first].chunk == other
    assert catalogue.counts(TRIALS, 1) == Counts(1, 1)


def test_marks_name_every_stored_chunk_of_a_document_dead_ones_too(
    catalogue: Catalogue, built: Generation
) -> None:
    first, _ = stored(catalogue, built, ADULTS, replace(FULL, document=key("NCT99000002")))
    catalogue.activate(built, Counts(2, 2))
    later = catalogue.begin(TRIALS, "import", built.manifest)
    catalogue.commit(later, changes(expired=[first]))
    (digest,) = (found.digest for found in identified([ADULTS], RECIPE))
    place = (SectionKind.INCLUSION_CRITERION, 1, 0)
    assert catalogue.chunk_marks(TRIALS, ["ctgov/studies/NCT99000001", "ctgov/studies/x"]) == [
        ChunkMark(first, "ctgov/studies/NCT99000001", *place, digest, 1, 2)
    ]


def test_commit_is_all_or_nothing(catalogue: Catalogue, built: Generation) -> None:
    (first,) = stored(catalogue, built, ADULTS)
    with catalogue._writing() as connection:
        from proband.catalogue import outbox

        outbox.put(connection, built, ["ctgov/studies/NCT99000001"], Action.INDEX)
    twice = identified([FULL], RECIPE) * 2
    with pytest.raises(Exception, match="failed; run `proband doctor`"):
        catalogue.commit(
            built, changes(twice, removed=[first], documents=["ctgov/studies/NCT99000001"])
        )
    assert list(catalogue.lifetimes(TRIALS)) == [first]
    assert catalogue.waiting_count(built) == 1


def test_vectors_are_kept_by_text_and_model(catalogue: Catalogue) -> None:
    vector = np.array([0.6, -0.8, 0.0], np.float32)
    digest = text_digest("Age 18 or older")
    catalogue.keep_vectors({digest: vector}, "model a")
    assert catalogue.vectors([digest], "model b") == {}
    found = catalogue.vectors([digest, text_digest("other")], "model a")
    assert list(found) == [digest]
    assert found[digest].dtype == np.float32
    assert found[digest].tolist() == np.array([0.6, -0.8, 0.0], np.float16).tolist()


def test_thousands_of_ids_are_read_in_one_call(catalogue: Catalogue, built: Generation) -> None:
    ids = stored(catalogue, built, *(replace(ADULTS, ordinal=n) for n in range(1, 2_502)))
    assert len(set(ids)) == 2_501
    assert set(catalogue.chunk_texts(ids)) == set(ids)
    catalogue.commit(built, changes(removed=ids))
    assert catalogue.lifetimes(TRIALS) == {}


def key(name: str) -> DocumentKey:
    return DocumentKey("ctgov", "studies", (name,))
