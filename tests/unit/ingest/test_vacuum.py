from __future__ import annotations

import pytest

from bench import TRIALS, Bench, lines
from proband.catalogue.vacuum import Vacuumed
from proband.errors import CatalogueError
from proband.ingest.reconcile import compare
from proband.ingest.vacuum import vacuum

ONE, TWO = "NCT99000001", "NCT99000002"


def import_three(bench: Bench) -> None:
    bench.imported([lines(ONE, "one"), lines(TWO, "same")])
    bench.imported([lines(ONE, "two"), lines(TWO, "same")])
    bench.imported([lines(ONE, "three"), lines(TWO, "same")])


def test_kept_generations_read_as_before_and_the_rest_is_gone(bench: Bench) -> None:
    import_three(bench)
    assert vacuum(bench.catalogue, bench.index, TRIALS, 2) == Vacuumed(1, 1, 1)
    assert [found.number for found in bench.catalogue.readable(TRIALS)] == [3, 2]
    for number, text in ((2, "two"), (3, "three")):
        expected = {ONE: [text], TWO: ["same"]}
        assert bench.index_texts(number) == bench.catalogue_texts(number) == expected
    assert len(bench.index.ids()) == 3
    assert compare(bench.catalogue, bench.index, TRIALS).agrees


def test_second_vacuum_finds_nothing(bench: Bench) -> None:
    import_three(bench)
    vacuum(bench.catalogue, bench.index, TRIALS, 1)
    assert vacuum(bench.catalogue, bench.index, TRIALS, 1) == Vacuumed(0, 0, 0)


def test_unfinished_generation_survives_a_vacuum(bench: Bench) -> None:
    import_three(bench)
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "four")])
    bench.index_all(built)
    vacuum(bench.catalogue, bench.index, TRIALS, 1)
    bench.finish(built)
    assert bench.index_texts(4) == {ONE: ["four"], TWO: ["same"]}
    assert bench.index_texts(3) == {ONE: ["three"], TWO: ["same"]}


def test_killed_vacuum_is_finished_by_the_next(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_three(bench)

    def fail(*_: object) -> None:
        raise CatalogueError("power cut")

    with monkeypatch.context() as patched:
        patched.setattr(bench.catalogue, "remove_invisible", fail)
        with pytest.raises(CatalogueError):
            vacuum(bench.catalogue, bench.index, TRIALS, 2)
    assert [found.number for found in bench.catalogue.readable(TRIALS)] == [3, 2]
    assert compare(bench.catalogue, bench.index, TRIALS).agrees
    assert vacuum(bench.catalogue, bench.index, TRIALS, 2) == Vacuumed(1, 1, 1)


def test_chunk_that_comes_back_after_a_vacuum_reads_in_its_generation_only(bench: Bench) -> None:
    bench.imported([lines(ONE, "a"), lines(TWO, "b")])
    bench.imported([], removed=[ONE])
    vacuum(bench.catalogue, bench.index, TRIALS, 1)
    bench.imported([lines(ONE, "a")])
    assert bench.index_texts(2) == {TWO: ["b"]}
    assert bench.index_texts(3) == bench.catalogue_texts(3) == {ONE: ["a"], TWO: ["b"]}
