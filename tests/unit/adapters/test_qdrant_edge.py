"""The life of an Edge index: making, opening, holding, killing, filling up. What it answers is in tests/contract."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import qdrant_edge as edge

from factories import chunk_id, point, vector
from indexes import MANIFEST, edge_index, quick_folder
from proband.adapters._edge import own_errors, translated
from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.errors import (
    BadModelOutput,
    CollectionMissing,
    HomeError,
    IndexHeld,
    ManifestMismatch,
    StoreError,
)
from proband.model import (
    FOREVER,
    AnyOf,
    AtMost,
    ChunkId,
    Facets,
    Field,
    Filter,
    Point,
    SparseVector,
    View,
)
from proband.settings import IndexSettings

ALL = View(1, Filter())
RULES = IndexSettings()
TESTS = Path(__file__).parents[2]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where an index was made."""
    with quick_folder() as parent:
        QdrantEdgeIndex.create(parent / "index", MANIFEST)
        yield parent / "index"


def opened(folder: Path, rules: IndexSettings = RULES) -> QdrantEdgeIndex:
    return QdrantEdgeIndex.open(folder, rules, "proband test")


# --- making ----------------------------------------------------------------------------------------------------------


def test_an_index_is_made_once(folder: Path) -> None:
    assert QdrantEdgeIndex.exists(folder)
    with pytest.raises(StoreError, match="already"):
        QdrantEdgeIndex.create(folder, MANIFEST)


def test_what_a_killed_making_left_is_made_anew(folder: Path) -> None:
    left = folder.with_name("index.coming")
    shutil.move(folder, left)
    (left / "manifest.json").unlink()
    assert not QdrantEdgeIndex.exists(folder)
    QdrantEdgeIndex.create(folder, MANIFEST)
    assert not left.exists()
    index = opened(folder)
    assert (index.count(ALL), index.manifest()) == (0, MANIFEST)
    index.close()


def test_a_place_that_cannot_be_written_is_an_error_of_the_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeError, match="cannot be written"):
        QdrantEdgeIndex.create(tmp_path / "file" / "index", MANIFEST)


def test_no_write_makes_an_index(tmp_path: Path) -> None:
    with pytest.raises(CollectionMissing, match="`proband init` makes it"):
        opened(tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


# --- opening ---------------------------------------------------------------------------------------------------------


def test_what_was_written_is_there_after_reopening(folder: Path) -> None:
    index = opened(folder)
    index.write([point(1, exact=("e11.9",)), point(2, died=9)])
    index.expire([chunk_id(1)], 5)
    index.close()
    again = opened(folder)
    assert again.ids() == {chunk_id(1): (1, 5), chunk_id(2): (1, 9)}
    assert [hit.chunk_id for hit in again.exact(["e11.9"], ALL, 5).hits] == [chunk_id(1)]
    again.close()


def test_an_index_without_its_shard_is_missing_and_not_held_afterwards(folder: Path) -> None:
    shutil.rmtree(folder / "shard")
    for _ in range(2):
        with pytest.raises(CollectionMissing, match="shard"):
            opened(folder)


def test_a_damaged_shard_is_one_sentence_and_not_held_afterwards(folder: Path) -> None:
    (folder / "shard" / "edge_config.json").write_text("{")
    for _ in range(2):
        with pytest.raises(StoreError, match="failed") as damaged:
            opened(folder)
        assert "\n" not in str(damaged.value)


def test_a_damaged_manifest_is_reported_before_anything_is_opened(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")
    with pytest.raises(ManifestMismatch):
        opened(folder)
    assert not (folder / "holder.json").exists()


def test_a_second_opening_is_told_who_holds_the_index(folder: Path) -> None:
    index = opened(folder)
    with pytest.raises(IndexHeld, match=f"`proband test`, process {os.getpid()}, since"):
        opened(folder)
    index.close()
    opened(folder).close()


def test_a_shard_that_something_else_opened_is_held_too(folder: Path) -> None:
    foreign = edge.EdgeShard.load(str(folder / "shard"))
    with pytest.raises(IndexHeld, match="another process"):
        opened(folder)
    foreign.close()
    opened(folder).close()


def test_after_closing_nothing_can_be_asked(folder: Path) -> None:
    index = opened(folder)
    index.close()
    with pytest.raises(StoreError):
        index.count(ALL)
    index.close()


# --- durability ------------------------------------------------------------------------------------------------------


class Written(NamedTuple):
    """What a killed writer said it had flushed."""

    points: int
    expired: int


def killed_writer(folder: Path, how: str, after: int) -> Written:
    """Runs `edge_writer.py` in a process that kills itself, or is killed once it has flushed so often."""
    command = [sys.executable, str(TESTS / "edge_writer.py"), str(folder), how, str(after)]
    said = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(Written(*map(int, line.split())))
            if how == "from outside" and len(said) == after:
                process.kill()
    assert process.returncode == -signal.SIGKILL
    return said[-1]


@pytest.mark.parametrize("how", ["after flush", "after optimize"])
def test_a_kill_right_after_a_flush_loses_nothing(folder: Path, how: str) -> None:
    written = killed_writer(folder, how, 2)
    index = opened(folder)
    ids = index.ids()
    assert sorted(ids) == [chunk_id(n) for n in range(written.points)]
    assert {found for found, (_, died) in ids.items() if died == 2} == {
        chunk_id(n) for n in range(written.expired)
    }
    assert index.count(View(2, Filter())) == written.points - written.expired
    index.close()


def test_a_kill_at_any_moment_loses_nothing_flushed_and_leaves_no_half_points(
    folder: Path,
) -> None:
    for after in random.Random(5).sample(range(1, 9), 3):
        shutil.rmtree(folder)
        QdrantEdgeIndex.create(folder, MANIFEST)
        written = killed_writer(folder, "from outside", after)
        index = opened(folder)
        ids = index.ids()
        assert set(ids) >= {chunk_id(n) for n in range(written.points)}
        points = index.fetch(list(ids))
        assert points.keys() == ids.keys()
        assert [
            index.count(View(1, Filter((AnyOf(Field.DOCUMENT, (str(n),)),)))) for n in range(3)
        ] == [sum(one.document == str(n) for one in points.values()) for n in range(3)]
        index.close()


# --- room ------------------------------------------------------------------------------------------------------------


def test_a_disk_that_is_almost_full_is_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edge's files are mapped, and a full disk would end the process with a bus error."""
    index = opened(folder)
    index.write([point(1)])
    attempts: tuple[Callable[[], None], ...] = (
        lambda: index.write([point(2)]),
        lambda: index.expire([chunk_id(1)], 2),
        lambda: index.remove([chunk_id(1)]),
        index.optimize,
    )
    with monkeypatch.context() as full:
        only_mb(full, 400)
        for attempt in attempts:
            with pytest.raises(HomeError, match="Only 400 MB are left"):
                attempt()
        assert index.count(ALL) == 1
    index.close()
    with monkeypatch.context() as full:
        only_mb(full, 50)
        with pytest.raises(HomeError, match="Only 50 MB are left"):
            opened(folder)
    again = opened(folder)
    assert again.ids() == {chunk_id(1): (1, FOREVER)}
    again.close()


def only_mb(patch: pytest.MonkeyPatch, megabytes: int) -> None:
    """Lets every disk have so much left."""
    usage = shutil.disk_usage("/")._replace(free=megabytes * 1_000_000)
    patch.setattr(shutil, "disk_usage", lambda _: usage)


OPENS_AS_ANYBODY = """
import os, sys
from pathlib import Path
from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.errors import HomeError
from proband.settings import IndexSettings
if os.geteuid() == 0:
    os.setuid(65534)
try:
    QdrantEdgeIndex.open(Path(sys.argv[1]), IndexSettings(), "proband search")
except HomeError as error:
    print(error)
"""


def test_a_read_only_folder_is_one_sentence(folder: Path) -> None:
    """Opened by another user when the tests run as root, whom permissions do not stop."""
    folder.parent.chmod(0o755)
    folder.chmod(0o555)
    said = subprocess.run(
        [sys.executable, "-c", OPENS_AS_ANYBODY, str(folder)], capture_output=True, text=True
    )
    folder.chmod(0o755)
    assert (said.stdout.strip(), said.stderr) == (
        f"{folder / 'holder.json'} cannot be written (Permission denied); "
        "make its folder writable.",
        "",
    )


# --- segments --------------------------------------------------------------------------------------------------------


def scattered(count: int) -> list[Point]:
    rng = np.random.default_rng(11)
    return [
        point(
            n,
            dense=rng.normal(size=512).astype(np.float32),
            facets=Facets(min_age_days=n % 100),
            sparse=SparseVector((n % 50,), (1.0,)),
        )
        for n in range(count)
    ]


def test_a_segment_is_built_whenever_enough_points_wait() -> None:
    rules = IndexSettings(segment_points=500, open_points=100, write_batch=100)
    with edge_index(rules) as index:
        index.write(scattered(1250))
        info = index._shard.info()
        assert (info.segments_count, info.points_count) == (3, 1250)
        assert info.indexed_vectors_count >= 1000


def test_approximate_search_keeps_to_the_filter_and_finds_nearly_everything() -> None:
    rules = IndexSettings(segment_points=2000, open_points=100, exact_below=0)
    points = scattered(4000)
    view = View(1, Filter((AtMost(Field.MIN_AGE_DAYS, 59),)))
    fit = [one for one in points if one.facets.min_age_days <= 59]
    rows = np.array([one.dense / np.linalg.norm(one.dense) for one in fit])
    with edge_index(rules) as index:
        index.write(points)
        assert index._shard.info().indexed_vectors_count >= 4000
        shares = []
        for question in np.random.default_rng(12).normal(size=(20, 512)).astype(np.float32):
            best = {fit[n].id for n in np.argsort(-(rows @ question))[:20]}
            found = [hit.chunk_id for hit in index.dense(question, view, 20).hits]
            assert len(found) == 20
            assert set(found) <= {one.id for one in fit}
            shares.append(len(best.intersection(found)) / 20)
        assert sum(shares) / len(shares) >= 0.9


def test_a_view_of_at_most_exact_below_points_is_searched_exactly(folder: Path) -> None:
    """Where walking the graph so carelessly would miss some."""
    careless = IndexSettings(segment_points=2000, open_points=100, exact_below=0, graph_search=4)
    shutil.rmtree(folder)
    QdrantEdgeIndex.create(folder, MANIFEST, careless)
    points = scattered(4000)
    view = View(1, Filter((AtMost(Field.MIN_AGE_DAYS, 59),)))
    fit = [one for one in points if one.facets.min_age_days <= 59]
    rows = np.array([one.dense / np.linalg.norm(one.dense) for one in fit])
    questions = np.random.default_rng(12).normal(size=(20, 512)).astype(np.float32)
    best = [[fit[n].id for n in np.argsort(-(rows @ question))[:20]] for question in questions]

    def found(index: QdrantEdgeIndex) -> list[list[ChunkId]]:
        rankings = [index.dense(question, view, 20) for question in questions]
        return [[hit.chunk_id for hit in ranking.hits] for ranking in rankings]

    index = opened(folder, careless)
    index.write(points)
    assert found(index) != best
    index.close()
    index = opened(folder, careless.model_copy(update={"exact_below": 3000}))
    assert found(index) == best
    index.close()


def test_more_equal_scores_than_are_looked_through_still_fill_the_limit() -> None:
    rules = IndexSettings(ties=50)
    with edge_index(rules) as index:
        index.write([point(n, dense=vector(1)) for n in range(500)])
        hits = index.dense(vector(1), ALL, 10).hits
        assert len({hit.chunk_id for hit in hits}) == 10
        assert [hit.rank for hit in hits] == list(range(1, 11))


def test_readers_in_other_threads_see_one_generation_while_the_next_is_written() -> None:
    rules = IndexSettings(segment_points=200, open_points=50, write_batch=50)
    old = scattered(300)
    with edge_index(rules) as index, ThreadPoolExecutor(3) as pool:
        index.write(old)
        expected = index.dense(old[7].dense, ALL, 25)
        done = threading.Event()

        def read() -> int:
            times = 0
            while not done.is_set() or times == 0:
                assert index.dense(old[7].dense, ALL, 25) == expected
                assert index.count(ALL) == 300
                times += 1
            return times

        readers = [pool.submit(read) for _ in range(3)]
        try:
            for n in range(300, 1300, 100):
                index.write([point(k, dense=old[7].dense, born=2) for k in range(n, n + 100)])
                index.expire([one.id for one in old[: n // 10]], 2)
                index.flush()
        finally:
            done.set()
        assert all(reader.result() for reader in readers)


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("failed to open WAL x: Can't init WAL: Kind(WouldBlock)", IndexHeld, "another process"),
        ("Service runtime error: No space left on device (os error 28)", HomeError, "no space"),
        ("Read-only file system (os error 30)", HomeError, "cannot be written"),
        ("Permission denied (os error 13)", HomeError, "cannot be written"),
        ("Service runtime error: Shard is not initialized\nmore", StoreError, "not initialized."),
        ("", StoreError, "Exception('')."),
    ],
)
def test_every_failure_of_edge_becomes_an_error_of_proband(
    text: str, kind: type[StoreError], sentence: str
) -> None:
    error = translated(Exception(text), Path("/some/index"))
    assert type(error) is kind
    assert sentence in str(error)
    assert "/some/index" in str(error)
    assert "\n" not in str(error)


def test_a_panic_in_rust_is_an_error_and_an_interrupt_is_not() -> None:
    class PanicException(BaseException):
        """What a panic looks like: not even an Exception."""

    with pytest.raises(StoreError, match="index out of bounds"), own_errors(Path("/some/index")):
        raise PanicException("index out of bounds")
    with pytest.raises(KeyboardInterrupt), own_errors(Path("/some/index")):
        raise KeyboardInterrupt
    with pytest.raises(BadModelOutput), own_errors(Path("/some/index")):
        raise BadModelOutput("ours already")
