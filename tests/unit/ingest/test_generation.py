from __future__ import annotations

from dataclasses import replace

import pytest

from bench import TRIALS, Bench, lines
from proband.catalogue.generations import Counts, GenerationState
from proband.errors import GenerationIncomplete
from proband.ingest.generation import finish, roll_back
from proband.ingest.reconcile import compare
from proband.model import ChunkId

ONE, TWO = "NCT99000001", "NCT99000002"


def test_finished_generation_is_visible_with_its_counts(bench: Bench) -> None:
    found = bench.imported([lines(ONE, "a", "b"), lines(TWO, "c")])
    assert found.state is GenerationState.ACTIVE
    assert found.counts == Counts(documents=2, chunks=3)
    assert bench.catalogue.active(TRIALS) == found


def test_first_import_of_nothing_is_a_visible_generation(bench: Bench) -> None:
    found = bench.imported([])
    assert (found.number, found.counts) == (1, Counts(0, 0))


def test_import_that_changed_nothing_leaves_the_visible_generation(bench: Bench) -> None:
    first = bench.imported([lines(ONE, "a")])
    assert bench.imported([lines(ONE, "a")]) == first
    assert bench.catalogue.building(TRIALS) is None


def test_same_studies_with_another_analyser_are_a_generation_of_their_own(bench: Bench) -> None:
    bench.imported([lines(ONE, "a")])
    manifest = replace(bench.manifest, analyser_version=2)
    built = bench.catalogue.begin(TRIALS, "test", manifest)
    found = finish(bench.catalogue, bench.index, built)
    assert (found.number, found.manifest.analyser_version) == (2, 2)


def test_waiting_documents_keep_a_generation_from_being_visible(bench: Bench) -> None:
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a"), lines(TWO, "b")])
    with pytest.raises(GenerationIncomplete, match="2 documents of generation 1 still wait"):
        bench.finish(built)
    assert bench.catalogue.active(TRIALS) is None


def test_differing_counts_keep_a_generation_from_being_visible(bench: Bench) -> None:
    first = bench.imported([lines(ONE, "a")])
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(TWO, "b", "c")])
    bench.index_all(built)
    lost = next(found for found, (born, _) in bench.index.ids().items() if born == 2)
    bench.index.remove([lost])
    with pytest.raises(
        GenerationIncomplete,
        match=r"Generation 2 has 3 chunks in the catalogue and 2 in the index, .*proband reconcile",
    ):
        bench.finish(built)
    assert bench.catalogue.active(TRIALS) == first
    assert bench.catalogue.building(TRIALS) == built


def test_generation_that_was_given_up_leaves_no_trace_in_the_index(bench: Bench) -> None:
    first = bench.imported([lines(ONE, "a"), lines(TWO, "b")])
    before = dict(bench.index.ids())
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a2"), lines("NCT99000003", "c")])
    bench.catalogue.remove_studies(built, [TWO])
    bench.index_all(built)
    assert bench.index.ids() != before
    roll_back(bench.catalogue, bench.index, built)
    assert bench.index.ids() == before
    assert bench.catalogue.lifetimes(TRIALS) == before
    assert bench.catalogue.active(TRIALS) == first


def test_giving_up_removes_what_a_killed_run_wrote_and_never_committed(bench: Bench) -> None:
    bench.imported([lines(ONE, "a")])
    before = dict(bench.index.ids())
    built = bench.begin()
    (known,) = bench.index.fetch(list(before)).values()
    bench.index.write([replace(known, id=ChunkId("0" * 36), born=built.number)])
    bench.index.expire([known.id], built.number)
    roll_back(bench.catalogue, bench.index, built)
    assert bench.index.ids() == before


def test_import_after_giving_up_reads_whole(bench: Bench) -> None:
    bench.imported([lines(ONE, "a")])
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a2")])
    bench.index_all(built)
    roll_back(bench.catalogue, bench.index, built)
    third = bench.imported([lines(ONE, "a3")])
    assert third.number == 3
    assert bench.index_texts(3) == bench.catalogue_texts(3) == {ONE: ["a3"]}
    assert bench.index_texts(1) == {ONE: ["a"]}
    assert compare(bench.catalogue, bench.index, TRIALS).agrees
