"""Contenders in words: proband's lexical lane and bm25s over the same texts, a text a passage.

bm25s is called as its documentation does, with English stop words and stems. proband's index has no lexical lane alone:
its time to index and its memory include a made vector a text, the graph over them and what filters need.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

LIMIT = 60


def passages(task: Path) -> list[str]:
    """The texts that all contenders index."""
    found: list[str] = json.loads((task / "passages.json").read_text(encoding="utf-8"))
    return found


def questions(task: Path) -> list[str]:
    """The questions that all contenders answer."""
    found: list[str] = json.loads((task / "questions.json").read_text(encoding="utf-8"))
    return found


def each(task: Path, search: Callable[[str], list[Any]]) -> dict[str, Any]:
    """Milliseconds of every question, and what was found."""
    took, found = [], []
    for question in questions(task):
        started = time.perf_counter()
        found.append(search(question))
        took.append((time.perf_counter() - started) * 1000)
    return {"ms": took, "found": found}


def proband_lexical(task: Path) -> dict[str, Any]:
    """The analyser and the index of proband."""
    from proband.adapters.qdrant_edge import QdrantEdgeIndex
    from proband.model import ChunkId, Facets, Filter, Point, SectionKind, SparseVector, View
    from proband.ports import Manifest
    from proband.settings import IndexSettings
    from proband.text.analyser import terms
    from proband.text.bm25 import query_weights
    from proband.wiring import analysis

    folder, sparse, texts = task / "lexical", analysis().sparse, passages(task)
    QdrantEdgeIndex.create(folder, Manifest("made", "made", 384, 1, 1))
    index = QdrantEdgeIndex.open(folder, IndexSettings(), "benchmark")
    view = View(1, Filter())

    def write() -> int:
        rows = np.random.default_rng(1).normal(size=(len(texts), 384)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        points = [
            Point(
                id=ChunkId(str(uuid.UUID(int=number))),
                document=f"ctgov/studies/NCT{number:08}",
                kind=SectionKind.TITLE,
                ordinal=1,
                dense=rows[number],
                sparse=sparse(text),
                exact=(),
                facets=Facets(status="UNKNOWN"),
                born=1,
            )
            for number, text in enumerate(texts)
        ]
        index.write(points)
        index.optimize()
        return len(points)

    def search(question: str) -> list[str]:
        asked = SparseVector(*query_weights(terms(question)))
        return [
            texts[uuid.UUID(hit.chunk_id).int] for hit in index.lexical(asked, view, LIMIT).hits
        ]

    return {
        "index": write,
        "search": lambda: each(task, search),
        "analyse": lambda: sum(len(sparse(text).indices) for text in texts),
    }


def bm25s_lexical(task: Path) -> dict[str, Any]:
    """bm25s in memory."""
    import bm25s
    import Stemmer

    stemmer, texts = Stemmer.Stemmer("english"), passages(task)
    retriever = bm25s.BM25()

    def tokens(given: Any) -> Any:
        return bm25s.tokenize(given, stopwords="en", stemmer=stemmer, show_progress=False)

    def write() -> int:
        retriever.index(tokens(texts), show_progress=False)
        return len(texts)

    def search(question: str) -> list[str]:
        found, scores = retriever.retrieve(
            tokens(question),
            k=min(LIMIT, len(texts)),
            show_progress=False,
        )
        return [texts[row] for row, score in zip(found[0], scores[0], strict=True) if score > 0]

    return {
        "index": write,
        "search": lambda: each(task, search),
        "analyse": lambda: len(tokens(texts).ids),
    }
