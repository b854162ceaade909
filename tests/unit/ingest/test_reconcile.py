from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bench import TRIALS, Bench, lines
from proband.ingest import reconcile
from proband.ingest.reconcile import Reconciliation, compare, examine, repair, says_the_same
from proband.ingest.vacuum import vacuum
from proband.model import ChunkId, Facets, Point, SectionKind, SparseVector

ONE, TWO = "NCT99000001", "NCT99000002"


@pytest.fixture
def two_generations(bench: Bench) -> Bench:
    """One chunk that lives at 1 only, one at both, one from 2 on."""
    bench.imported([lines(ONE, "gone"), lines(TWO, "stays")])
    bench.imported([lines(ONE, "came", status="COMPLETED"), lines(TWO, "stays")])
    return bench


def ids_by_text(bench: Bench) -> dict[str, ChunkId]:
    texts = bench.catalogue.chunk_texts(bench.catalogue.lifetimes(TRIALS))
    return {found.text: chunk_id for chunk_id, found in texts.items()}


def everything(bench: Bench) -> dict[ChunkId, tuple[object, ...]]:
    points = bench.index.fetch(list(bench.index.ids()))
    return {chunk_id: said(point) for chunk_id, point in points.items()}


def said(point: Point) -> tuple[object, ...]:
    return (
        point.document,
        point.kind,
        point.ordinal,
        point.dense.tolist(),
        point.sparse,
        point.exact,
        point.facets,
        point.born,
        point.died,
    )


def test_index_in_step_agrees(two_generations: Bench) -> None:
    report = compare(two_generations.catalogue, two_generations.index, TRIALS)
    assert report == Reconciliation()
    assert report.agrees


def test_every_kind_of_difference_is_found_and_repaired_exactly(two_generations: Bench) -> None:
    bench = two_generations
    before = everything(bench)
    ids = ids_by_text(bench)
    stays = bench.index.fetch([ids["stays"]])[ids["stays"]]
    orphan = ChunkId("0" * 36)
    bench.index.remove([ids["gone"]])
    bench.index.write([replace(stays, id=orphan)])
    bench.index.expire([ids["stays"]], 2)
    bench.index.write([replace(bench.index.fetch([ids["came"]])[ids["came"]], born=1)])
    report = compare(bench.catalogue, bench.index, TRIALS)
    assert report == Reconciliation(
        missing=(ids["gone"],),
        orphaned=(orphan,),
        misdated=tuple(sorted([ids["stays"], ids["came"]])),
    )
    assert not report.agrees
    repair(bench.indexer, report)
    assert everything(bench) == before


def test_whole_index_is_rebuilt_without_embedding(two_generations: Bench) -> None:
    bench = two_generations
    before = everything(bench)
    bench.index.remove(list(before))
    bench.embedder.embedded = 0
    repair(bench.indexer, compare(bench.catalogue, bench.index, TRIALS))
    assert everything(bench) == before
    assert bench.embedder.embedded == 0


def test_vectors_that_the_catalogue_lacks_are_made_again_and_kept(two_generations: Bench) -> None:
    bench = two_generations
    before = everything(bench)
    with bench.catalogue._writing() as connection:
        connection.exec_driver_sql("DELETE FROM embedding")
    bench.index.remove(list(before))
    repair(bench.indexer, compare(bench.catalogue, bench.index, TRIALS))
    assert everything(bench) == before
    bench.embedder.embedded = 0
    bench.index.remove(list(before))
    repair(bench.indexer, compare(bench.catalogue, bench.index, TRIALS))
    assert bench.embedder.embedded == 0


def test_repair_goes_in_steps_and_misses_none(
    two_generations: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = two_generations
    before = everything(bench)
    bench.index.remove(list(before))
    monkeypatch.setattr(reconcile, "TOGETHER", 2)
    repair(bench.indexer, compare(bench.catalogue, bench.index, TRIALS))
    assert everything(bench) == before


def test_what_no_generation_can_see_is_not_missed(two_generations: Bench) -> None:
    bench = two_generations
    gone = ids_by_text(bench)["gone"]
    bench.catalogue.retire_beyond(TRIALS, 1)
    assert compare(bench.catalogue, bench.index, TRIALS).agrees
    bench.index.remove([gone])
    assert compare(bench.catalogue, bench.index, TRIALS).agrees
    vacuum(bench.catalogue, bench.index, TRIALS, 1)
    assert compare(bench.catalogue, bench.index, TRIALS).agrees


def test_generation_being_built_is_compared_too(bench: Bench) -> None:
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a")])
    bench.index_all(built)
    (lost,) = bench.index.ids()
    bench.index.remove([lost])
    assert compare(bench.catalogue, bench.index, TRIALS) == Reconciliation(missing=(lost,))


WRONG: tuple[dict[str, Any], ...] = (
    {"document": "ctgov/studies/NCT99000009"},
    {"kind": SectionKind.TITLE},
    {"ordinal": 7},
    {"exact": ("NCT99000009",)},
    {"facets": Facets(status="WITHDRAWN")},
    {"sparse": SparseVector((9,), (1.0,))},
    {"sparse": SparseVector((1,), (1.5,))},
    {"document_terms": SparseVector((1,), (1.0,))},
    {"dense": np.eye(16, dtype=np.float32)[15]},
)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: next(iter(wrong)))
def test_point_that_does_not_say_what_its_chunk_says_is_found_and_repaired(
    two_generations: Bench, wrong: dict[str, Any]
) -> None:
    bench = two_generations
    before = everything(bench)
    stays = ids_by_text(bench)["stays"]
    bench.index.write([replace(bench.index.fetch([stays])[stays], **wrong)])
    assert compare(bench.catalogue, bench.index, TRIALS).agrees
    report = examine(bench.indexer, TRIALS)
    assert report == Reconciliation(altered=(stays,))
    assert not report.agrees
    repair(bench.indexer, report)
    assert everything(bench) == before
    assert examine(bench.indexer, TRIALS).agrees


def test_examining_finds_the_other_differences_too_and_writes_nothing(
    two_generations: Bench,
) -> None:
    bench = two_generations
    came = ids_by_text(bench)["came"]
    bench.index.remove([came])
    bench.embedder.embedded = 0
    before = everything(bench)
    assert examine(bench.indexer, TRIALS) == Reconciliation(missing=(came,))
    assert everything(bench) == before
    assert bench.embedder.embedded == 0


def test_point_that_went_through_float32_says_the_same(two_generations: Bench) -> None:
    (point, *_) = two_generations.index.fetch(list(two_generations.index.ids())).values()
    third = replace(point, sparse=SparseVector((1,), (1 / 3,)), dense=point.dense * 3, born=9)
    stored = replace(point, sparse=SparseVector((1,), (float(np.float32(1 / 3)),)))
    assert says_the_same(third, stored)
