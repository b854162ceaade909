from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from bench import TRIALS, Bench, lines, to_document
from proband.catalogue.catalogue import Changes
from proband.catalogue.generations import Generation
from proband.errors import CatalogueError
from proband.ingest.pipeline import DocumentLoader, Indexed, index_outbox
from proband.ingest.reconcile import compare
from proband.model import FOREVER, AnyOf, ChunkId, Document, Field, Filter, Point, View
from proband.trials.registry import parse_study

ONE, TWO, THREE = "NCT99000001", "NCT99000002", "NCT99000003"


class Recorder:
    """A Progress that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, int | None]] = []

    def advance(self, stage: str, done: int, total: int | None) -> None:
        self.told.append((stage, done, total))


def test_import_makes_chunks_and_points_of_every_document(bench: Bench) -> None:
    bench.imported([lines(ONE, "age over 18", "no surgery"), lines(TWO, "asthma")])
    expected = {ONE: ["age over 18", "no surgery"], TWO: ["asthma"]}
    assert bench.catalogue_texts(1) == expected
    assert bench.index_texts(1) == expected


def test_result_counts_documents_chunks_and_embedded_texts(bench: Bench) -> None:
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a", "b"), lines(TWO, "b"), lines(THREE, "c")])
    assert bench.index_all(built) == Indexed(documents=3, new=4, expired=0, embedded=3)


def test_unchanged_import_embeds_nothing_and_makes_no_generation(bench: Bench) -> None:
    first = bench.imported([lines(ONE, "a", "b")])
    before = dict(bench.index.ids())
    bench.embedder.embedded = 0
    assert bench.imported([lines(ONE, "a", "b")]) == first
    assert bench.embedder.embedded == 0
    assert bench.index.ids() == before


def test_changed_exact_terms_make_new_points_and_embed_nothing(bench: Bench) -> None:
    def known_as(name: str) -> DocumentLoader:
        def load(_: Sequence[str]) -> Iterator[Document]:
            yield replace(to_document(lines(ONE, "a", "b")), exact=(name,))

        return load

    for status, name in (("RECRUITING", "=old"), ("RECRUITING ", "=new")):
        built = bench.begin()
        bench.catalogue.store_studies(built, [lines(ONE, "a", "b", status=status)])
        bench.embedder.embedded = 0
        done = bench.index_all(built, known_as(name))
        bench.finish(built)
    assert (done.new, done.expired, bench.embedder.embedded) == (2, 2, 0)
    ranked = bench.index.exact(["=new"], View(built.number, Filter()), 5)
    assert [hit.document for hit in ranked.hits] == [f"ctgov/studies/{ONE}"] * 2
    assert not bench.index.exact(["=old"], View(built.number, Filter()), 5).hits
    assert compare(bench.catalogue, bench.index, TRIALS).agrees


def test_changed_line_touches_only_its_own_chunk(bench: Bench) -> None:
    bench.imported([lines(ONE, "a", "b", "c"), lines(TWO, "d")])
    before = dict(bench.index.ids())
    bench.embedder.embedded = 0
    bench.imported([lines(ONE, "a", "B changed", "c"), lines(TWO, "d")])
    after = bench.index.ids()
    assert bench.embedder.embedded == 1
    changed = {chunk_id: life for chunk_id, life in after.items() if before.get(chunk_id) != life}
    assert sorted(changed.values()) == [(1, 2), (2, FOREVER)]
    assert bench.index_texts(1) == {ONE: ["a", "b", "c"], TWO: ["d"]}
    assert bench.index_texts(2) == {ONE: ["a", "B changed", "c"], TWO: ["d"]}


def test_change_of_status_reuses_vectors_and_keeps_the_older_reading(bench: Bench) -> None:
    bench.imported([lines(ONE, "a", "b")])
    bench.embedder.embedded = 0
    bench.imported([lines(ONE, "a", "b", status="COMPLETED")])
    recruiting = Filter((AnyOf(Field.STATUS, ("RECRUITING",)),))
    completed = Filter((AnyOf(Field.STATUS, ("COMPLETED",)),))
    assert bench.embedder.embedded == 0
    assert [bench.index.count(View(g, recruiting)) for g in (1, 2)] == [2, 0]
    assert [bench.index.count(View(g, completed)) for g in (1, 2)] == [0, 2]


def test_removed_study_is_read_by_older_generations_only(bench: Bench) -> None:
    bench.imported([lines(ONE, "a"), lines(TWO, "b")])
    bench.imported([], removed=[ONE])
    assert bench.index_texts(1) == {ONE: ["a"], TWO: ["b"]}
    assert bench.index_texts(2) == {TWO: ["b"]}
    assert bench.catalogue_texts(2) == {TWO: ["b"]}


def test_study_that_comes_back_is_read_in_its_own_generations(bench: Bench) -> None:
    bench.imported([lines(ONE, "a"), lines(TWO, "b")])
    bench.imported([], removed=[ONE])
    bench.imported([lines(ONE, "a")])
    assert [list(bench.index_texts(number)) for number in (2, 3)] == [[TWO], [TWO, ONE]]
    assert len(bench.index.ids()) == 3


def test_text_longer_than_the_window_is_indexed_in_parts(bench: Bench) -> None:
    long = " ".join(f"word{number}" for number in range(30))
    bench.imported([lines(ONE, long)])
    parts = bench.index_texts(1)[ONE]
    assert len(parts) > 1
    assert {word for part in parts for word in part.split()} == set(long.split())


def test_document_that_cannot_be_loaded_is_named_and_has_no_chunks(bench: Bench) -> None:
    bench.imported([lines(ONE, "a"), lines(TWO, "b")])
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a2"), lines(TWO, "b2")])

    def load(keys: Sequence[str]) -> Iterator[Document]:
        yield from (doc for doc in bench.loader(built)(keys) if doc.key.parts[0] != ONE)

    found = bench.index_all(built, load)
    assert found.skipped == (f"ctgov/studies/{ONE}",)
    bench.finish(built)
    assert bench.index_texts(2) == {TWO: ["b2"]}


def test_progress_tells_how_many_documents_of_how_many(bench: Bench) -> None:
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a"), lines(TWO, "b"), lines(THREE, "c")])
    recorder = Recorder()
    index_outbox(bench.indexer, built, bench.loader(built), recorder)
    assert recorder.told == [("index", 2, 3), ("index", 3, 3)]


def test_text_shared_by_two_batches_is_embedded_once(bench: Bench) -> None:
    built = bench.begin()
    studies = [lines(f"NCT9900000{number}", "pregnant") for number in range(1, 8)]
    bench.catalogue.store_studies(built, studies)
    bench.index_all(built)
    assert bench.embedder.embedded == 1
    assert bench.finish(built).counts is not None


def test_rebuild_with_another_analyser_makes_every_chunk_new_and_keeps_the_older_reading(
    bench: Bench,
) -> None:
    bench.imported([lines(ONE, "a", "b"), lines(TWO, "c")])
    built = bench.catalogue.begin(TRIALS, "rebuild", replace(bench.manifest, analyser_version=2))
    bench.catalogue.enqueue_studies(built)
    bench.embedder.embedded = 0
    assert bench.index_all(built) == Indexed(documents=2, new=3, expired=3, embedded=0)
    bench.finish(built)
    lives = sorted(bench.index.ids().values())
    assert lives == [(1, 2)] * 3 + [(2, FOREVER)] * 3
    assert bench.index_texts(1) == bench.index_texts(2) == {ONE: ["a", "b"], TWO: ["c"]}


def test_rebuild_with_another_chunker_makes_only_other_chunks_new(bench: Bench) -> None:
    bench.imported([lines(ONE, "a", "b"), lines(TWO, "c")])
    built = bench.catalogue.begin(TRIALS, "rebuild", replace(bench.manifest, chunker_version=2))
    bench.catalogue.enqueue_studies(built)
    assert bench.index_all(built) == Indexed(documents=2)
    assert bench.finish(built).number == 2


def interrupted(bench: Bench, built: Generation, after: int) -> None:
    """Drains until `after` documents were loaded, then Ctrl-C."""
    seen = 0

    def load(keys: Sequence[str]) -> Iterator[Document]:
        nonlocal seen
        for raw in bench.catalogue.raw_studies(
            [key.rsplit("/", 1)[1] for key in keys], built.number
        ).values():
            seen += 1
            if seen > after:
                raise KeyboardInterrupt
            yield to_document(parse_study(raw))

    with pytest.raises(KeyboardInterrupt):
        bench.index_all(built, load)


@pytest.mark.parametrize("after", range(7))
def test_interrupted_import_goes_on_where_it_stopped(bench: Bench, after: int) -> None:
    first = bench.imported([lines(ONE, "a"), lines("NCT99000008", "z")])
    built = bench.begin()
    studies = [lines(f"NCT9900000{number}", "x", str(number)) for number in range(1, 8)]
    bench.catalogue.store_studies(built, studies)
    interrupted(bench, built, after)
    assert bench.catalogue.active(TRIALS) == first
    assert bench.index_texts(first.number) == {ONE: ["a"], "NCT99000008": ["z"]}
    resumed = bench.begin()
    bench.index_all(resumed)
    bench.finish(resumed)
    expected = {found.nct_id: ["x", found.nct_id[-1]] for found in studies}
    assert bench.index_texts(2) == bench.catalogue_texts(2) == {**expected, "NCT99000008": ["z"]}
    assert compare(bench.catalogue, bench.index, TRIALS).agrees


def test_batch_whose_commit_failed_is_repeated_from_the_same_entries(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.imported([lines(ONE, "a", "b")])
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a", "b2"), lines(TWO, "c")])

    def fail(_built: Generation, _changes: Changes) -> None:
        raise CatalogueError("power cut")

    with monkeypatch.context() as patched:
        patched.setattr(bench.catalogue, "commit", fail)
        with pytest.raises(CatalogueError, match="power cut"):
            bench.index_all(built)
    assert bench.catalogue.waiting_count(built) == 2
    assert bench.index.count(View(1, Filter())) == 2
    resumed = bench.begin()
    bench.index_all(resumed)
    bench.finish(resumed)
    assert bench.index_texts(2) == {ONE: ["a", "b2"], TWO: ["c"]}
    assert compare(bench.catalogue, bench.index, TRIALS).agrees


def test_change_of_mind_after_a_kill_leaves_no_point_of_the_first_mind(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The study is written to the index, the commit is lost, and the next run fetches the study as it was before."""
    bench.imported([lines(ONE, "a", "b")])
    before = {chunk_id: point.facets for chunk_id, point in points(bench).items()}
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a", "b2", status="COMPLETED")])
    with monkeypatch.context() as patched:
        patched.setattr(bench.catalogue, "commit", raise_power_cut)
        with pytest.raises(CatalogueError):
            bench.index_all(built)
    resumed = bench.begin()
    bench.catalogue.store_studies(resumed, [lines(ONE, "a", "b")])
    bench.index_all(resumed)
    bench.finish(resumed)
    assert bench.index_texts(1) == bench.index_texts(2) == {ONE: ["a", "b"]}
    after = {chunk_id: point.facets for chunk_id, point in points(bench).items()}
    assert after == before


def raise_power_cut(_built: Generation, _changes: Changes) -> None:
    raise CatalogueError("power cut")


def points(bench: Bench) -> dict[ChunkId, Point]:
    return bench.index.fetch(list(bench.index.ids()))


def test_facets_of_a_lost_batch_do_not_stay_on_points_born_in_the_generation(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Committed, then changed and lost, then as committed: the point must say again what the catalogue says."""
    built = bench.begin()
    bench.catalogue.store_studies(built, [lines(ONE, "a", status="RECRUITING")])
    bench.index_all(built)
    bench.catalogue.store_studies(built, [lines(ONE, "a", status="COMPLETED")])
    with monkeypatch.context() as patched:
        patched.setattr(bench.catalogue, "commit", raise_power_cut)
        with pytest.raises(CatalogueError):
            bench.index_all(built)
    assert [point.facets.status for point in points(bench).values()] == ["COMPLETED"]
    resumed = bench.begin()
    bench.catalogue.store_studies(resumed, [lines(ONE, "a", status="RECRUITING")])
    bench.index_all(resumed)
    bench.finish(resumed)
    assert [point.facets.status for point in points(bench).values()] == ["RECRUITING"]
