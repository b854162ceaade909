from __future__ import annotations

from dataclasses import replace

import numpy as np

from bench import ANALYSIS, Bench
from factories import chunk
from proband.catalogue.chunk_rows import text_digest
from proband.catalogue.embeddings import rounded
from proband.ingest.points import point, vectors_of
from proband.model import ChunkId, Facets, Point, SparseVector


def test_point_is_analysed_from_what_is_embedded_and_what_is_said() -> None:
    found = chunk(
        "No IMAGINOL",
        embed_text="Within 4 weeks: No IMAGINOL",
        facets=Facets(sex="ALL"),
        exact=("=nct99000001", "IMAGINOL"),
    )
    vector = np.array([1, 0], np.float32)
    made = point(ChunkId("id"), found, vector, ANALYSIS, 3, 5)
    assert made == Point(
        id=ChunkId("id"),
        document="ctgov/studies/NCT99000001",
        kind=found.kind,
        ordinal=1,
        dense=vector,
        sparse=SparseVector((5,), (1.0,)),
        exact=("=nct99000001", "IMAGINOL"),
        facets=Facets(sex="ALL"),
        born=3,
        died=5,
    )


def test_point_of_a_title_holds_the_terms_of_its_whole_document_too() -> None:
    title = chunk("Asthma", document_text="Asthma in many more words")
    analysis = replace(ANALYSIS, document=lambda text: SparseVector((len(text.split()),), (7.0,)))
    made = point(ChunkId("id"), title, np.array([1, 0], np.float32), analysis, 1)
    assert made.sparse == SparseVector((1,), (1.0,))
    assert made.document_terms == SparseVector((5,), (7.0,))


def test_vectors_are_taken_where_they_are_known_and_embedded_where_not(bench: Bench) -> None:
    texts = {text_digest(text): text for text in ("recent", "stored", "new")}
    recent, stored, new = texts
    vector = np.full(16, 0.25, np.float32)
    bench.catalogue.keep_vectors({stored: vector}, bench.embedder.digest)
    found = vectors_of(texts, bench.indexer, {recent: -vector, text_digest("other"): vector})
    assert bench.embedder.embedded == 1
    assert list(found.fresh) == [new]
    assert found.every.keys() == texts.keys()
    assert found.every[recent].tolist() == (-vector).tolist()
    assert found.every[stored].tolist() == vector.tolist()
    expected = rounded(bench.embedder.embed_query("new"))
    assert found.every[new].tolist() == expected.tolist()


def test_vectors_of_another_model_are_not_reused(bench: Bench) -> None:
    digest = text_digest("text")
    bench.catalogue.keep_vectors({digest: np.ones(16, np.float32)}, "another model")
    found = vectors_of({digest: "text"}, bench.indexer, {})
    assert list(found.fresh) == [digest]


def test_nothing_is_embedded_for_no_texts(bench: Bench) -> None:
    found = vectors_of({}, bench.indexer, {})
    assert (found.every, found.fresh, bench.embedder.embedded) == ({}, {}, 0)
