"""Search on a judged pool: `PROBAND_HOME=... python benchmarks/quality/trec_ct.py POOL`.

The home must hold the pool's studies (`proband init && proband trials import studies.jsonl.gz`). In one run it scores
`search --topics`, plain BM25 over whole studies, and plain RRF of that with the dense lane of the same index.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median

import bm25s

from judged import Pool, Run, read_pool, score
from proband.engine import Engine
from proband.model import DocumentKey, Filter, Question, Scope
from proband.search.dedupe import places
from proband.search.fuse import rrf
from proband.text.windows import windows
from proband.trials.documents import study_document
from proband.trials.registry import parse_study
from proband.wiring import open_search

DEPTH = 1000


def main() -> None:
    """Prints one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pool", type=Path, help="folder with topics.jsonl and qrels.txt")
    pool = read_pool(parser.parse_args().pool)
    with open_search("trec_ct") as engine:
        seen = engine.seen(None)
        ours, seconds = _proband(engine, pool, seen)
        lexical = _whole_study_bm25(engine, pool, seen)
        dense = _dense(engine, pool, seen)
    print("| run | nDCG@10 full | condensed | recall@100 | eligible before excluded |")
    print("|---|---|---|---|---|")
    print(f"| BM25 over whole studies (bm25s) | {score(lexical, pool)} |")
    print(f"| dense chunks | {score(dense, pool)} |")
    print(f"| RRF of these two | {score(_fused(lexical, dense), pool)} |")
    print(f"| proband search --topics | {score(ours, pool)} |")
    print(f"\nSeconds a topic: median {median(seconds):.3f}, largest {max(seconds):.3f}.")


def _proband(engine: Engine, pool: Pool, seen: int) -> tuple[Run, list[float]]:
    run, seconds = {}, []
    for topic, text in pool.topics.items():
        started = time.perf_counter()
        ranked = engine.rank(Question(text, Filter(), DEPTH), seen)
        seconds.append(time.perf_counter() - started)
        run[topic] = [_nct_id(group.document) for group in ranked.groups[:DEPTH]]
    return run, seconds


def _whole_study_bm25(engine: Engine, pool: Pool, seen: int) -> Run:
    ids = [mark.nct_id for mark in engine.catalogue.study_marks(seen)]
    raw = engine.catalogue.raw_studies(ids, seen)
    texts = (
        " ".join(section.reading.text for section in study_document(parse_study(raw[i])).sections)
        for i in ids
    )
    model = bm25s.BM25()
    model.index(bm25s.tokenize(list(texts), show_progress=False), show_progress=False)
    queries = bm25s.tokenize(list(pool.topics.values()), show_progress=False)
    found, _ = model.retrieve(queries, k=DEPTH, show_progress=False)
    return {topic: [ids[i] for i in row] for topic, row in zip(pool.topics, found, strict=True)}


def _dense(engine: Engine, pool: Pool, seen: int) -> Run:
    """Each study by its nearest chunk; of a longer narrative the first window, as is usual."""
    view = Scope.public().view(seen, Filter())
    embedder, index = engine.indexer.embedder, engine.indexer.index

    def ranked(text: str) -> list[str]:
        (tokens,) = embedder.token_spans([text])
        opening = windows(text, tokens, embedder.window_tokens - 2)[0]
        found = index.dense(embedder.embed_query(opening), view, 6 * DEPTH)
        return [_nct_id(document) for document in places(found)][:DEPTH]

    return {topic: ranked(text) for topic, text in pool.topics.items()}


def _fused(one: Run, other: Run) -> Run:
    fused = {}
    for topic in one:
        places = [{d: rank for rank, d in enumerate(run[topic], 1)} for run in (one, other)]
        ranks = {
            d: [place[d] for place in places if d in place] for d in (*one[topic], *other[topic])
        }
        fused[topic] = sorted(ranks, key=lambda d: (-rrf(ranks[d], 60), d))[:DEPTH]
    return fused


def _nct_id(document: str) -> str:
    return DocumentKey.parse(document).parts[0]


if __name__ == "__main__":
    main()
