"""Embedding against ONNX Runtime: `python benchmarks/speed/embedding.py [STUDIES.jsonl.gz] [--texts 1000]`.

Same weights, same texts, same number of threads, turn by turn in one run on an idle machine. ONNX Runtime runs a
float32 graph that is made here from the safetensors file, with all its graph optimisations, in two ways: given the very
batches that proband makes, and as it is usually called, on batches of 256 texts in the order given, each padded to its
longest text. Texts are eligibility lines of the file, else lines of the sample's words as long as the registry's are.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnx_bert import IDS, MASK, write_bert

from proband.adapters.graph import read_shape
from proband.adapters.model_card import ModelCard
from proband.adapters.model_tokens import ModelTokenizer, TokenIds
from proband.adapters.openvino import Encoder, Precision, Runtime, batches, native_precision
from proband.adapters.silent_openvino import ov
from proband.wiring import model_store, read_home

CALLED_WITH = 256
BATCH_TOKENS = 1024
QUANTILES = (2, 5, 8, 11, 14, 18, 23, 30, 43, 75, 170)
"""Deciles of the words in the registry's eligibility lines."""

Vectors = npt.NDArray[np.float32]


def registry_lines(path: Path) -> list[str]:
    """The eligibility lines of a file of studies, one JSON object a line."""
    lines: list[str] = []
    with gzip.open(path, "rt", encoding="utf-8") as studies:
        for study in studies:
            module = json.loads(study)["protocolSection"].get("eligibilityModule", {})
            lines += re.split(
                r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)]) )", module.get("eligibilityCriteria", "")
            )
    return [line.strip() for line in lines if line.strip()]


def made_lines(count: int) -> list[str]:
    """Lines of the sample's words, as long as the registry's lines are."""
    chance = random.Random(1)
    words: list[str] = []
    for file in (files("proband") / "sample" / "studies").iterdir():
        words += re.findall(r"[A-Za-z0-9.%/-]+", file.read_text(encoding="utf-8"))
    return [" ".join(chance.choices(words, k=_length(chance))) for _ in range(count)]


def _length(chance: random.Random) -> int:
    decile = chance.randrange(len(QUANTILES) - 1)
    return chance.randint(QUANTILES[decile], QUANTILES[decile + 1])


class OnnxRuntime:
    """ONNX Runtime over the same weights in float32."""

    def __init__(self, card: ModelCard, folder: Path, threads: int, scratch: Path) -> None:
        write_bert(
            folder / "model.safetensors",
            read_shape(folder / "config.json", card.architecture),
            scratch,
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self._session = onnxruntime.InferenceSession(
            scratch, options, providers=["CPUExecutionProvider"]
        )

    def given(self, texts: Sequence[TokenIds]) -> Vectors:
        """In proband's batches."""
        rows = np.empty((len(texts), 384), dtype=np.float32)
        for batch in batches(texts, range(len(texts)), BATCH_TOKENS):
            ids = np.stack([texts[row] for row in batch])
            rows[batch] = self._run(ids, np.ones_like(ids))
        return rows

    def called(self, texts: Sequence[TokenIds]) -> Vectors:
        """In batches of 256 in the order given, padded."""
        rows = []
        for start in range(0, len(texts), CALLED_WITH):
            batch = texts[start : start + CALLED_WITH]
            ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int32)
            mask = np.zeros_like(ids)
            for row, text in enumerate(batch):
                ids[row, : len(text)] = text
                mask[row, : len(text)] = 1
            rows.append(self._run(ids, mask))
        return np.concatenate(rows)

    def _run(self, ids: npt.NDArray[np.int32], mask: npt.NDArray[np.int32]) -> Vectors:
        inputs = {IDS: ids.astype(np.int64), MASK: mask.astype(np.int64)}
        vectors: Vectors = self._session.run(None, inputs)[0]
        return vectors


def main() -> None:
    """Runs all ways in turn and prints their medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("studies", nargs="?", type=Path)
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    home = read_home()
    store = model_store(home)
    card = store.card("all-minilm-l6-v2")
    folder = store.open(card)
    tokenizer = ModelTokenizer(folder / "tokenizer.json", 1_000_000)
    texts = _sample(tokenizer, chosen.studies, chosen.texts, card.window)
    with TemporaryDirectory() as scratch:
        onnx = OnnxRuntime(card, folder, chosen.threads, Path(scratch) / "bert.onnx")
    native = native_precision(ov.Core())
    ways: dict[str, Callable[[Sequence[TokenIds]], Vectors]] = {
        f"proband {precision}": Encoder(
            card, folder, Runtime(chosen.threads, BATCH_TOKENS, precision)
        ).many
        for precision in dict.fromkeys((native, Precision.F32))
    }
    ways |= {"onnxruntime f32, same batches": onnx.given, "onnxruntime f32, as called": onnx.called}
    _report(ways, texts, chosen.repeats, chosen.threads, native)


def _sample(
    tokenizer: ModelTokenizer, studies: Path | None, count: int, window: int
) -> list[TokenIds]:
    """Token ids of `count` different texts that fit the window, in a random order."""
    lines = registry_lines(studies) if studies else made_lines(count * 2)
    lines = list(dict.fromkeys(lines))
    random.Random(2).shuffle(lines)
    fitting = (text for text in tokenizer.ids(lines[: count * 2]) if len(text) <= window)
    return [text for text, _ in zip(fitting, range(count), strict=False)]


def _report(
    ways: dict[str, Callable[[Sequence[TokenIds]], Vectors]],
    texts: list[TokenIds],
    repeats: int,
    threads: int,
    native: Precision,
) -> None:
    tokens = sum(map(len, texts))
    capabilities = ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    print(f"{ov.Core().get_property('CPU', 'FULL_DEVICE_NAME')}: {' '.join(capabilities)}")
    print(f"native precision {native}, {threads} threads, load {os.getloadavg()[0]:.1f}")
    print(
        f"{len(texts):,} different texts, {tokens:,} tokens; median of {repeats}, least in brackets\n"
    )
    walls: dict[str, list[float]] = {name: [] for name in ways}
    cpus: dict[str, list[float]] = {name: [] for name in ways}
    rows: dict[str, Vectors] = {name: way(texts) for name, way in ways.items()}  # warms up
    for _ in range(repeats):
        for name, way in ways.items():
            wall, cpu = time.perf_counter(), time.process_time()
            way(texts)
            walls[name].append(time.perf_counter() - wall)
            cpus[name].append(time.process_time() - cpu)
    exact = rows["onnxruntime f32, same batches"]
    first = statistics.median(walls[next(iter(ways))])
    for name in ways:
        wall, cpu = statistics.median(walls[name]), statistics.median(cpus[name])
        cosine = float(np.min(np.sum(rows[name] * exact, axis=1)))
        print(
            f"{name:<30} {len(texts) / wall:7.0f} texts/s  wall {wall:6.2f} s ({min(walls[name]):.2f})"
            f"  CPU {cpu:6.2f} s ({min(cpus[name]):.2f})  least cosine {cosine:.6f}"
            f"  {wall / first:5.2f} times the time"
        )


if __name__ == "__main__":
    main()
