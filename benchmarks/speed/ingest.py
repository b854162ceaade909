"""What an import costs beside the model: `python benchmarks/speed/ingest.py STUDIES.jsonl.gz [COUNT]`.

Vectors are random and points are thrown away, so what is left is reading, splitting, cutting, analysing and SQL. Prints
CPU and wall seconds of each step, for the first import and for the same studies again.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from proband.adapters.memory import MemoryIndex
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.checkpoints import Checkpoint
from proband.ingest.chunker import CHUNKER_VERSION
from proband.ingest.generation import finish
from proband.ingest.pipeline import DocumentLoader, index_outbox
from proband.ingest.points import Indexer
from proband.ingest.progress import Silent
from proband.ingest.reconcile import compare
from proband.model import (
    ChunkId,
    Corpus,
    Document,
    DocumentKey,
    Float32Matrix,
    Float32Vector,
    Point,
    View,
)
from proband.ports import Manifest
from proband.trials.documents import study_document
from proband.trials.registry import parse_study
from proband.trials.study import Study
from proband.wiring import analysis

TRIALS = Corpus.TRIALS
TOGETHER = 500
PIECES = re.compile(r"\w{1,4}|[^\w\s]")
"""About as many word pieces as the default model's tokenizer makes."""


class RandomEmbedder:
    """An Embedder of 384 random numbers a text."""

    digest = "random"
    dimensions = 384
    window_tokens = 256

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        return [[match.span() for match in PIECES.finditer(text)] for text in texts]

    def embed_documents(self, texts: Sequence[str]) -> Float32Matrix:
        rows = np.random.default_rng(0).normal(size=(len(texts), self.dimensions))
        unit: Float32Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit.astype(np.float32)

    def embed_query(self, text: str) -> Float32Vector:
        vector: Float32Vector = self.embed_documents([text])[0]
        return vector


class LifetimesIndex(MemoryIndex):
    """An index that keeps nothing but lifetimes."""

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self._lives: dict[ChunkId, tuple[int, int]] = {}

    def write(self, points: Sequence[Point]) -> None:
        self._lives |= {point.id: (point.born, point.died) for point in points}

    def count(self, view: View) -> int:
        return sum(born <= view.generation < died for born, died in self._lives.values())

    def ids(self) -> Mapping[ChunkId, tuple[int, int]]:
        return self._lives


@contextmanager
def timed(step: str) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    print(f"{step:<28}{time.process_time() - cpu:>9.2f}{time.perf_counter() - wall:>9.2f}")


def loader(catalogue: Catalogue, number: int) -> DocumentLoader:
    def load(keys: Sequence[str]) -> Iterator[Document]:
        ids = [DocumentKey.parse(key).parts[0] for key in keys]
        return (
            study_document(parse_study(raw)) for raw in catalogue.raw_studies(ids, number).values()
        )

    return load


def import_all(indexer: Indexer, manifest: Manifest, studies: Iterable[Study], run: str) -> None:
    built = indexer.catalogue.begin(TRIALS, run, manifest)
    coming, count = iter(studies), 0
    with timed(f"{run}: read and store"):
        while batch := list(islice(coming, TOGETHER)):
            count += len(batch)
            indexer.catalogue.store_studies(built, batch, Checkpoint(run, str(count)))
    with timed(f"{run}: index"):
        indexed = index_outbox(indexer, built, loader(indexer.catalogue, built.number), Silent())
    with timed(f"{run}: finish"):
        finish(indexer.catalogue, indexer.index, built)
    print(f"  {count} studies, {indexed.new} chunks, {indexed.embedded} texts embedded")


def read_back(catalogue: Catalogue, ids: Sequence[ChunkId]) -> None:
    calls = [random.Random(seed).sample(ids, 60) for seed in range(100)]
    with timed("60 chunks to show, 100 times"):
        for call in calls:
            catalogue.chunk_texts(call)


def main() -> None:
    file, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None
    embedder, made_of = RandomEmbedder(), analysis()
    manifest = Manifest("random", "random", 384, made_of.version, CHUNKER_VERSION)
    print(f"{'step':<28}{'CPU s':>9}{'wall s':>9}")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "catalogue.sqlite"
        catalogue = Catalogue.create(f"sqlite:///{path}")
        indexer = Indexer(catalogue, LifetimesIndex(manifest), embedder, made_of)
        for run in ("first import", "again"):
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                studies = (parse_study(json.loads(line)) for line in islice(lines, count))
                import_all(indexer, manifest, studies, run)
        with timed("compare catalogue and index"):
            assert compare(catalogue, indexer.index, TRIALS).agrees
        read_back(catalogue, list(indexer.index.ids()))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory {peak:.0f} MB, catalogue {path.stat().st_size / 1e6:.0f} MB")
        catalogue.close()


if __name__ == "__main__":
    main()
