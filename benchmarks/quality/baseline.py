"""Search beside plain baselines: `PROBAND_HOME=... python benchmarks/quality/baseline.py COLLECTION...`.

Collections are those of `proband evaluate`. In one run it scores BM25 over whole documents as users get it from bm25s,
the dense lane of our index, plain RRF of these two, and search as it is. Prints one table a collection.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import fsum
from pathlib import Path

import bm25s

from proband.cli.judged import opened
from proband.cli.progress import StderrProgress
from proband.evaluation.collection import Collection, documents, is_beir
from proband.evaluation.measures import score
from proband.evaluation.stages import Run, Stage, runs
from proband.model import Corpus, Document
from proband.trials.documents import study_document
from proband.trials.registry import parse_study
from proband.wiring import open_catalogue

K = 60


def main() -> None:
    """Prints the tables."""
    for name in sys.argv[1:]:
        with StderrProgress() as progress, opened(name, progress) as judged:
            found, _ = runs(judged.questions, judged.search, judged.rrf_k, progress.advance)
        lexical = bm25(judged.collection, whole_texts(name))
        rows = {
            "BM25 over whole documents (bm25s)": lexical,
            "dense lane": found[Stage.DENSE],
            "RRF of these two": fused(lexical, found[Stage.DENSE], judged.collection.depth),
            "proband, no language model": found[Stage.RERANKED],
        }
        show(judged.collection, rows)


def whole_texts(name: str) -> dict[str, str]:
    """All that each document says, by the name that judgements use."""
    return {one.key.parts[0]: _text(one) for one in _documents(Path(name))}


def _documents(folder: Path) -> Iterator[Document]:
    if is_beir(folder):
        yield from documents(folder, folder.name)
        return
    with open_catalogue() as catalogue:
        seen = max(found.number for found in catalogue.readable(Corpus.TRIALS))
        ids = [mark.nct_id for mark in catalogue.study_marks(seen)]
        for raw in catalogue.raw_studies(ids, seen).values():
            yield study_document(parse_study(raw))


def _text(document: Document) -> str:
    return " ".join(section.reading.text for section in document.sections)


def bm25(collection: Collection, texts: dict[str, str]) -> Run:
    """The documents of each topic by bm25s with its own tokens and its own defaults."""
    names = list(texts)
    model = bm25s.BM25()
    model.index(bm25s.tokenize(list(texts.values()), show_progress=False), show_progress=False)
    queries = bm25s.tokenize(list(collection.topics.values()), show_progress=False)
    depth = min(collection.depth, len(names))
    found, _ = model.retrieve(queries, k=depth, show_progress=False)
    return {
        topic: [names[i] for i in row] for topic, row in zip(collection.topics, found, strict=True)
    }


def fused(one: Run, other: Run, depth: int) -> Run:
    """Reciprocal rank fusion of two runs."""
    merged = {}
    for topic in one:
        places = [{d: rank for rank, d in enumerate(run[topic], 1)} for run in (one, other)]
        ranks = {
            d: [place[d] for place in places if d in place] for d in (*one[topic], *other[topic])
        }
        merged[topic] = sorted(
            ranks, key=lambda d: (-fsum(1 / (K + rank) for rank in ranks[d]), d)
        )[:depth]
    return merged


def show(collection: Collection, rows: dict[str, Run]) -> None:
    """Prints a table in Markdown."""
    head = ["run", *collection.measures]
    print(f"\n{collection.name}, {len(collection.scored)} topics\n\n| {' | '.join(head)} |")
    print("|---" * len(head) + "|")
    for name, run in rows.items():
        scores = score(run, collection)
        means = [f"{scores.mean(measure):.3f}" for measure in collection.measures]
        print(f"| {' | '.join([name, *means])} |")


if __name__ == "__main__":
    main()
