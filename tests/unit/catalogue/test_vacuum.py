from __future__ import annotations

from dataclasses import replace

import numpy as np

from factories import RECIPE, chunk, study
from proband.catalogue.catalogue import Catalogue, Changes
from proband.catalogue.chunk_rows import text_digest
from proband.catalogue.generations import Counts, Generation
from proband.catalogue.vacuum import Vacuumed
from proband.ingest.identity import identified
from proband.model import ChunkId, Corpus, Facets

TRIALS = Corpus.TRIALS
WITH_CONDITION = {"conditionsModule": {"conditions": ["Zebra Pox"]}}


def three_generations(catalogue: Catalogue, first: Generation) -> tuple[ChunkId, ChunkId]:
    """A study and a chunk that live at 1 only, and others from 2 on; the ids of both chunks."""
    (old,) = identified([chunk("Old", facets=Facets(status="OLD"))], RECIPE)
    (new,) = identified([chunk("New")], RECIPE)
    vectors = {text_digest(text): np.ones(2, np.float32) for text in ("Old", "New")}
    catalogue.store_studies(first, [study("NCT99000001", **WITH_CONDITION)])
    catalogue.commit(first, Changes((), (old,), (), (), vectors, "model"))
    catalogue.activate(first, Counts(1, 1))
    second = catalogue.begin(TRIALS, "import", first.manifest)
    catalogue.remove_studies(second, ["NCT99000001"])
    catalogue.store_studies(second, [study("NCT99000002")])
    catalogue.commit(second, Changes((), (new,), (old.id,), (), {}, "model"))
    catalogue.activate(second, Counts(1, 1))
    catalogue.begin(TRIALS, "import", first.manifest)
    return old.id, new.id


def rows(catalogue: Catalogue, table: str) -> int:
    with catalogue._reading() as connection:
        return int(connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())


def test_what_only_an_unreadable_generation_saw_is_removed_with_all_that_hangs_on_it(
    catalogue: Catalogue, built: Generation
) -> None:
    old, new = three_generations(catalogue, built)
    assert catalogue.invisible_chunks(TRIALS, [2, 3]) == (old,)
    assert catalogue.remove_invisible(TRIALS, [2, 3]) == Vacuumed(1, 1, 1)
    assert list(catalogue.lifetimes(TRIALS)) == [new]
    assert [mark.nct_id for mark in catalogue.study_marks(2)] == ["NCT99000002"]
    tables = ("condition", "study_condition", "facets", "embedding")
    assert [rows(catalogue, table) for table in tables] == [0, 0, 1, 1]


def test_nothing_goes_while_a_readable_generation_sees_it(
    catalogue: Catalogue, built: Generation
) -> None:
    three_generations(catalogue, built)
    assert catalogue.invisible_chunks(TRIALS, [1, 2, 3]) == ()
    assert catalogue.remove_invisible(TRIALS, [1, 2, 3]) == Vacuumed(0, 0, 0)
    assert rows(catalogue, "condition") == 1


def test_the_generation_being_built_keeps_what_it_will_show(
    catalogue: Catalogue, built: Generation
) -> None:
    (new,) = identified([chunk("New")], RECIPE)
    catalogue.store_studies(built, [study()])
    catalogue.commit(built, Changes((), (new,), (), (), {}, "model"))
    assert catalogue.remove_invisible(TRIALS, [built.number]) == Vacuumed(0, 0, 0)
    assert catalogue.remove_invisible(TRIALS, []) == Vacuumed(1, 1, 0)


def test_other_corpora_are_not_touched(catalogue: Catalogue, built: Generation) -> None:
    records = catalogue.begin(Corpus.RECORDS, "import", built.manifest)
    (new,) = identified([chunk("New")], RECIPE)
    (row,) = identified([replace(chunk("New"), ordinal=2)], RECIPE)
    catalogue.commit(built, Changes((), (new,), (), (), {}, "model"))
    catalogue.commit(records, Changes((), (row,), (), (), {}, "model"))
    catalogue.remove_invisible(TRIALS, [])
    assert list(catalogue.lifetimes(Corpus.RECORDS)) == [row.id]
