"""The index alone: `python benchmarks/speed/index.py [--points 340000] [--folder EMPTY_FOLDER]`.

Builds an index of made points in this process and asks it. Vectors are 48 latent dimensions of decaying size, in
clusters of one study, turned into 384 with noise; a tenth of the points are copies of 3,000 stock texts; terms follow
Zipf's law, 25 a text; statuses, ages and sites occur as often as in the registry. Prints rates, sizes, peak memory,
loading time, latencies in milliseconds and recall of the approximate search against the exact one of the same index.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    ChunkId,
    Facets,
    Field,
    Filter,
    Float32Vector,
    GeoPoint,
    Near,
    Point,
    Ranking,
    SectionKind,
    SparseVector,
    View,
)
from proband.ports import Manifest
from proband.settings import IndexSettings

DIMENSIONS, LATENT, VOCABULARY, STOCK = 384, 48, 40_000, 3_000
CHUNKS_A_STUDY = 19
BATCH = 2_000
QUESTIONS = 60
LIMIT = 60
MANIFEST = Manifest("made", "made", DIMENSIONS, 1, 1)
KINDS = tuple(SectionKind)
STATUSES = ("COMPLETED", "RECRUITING", "TERMINATED", "UNKNOWN", "NOT_YET_RECRUITING")
AGE = 50 * 365
ADULT = (AtMost(Field.MIN_AGE_DAYS, AGE), AtLeast(Field.MAX_AGE_DAYS, AGE))
CRITERIA = AnyOf(Field.KIND, (SectionKind.INCLUSION_CRITERION, SectionKind.EXCLUSION_CRITERION))
NEAR = Near(Field.SITES, GeoPoint(50, 10), 300)
OPEN = AnyOf(Field.STATUS, ("RECRUITING", "NOT_YET_RECRUITING"))
VIEWS = {
    "no filter": View(1, Filter()),
    "criteria, age": View(1, Filter((CRITERIA, *ADULT))),
    "criteria, age, recruiting": View(1, Filter((CRITERIA, *ADULT, OPEN))),
    "criteria, age, site within 300 km": View(1, Filter((CRITERIA, *ADULT, NEAR))),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question for all lanes."""

    dense: Float32Vector
    terms: SparseVector
    exact: tuple[str, ...]


class Corpus:
    """Made points, the same for the same seed."""

    def __init__(self) -> None:
        self.chance = np.random.default_rng(7)
        sizes = 1 / np.arange(1, LATENT + 1) ** 0.35
        self._spread = sizes
        self._turn = self.chance.normal(size=(LATENT, DIMENSIONS))
        self._noise = 0.35 * np.sqrt((sizes**2).sum())
        self._hashes = self.chance.choice(2**32, VOCABULARY, replace=False)
        weights = 1 / (np.arange(VOCABULARY) + 20.0)
        self._zipf = np.cumsum(weights / weights.sum())
        self._stock = self._texts(np.zeros(LATENT), STOCK)

    def points(self, count: int) -> Iterator[list[Point]]:
        """Batches of points; a study's chunks follow each other."""
        number = 0
        while number < count:
            batch: list[Point] = []
            while len(batch) < BATCH:
                batch += self._study(number // CHUNKS_A_STUDY, number)
                number += CHUNKS_A_STUDY
            yield batch

    def questions(self, count: int) -> list[Asked]:
        """Texts that are not in the index."""
        texts = self._texts(self.chance.normal(size=LATENT) * self._spread, count)
        return [
            Asked(dense, _cut(terms, 8), (f"drug {n}", f"drug {n + 1}", "never"))
            for n, (dense, terms) in enumerate(texts)
        ]

    def _study(self, study: int, number: int) -> list[Point]:
        centre = 0.7 * self.chance.normal(size=LATENT) * self._spread
        texts = self._texts(centre, CHUNKS_A_STUDY)
        facets, name = self._facets(study), f"NCT99{study:06}"
        copied = self.chance.random(CHUNKS_A_STUDY) < 0.1
        return [
            Point(
                id=ChunkId(str(uuid.UUID(int=int.from_bytes(self.chance.bytes(16), "big")))),
                document=f"ctgov/studies/{name}",
                kind=KINDS[int(self.chance.choice(len(KINDS), p=_KIND_SHARES))],
                ordinal=place + 1,
                dense=dense,
                sparse=sparse,
                exact=(name, f"drug {(number + place) % 800}"),
                facets=facets,
                born=1,
            )
            for place, text in enumerate(texts)
            for dense, sparse in [self._stock_text() if copied[place] else text]
        ]

    def _facets(self, study: int) -> Facets:
        status = str(self.chance.choice(STATUSES, p=(0.6, 0.12, 0.13, 0.1, 0.05)))
        sites = min(300, int(self.chance.geometric(1 / 6))) if status == "RECRUITING" else 0
        return Facets(
            status=status,
            study_type="INTERVENTIONAL" if study % 5 else "OBSERVATIONAL",
            phases=(f"PHASE{study % 4 + 1}",),
            sex="ALL" if study % 7 else "FEMALE",
            min_age_days=int(self.chance.choice([0, 18 * 365, 60 * 365], p=(0.25, 0.65, 0.1))),
            max_age_days=int(
                self.chance.choice([2**31 - 1, 65 * 365, 17 * 365], p=(0.5, 0.35, 0.15))
            ),
            conditions=(f"condition {self.chance.integers(3000)}",),
            sites=tuple(
                GeoPoint(float(latitude), float(longitude))
                for latitude, longitude in self.chance.uniform((-60, -180), (70, 180), (sites, 2))
            ),
        )

    def _stock_text(self) -> tuple[Float32Vector, SparseVector]:
        return self._stock[min(int(self.chance.zipf(1.3)), STOCK) - 1]

    def _texts(self, centre: np.ndarray, count: int) -> list[tuple[Float32Vector, SparseVector]]:
        latent = centre + self.chance.normal(size=(count, LATENT)) * self._spread
        rows = latent @ self._turn + self._noise * self.chance.normal(size=(count, DIMENSIONS))
        dense = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return [(row, self._terms()) for row in dense]

    def _terms(self) -> SparseVector:
        drawn = self.chance.random(int(np.clip(self.chance.poisson(25), 3, 60)))
        terms = np.unique(self._hashes[np.searchsorted(self._zipf, drawn)])
        weights = self.chance.uniform(0.8, 2.2, len(terms)).astype(np.float32)
        return SparseVector(tuple(terms.tolist()), tuple(weights.tolist()))


_KIND_SHARES = (0.33, 0.33, 0.02, 0.03, 0.06, 0.05, 0.06, 0.04, 0.08)


def _cut(terms: SparseVector, most: int) -> SparseVector:
    return SparseVector(terms.indices[:most], terms.values[:most])


def main() -> None:
    """Prints three tables: building, opening, asking."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--points", type=int, default=340_000)
    arguments.add_argument("--folder", type=Path)
    chosen = arguments.parse_args()
    with TemporaryDirectory() as temporary:
        folder = (chosen.folder or Path(temporary)) / "index"
        corpus = Corpus()
        if not QdrantEdgeIndex.exists(folder):
            build(folder, corpus, chosen.points)
        opening(folder)
        asking(folder, corpus)


def build(folder: Path, corpus: Corpus, count: int) -> None:
    """Writes all points, then optimizes."""
    QdrantEdgeIndex.create(folder, MANIFEST)
    index = QdrantEdgeIndex.open(folder, IndexSettings(), "benchmark")
    wall = cpu = 0.0
    for batch in corpus.points(count):
        started, used = time.perf_counter(), time.process_time()
        index.write(batch)
        wall += time.perf_counter() - started
        cpu += time.process_time() - used
    started = time.perf_counter()
    index.optimize()
    last = time.perf_counter() - started
    index.close()
    size = sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())
    print("| building | |\n|---|---|")
    print(f"| points | {count:,} |")
    print(f"| written, segments included | {count / wall:,.0f} points/s, {cpu:.0f} CPU s |")
    print(f"| optimize at the end | {last:.1f} s |")
    print(f"| peak memory of the process | {peak_mb():,} MB |")
    print(f"| on disk | {size / 1e6:,.0f} MB |\n")


OPENS = """
import sys, time
from pathlib import Path
from proband.adapters.qdrant_edge import QdrantEdgeIndex
from proband.settings import IndexSettings
started = time.perf_counter()
index = QdrantEdgeIndex.open(Path(sys.argv[1]), IndexSettings(), "benchmark")
print((time.perf_counter() - started) * 1000)
index.close()
"""


def opening(folder: Path) -> None:
    """Opens in new processes."""
    command = [sys.executable, "-c", OPENS, str(folder)]
    took = [
        float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        for _ in range(7)
    ]
    print("| opening | p50 ms | least ms |\n|---|---|---|")
    print(f"| a new process, files in the page cache | {np.median(took):.0f} | {min(took):.0f} |\n")


def asking(folder: Path, corpus: Corpus) -> None:
    """Every lane with every filter, and how near the approximate search comes to the exact one."""
    questions = corpus.questions(QUESTIONS)
    best = exact_rankings(folder, questions)
    index = QdrantEdgeIndex.open(folder, IndexSettings(), "benchmark")
    print("| asking | points that fit | p50 ms | p95 ms | least ms | recall@60 |")
    print("|---|---|---|---|---|---|")
    for name, view in VIEWS.items():
        found = [index.dense(question.dense, view, LIMIT) for question in questions]
        lanes: dict[str, list[Callable[[], object]]] = {
            "dense": [partial(index.dense, q.dense, view, LIMIT) for q in questions],
            "lexical": [partial(index.lexical, q.terms, view, LIMIT) for q in questions],
            "exact": [partial(index.exact, q.exact, view, LIMIT) for q in questions],
            "count": [partial(index.count, view)] * 5,
        }
        for lane, calls in lanes.items():
            recall = f"{recalled(found, best[name]):.4f}" if lane == "dense" else ""
            fit = f"{index.count(view):,}"
            print(f"| {lane}, {name} | {fit} | {spread(timed(calls))} | {recall} |", flush=True)
    with ThreadPoolExecutor(4) as pool:
        calls = [partial(both, index, pool, question) for question in questions]
        print(f"| dense and lexical together, criteria, age | | {spread(timed(calls))} | |")
    print(f"\nPeak memory of the process: {peak_mb():,} MB")
    index.close()


def exact_rankings(folder: Path, questions: Sequence[Asked]) -> dict[str, list[Ranking]]:
    """What an exact search finds."""
    index = QdrantEdgeIndex.open(folder, IndexSettings(exact_below=2**31), "benchmark")
    best = {
        name: [index.dense(question.dense, view, LIMIT) for question in questions]
        for name, view in VIEWS.items()
    }
    index.close()
    return best


def recalled(found: Sequence[Ranking], best: Sequence[Ranking]) -> float:
    """Share of the exact search's hits that were found, by score: equal texts stand for each other."""
    shares = [
        sum(hit.score >= exact.hits[-1].score - 1e-6 for hit in ranking.hits) / len(exact.hits)
        for ranking, exact in zip(found, best, strict=True)
        if exact.hits
    ]
    return float(np.mean(shares)) if shares else 1.0


def both(index: QdrantEdgeIndex, pool: ThreadPoolExecutor, question: Asked) -> None:
    """Two lanes at a time, as search runs them."""
    view = VIEWS["criteria, age"]
    dense = pool.submit(index.dense, question.dense, view, LIMIT)
    index.lexical(question.terms, view, LIMIT)
    dense.result()


def timed(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Milliseconds of each call, after one round to warm up."""
    for call in calls:
        call()
    took = []
    for call in calls:
        started = time.perf_counter()
        call()
        took.append((time.perf_counter() - started) * 1000)
    return sorted(took)


def spread(took: Sequence[float]) -> str:
    """Median, 95th percentile, least."""
    return f"{took[len(took) // 2]:.1f} | {took[int(len(took) * 0.95)]:.1f} | {took[0]:.1f}"


def peak_mb() -> int:
    """Peak resident memory, mapped files included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
