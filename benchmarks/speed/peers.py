"""Speed against named peers on the same texts: `python benchmarks/speed/peers.py [STUDIES.jsonl.gz] [--studies 500]`.

Every contender is a process of its own with the same number of threads, and they are asked in turn. The studies are the
sample's and the first of the file, so that the sample's questions have known answers among them; without a file the
sample alone. Prints one Markdown table: medians, and how many times the peer's figure is proband's. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from contender import Contender, ContenderFailed, Steps, Took, serve
from peer_lexical import bm25s_lexical, proband_lexical
from peer_models import (
    RERANKED,
    fastembed_embedding,
    onnx_reranking,
    proband_embedding,
    proband_reranking,
    write_model,
)
from peer_stacks import (
    TOP,
    llamaindex_indexing,
    llamaindex_search,
    proband_indexing,
    proband_search,
)

from proband.ingest.chunker import cut
from proband.model import Document
from proband.sample import questions_file, studies_folder
from proband.settings import home_folder
from proband.trials.documents import study_document
from proband.trials.registry import parse_study
from proband.wiring import embedder, model_store, read_home

CONTENDERS: dict[str, Callable[[Path], Steps]] = {
    "proband embedding": proband_embedding,
    "fastembed": fastembed_embedding,
    "fastembed, batches of 16": partial(fastembed_embedding, batch=16),
    "proband lexical lane": proband_lexical,
    "bm25s": bm25s_lexical,
    "proband import": proband_indexing,
    "LlamaIndex indexing": llamaindex_indexing,
    "proband": proband_search,
    "LlamaIndex": llamaindex_search,
    "proband late interaction": proband_reranking,
    "ONNX Runtime late interaction": onnx_reranking,
}
PACKAGES = ("fastembed", "onnxruntime", "bm25s", "llama-index-core", "llama-index-retrievers-bm25")
QUESTIONS = 60
ALIKE = 0.99
"""Least cosine of two vectors of one text: below it they are not of the same weights, whatever the precision."""

COLD = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    ours: float
    theirs: float
    unit: str

    def __str__(self) -> str:
        places = 0 if min(self.ours, self.theirs) >= 100 else 2 if self.unit in {"s", "of 1"} else 1
        times = self.theirs / self.ours if self.ours else float("nan")
        return (
            f"| {self.what} | {self.ours:,.{places}f} {self.unit} | {self.theirs:,.{places}f} {self.unit} "
            f"| {times:.2f} |"
        )


@dataclass(frozen=True, slots=True)
class Bench:
    """What all contenders are given, and how often they are asked."""

    task: Path
    repeats: int
    relevant: Sequence[Sequence[str]]

    def contender(self, name: str) -> Contender:
        """A new process."""
        return Contender(name, self.task, {"PROBAND_HOME": str(home_folder())})


def main() -> int:
    """The number of comparisons that failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        bench = prepare(Path(folder), chosen)
        print("| what | proband | peer | peer / proband |\n|---|---|---|---|", flush=True)
        notes = [note for part in PARTS for note in _told(part, bench)]
    failed = [note for note in notes if note.startswith(FAILED)]
    print("\n" + "\n".join(f"- {note}" for note in notes))
    return len(failed)


FAILED = "Not compared: "


def _told(part: Callable[[Bench], Iterator[Row | str]], bench: Bench) -> Iterator[str]:
    """Prints the rows of a comparison as they come; its notes, or the sentence that says why there is none."""
    try:
        for found in part(bench):
            if isinstance(found, str):
                yield found
            else:
                print(found, flush=True)
    except ContenderFailed as error:
        yield f"{FAILED}{error}"


# --- what is given ---------------------------------------------------------------------------------------------------


def prepare(task: Path, chosen: argparse.Namespace) -> Bench:
    """Writes what the contenders read."""
    home = read_home()
    store = model_store(home)
    card = store.card("all-minilm-l6-v2")
    write_model(card, store.open(card), task / "model")
    records = list(islice(_records(chosen.file), chosen.studies))
    documents = [study_document(parse_study(record)) for record in records]
    chunks = [chunk.embed_text for some in cut(documents, embedder(home), 32) for chunk in some]
    texts = sorted(set(chunks))
    random.Random(1).shuffle(texts)
    texts = texts[: chosen.texts]
    known = {document.key.parts[-1] for document in documents}
    asked = _questions(known)
    _write(task / "texts.json", texts)
    _write(task / "passages.json", chunks)
    _write(task / "questions.json", [question["text"] for question in asked])
    _write(task / "documents.json", [_plain(document) for document in documents])
    (task / "studies.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record in records), encoding="utf-8"
    )
    (task / "threads").write_text(str(chosen.threads))
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    print(
        f"{_processor()}, {chosen.threads} threads, load {os.getloadavg()[0]:.1f} at the start; {versions}."
    )
    print(
        f"{len(documents):,} studies, {len(chunks):,} passages, {len(texts):,} texts to embed, "
        f"{len(asked)} questions; medians of {chosen.repeats} in turn.\n"
    )
    return Bench(task, chosen.repeats, [sorted(question["relevant"]) for question in asked])


def _records(file: Path | None) -> Iterator[dict[str, Any]]:
    """The sample's studies, then the file's."""
    for path in sorted(studies_folder().glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))
    if file:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _questions(known: set[str]) -> list[dict[str, Any]]:
    """Pointed questions whose known answers are among the studies."""
    rows = map(json.loads, questions_file().read_text(encoding="utf-8").splitlines())
    pointed = [
        row for row in rows if row.get("kind") == "pointed" and set(row["relevant"]) <= known
    ]
    return pointed[:QUESTIONS]


def _plain(document: Document) -> dict[str, str]:
    """A study as text, its sections one after the other."""
    text = "\n\n".join(section.reading.text for section in document.sections)
    return {"id": document.key.parts[-1], "text": text}


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def _version(package: str) -> str:
    try:
        return version(package)
    except ImportError:
        return "not installed"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


# --- what is compared ------------------------------------------------------------------------------------------------


def embedding(bench: Bench) -> Iterator[Row | str]:
    """Texts to vectors; the vectors must agree before anything is timed."""
    for peer in ("fastembed", "fastembed, batches of 16"):
        with bench.contender("proband embedding") as ours, bench.contender(peer) as theirs:
            first = [np.load(one.do("warm").value) for one in (ours, theirs)]
            least = float(np.min(np.sum(first[0] * first[1], axis=1)))
            if least < ALIKE:
                raise ContenderFailed(f"the vectors of one text differ, least cosine {least:.4f}")
            mine, peers = in_turn(bench, ours, theirs, "embed")
            what = f"embedding {mine[0].value:,} passages against {peer}"
            yield Row(what, seconds(mine), seconds(peers), "s")
            yield Row("its peak memory", peak(mine), peak(peers), "MB")
    yield f"Embedding: same weights and texts, least cosine of the two vectors of a text {least:.4f}."


def lexical(bench: Bench) -> Iterator[Row | str]:
    """Passages to a BM25 index, and questions to it."""
    with bench.contender("proband lexical lane") as ours, bench.contender("bm25s") as theirs:
        built = [one.do("index") for one in (ours, theirs)]
        yield Row("indexing the passages against bm25s", built[0].seconds, built[1].seconds, "s")
        mine, peers = in_turn(bench, ours, theirs, "search")
        yield from percentiles("lexical search, 60 passages, against bm25s", mine, peers)
        yield Row("its peak memory", peak(mine), peak(peers), "MB")
        analysed = [one.do("analyse").seconds for one in (ours, theirs)]
        yield Row("text to terms alone", *analysed, "s")
        yield (
            "Lexical: proband's index also holds vectors, their graph and what filters need, on disk; bm25s holds "
            f"terms in memory. Of the first 60 passages {overlap(mine[0], peers[0]):.0%} are the same: other analysis."
        )


def stack(bench: Bench) -> Iterator[Row | str]:
    """Studies to a hybrid search."""
    built: list[Took] = []
    for name in ("proband import", "LlamaIndex indexing"):
        with bench.contender(name) as one:
            built.append(one.do("index"))
    sizes = [one.value for one in built]
    yield Row(
        "studies to a hybrid index against LlamaIndex", built[0].seconds, built[1].seconds, "s"
    )
    yield Row("its peak memory", built[0].peak_mb, built[1].peak_mb, "MB")
    yield Row("its size on disk", sizes[0]["disk_mb"], sizes[1]["disk_mb"], "MB")
    colds = [cold(bench, name) for name in ("proband", "LlamaIndex")]
    yield Row("cold start to the first answer", *colds, "s")
    with bench.contender("proband") as ours, bench.contender("LlamaIndex") as theirs:
        mine, peers = in_turn(bench, ours, theirs, "search")
        yield from percentiles("hybrid search, 10 studies, against LlamaIndex", mine, peers)
        yield Row("its peak memory", peak(mine), peak(peers), "MB")
    right = [found_share(bench, one[0]) for one in (mine, peers)]
    yield Row("questions whose known study is among the 10", *right, "of 1")
    yield (
        f"Stack: {sizes[0]['passages']:,.0f} passages in proband, {sizes[1]['passages']:,.0f} nodes in LlamaIndex with "
        "its default store (vectors in JSON, every one compared) and fastembed. Of its first "
        f"{TOP} studies {overlap(peers[0], mine[0]):.0%} are among proband's. proband also reads the records, filters, "
        "keeps generations and looks up exact identifiers."
    )


def reranking(bench: Bench) -> Iterator[Row | str]:
    """The order of passages by late interaction."""
    ours_name, theirs_name = "proband late interaction", "ONNX Runtime late interaction"
    with bench.contender(ours_name) as ours, bench.contender(theirs_name) as theirs:
        same = overlap_rows(ours.do("warm").value, theirs.do("warm").value)
        mine, peers = in_turn(bench, ours, theirs, "rerank")
        asked = len(mine[0].value)
        yield Row(
            f"reranking {RERANKED} passages, a question, against ONNX Runtime",
            seconds(mine) / asked,
            seconds(peers) / asked,
            "s",
        )
        yield Row("its peak memory", peak(mine), peak(peers), "MB")
        yield (
            "Reranking: late interaction with the token vectors of the same weights, float32 in ONNX Runtime in "
            f"batches of 32 padded texts; {same:.0%} of the first 10 passages are the same. No peer model is compared."
        )


PARTS: tuple[Callable[[Bench], Iterator[Row | str]], ...] = (embedding, lexical, stack, reranking)


def in_turn(
    bench: Bench, ours: Contender, theirs: Contender, step: str
) -> tuple[list[Took], list[Took]]:
    """The step `repeats` times by each, one after the other."""
    rounds = [(ours.do(step), theirs.do(step)) for _ in range(bench.repeats)]
    return [mine for mine, _ in rounds], [peer for _, peer in rounds]


def cold(bench: Bench, name: str) -> float:
    """Seconds from the start of a process to its first answer, median."""
    took = []
    for _ in range(COLD):
        with bench.contender(name) as one:
            took.append(one.cold_s)
    return statistics.median(took)


def seconds(found: Sequence[Took]) -> float:
    """Median of a step."""
    return statistics.median(one.seconds for one in found)


def peak(found: Sequence[Took]) -> float:
    """Peak memory at the end, in MB."""
    return max(one.peak_mb for one in found)


def percentiles(what: str, ours: Sequence[Took], theirs: Sequence[Took]) -> Iterator[Row]:
    """Median and 95th percentile over all questions of all rounds."""
    took = [[ms for one in found for ms in one.value["ms"]] for found in (ours, theirs)]
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        yield Row(f"{what}, {name}", *(float(np.quantile(some, share)) for some in took), "ms")


def overlap(left: Took, right: Took) -> float:
    """Which share of what `left` found `right` found too."""
    return overlap_rows(left.value["found"], right.value["found"])


def overlap_rows(left: Sequence[Sequence[Any]], right: Sequence[Sequence[Any]]) -> float:
    """Mean share of each row of `left` that stands in the same row of `right`."""
    shares = [
        len(set(mine) & set(other)) / len(set(mine))
        for mine, other in zip(left, right, strict=True)
        if mine
    ]
    return statistics.mean(shares) if shares else 0.0


def found_share(bench: Bench, found: Took) -> float:
    """Share of the questions for which a known study was found."""
    hits = [
        bool(set(wanted) & set(studies))
        for wanted, studies in zip(bench.relevant, found.value["found"], strict=True)
    ]
    return statistics.mean(hits)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        serve(partial(CONTENDERS[sys.argv[2]], Path(sys.argv[3])))
    else:
        sys.exit(main())
