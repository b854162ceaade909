"""Embedder and reranker that run in this process on OpenVINO."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from proband.adapters.graph import encoder
from proband.adapters.model_card import ModelCard
from proband.adapters.model_tokens import ModelTokenizer, TokenIds
from proband.adapters.silent_openvino import ov
from proband.errors import BadModelOutput, ModelError
from proband.model import Float32Matrix, Float32Vector

GRAPH_VERSION = 1
"""Part of the digest: raised when the graph's arithmetic changes."""

KERNELS_KEPT = 256
"""Compiled products and normalisations that a stream keeps, one for each shape of a batch; OpenVINO's default is 5,000.

50,000 registry texts came to 1.3 GB of them, and with 256 to 0.4 GB at the same speed: 64 microseconds a token, 4 ms a
question.
"""

NORM_ERROR = 1e-3
"""How far a vector's norm may be from 1. bfloat16 inference gave at most 2e-7 over 5,000 registry texts."""


class Precision(StrEnum):
    """What the products of the encoder are computed in."""

    BF16 = "bf16"
    F32 = "f32"


@dataclass(frozen=True, slots=True)
class Runtime:
    """How a model runs.

    Args:
        threads: 0: all that OpenVINO finds useful among those that the process may use.
        batch_tokens: most tokens in one inference, unless one text alone has more.
        precision: None: what the processor does best, `native_precision`.
        one_at_a_time: all threads work on one batch, for questions: 4 ms instead of 6 for one of 20 tokens on 2 cores.
            Many documents take a fifth longer so.
        token_vectors: also gives the vector of each token, for late interaction.
    """

    threads: int = 0
    batch_tokens: int = 1024
    precision: Precision | None = None
    one_at_a_time: bool = False
    token_vectors: bool = False


def native_precision(core: ov.Core) -> Precision:
    """bf16 where the processor multiplies it in hardware, else f32.

    OpenVINO's own choice is asked, not its list of capabilities: that one names BF16 wherever it can be emulated.
    """
    hint = core.get_property("CPU", "INFERENCE_PRECISION_HINT")
    return Precision.BF16 if hint == ov.Type.bf16 else Precision.F32


class Encoder:
    """A compiled graph over token ids. May be called from many threads.

    Batches run side by side in streams, on few cores one a core, which needs no barrier inside a product, unless the
    runtime asks for one at a time. A batch holds texts of one length, so a row does not depend on the rows beside it:
    same ids, same bytes.
    """

    def __init__(self, card: ModelCard, folder: Path, runtime: Runtime) -> None:
        core = ov.Core()
        self._width = card.dimensions
        self._batch_tokens = runtime.batch_tokens
        self.precision = runtime.precision or native_precision(core)
        settings: dict[str, str | int] = {
            "PERFORMANCE_HINT": "LATENCY" if runtime.one_at_a_time else "THROUGHPUT",
            "INFERENCE_PRECISION_HINT": self.precision.value,
            "CPU_RUNTIME_CACHE_CAPACITY": KERNELS_KEPT,
        }
        if runtime.threads:
            settings["INFERENCE_NUM_THREADS"] = runtime.threads
        graph = encoder(card, folder, token_vectors=runtime.token_vectors)
        try:
            compiled = core.compile_model(graph, "CPU", settings)
        except RuntimeError as error:
            raise ModelError(f"OpenVINO cannot compile {card.name}: {error}.") from error
        width = compiled.output(0).partial_shape[1]
        if width != card.dimensions:
            raise BadModelOutput(f"{card.name} gives {width} numbers, not {card.dimensions}.")
        streams = compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
        self._pool = ThreadPoolExecutor(streams, "embed")
        self._requests: SimpleQueue[ov.InferRequest] = SimpleQueue()
        for _ in range(streams + 1):  # one more, so that a question need not wait for documents
            self._requests.put(compiled.create_infer_request())

    def one(self, ids: TokenIds) -> Float32Vector:
        """The output row of one text."""
        row: Float32Vector = self._infer(ids[np.newaxis])[0][0]
        return row

    def many(self, ids: Sequence[TokenIds]) -> Float32Matrix:
        """The output rows `(len(ids), width)` in the order of `ids`; equal ids are computed once."""
        rows = self._outputs(ids, 0)
        return np.stack(rows) if rows else np.empty((0, self._width), dtype=np.float32)

    def tokens(self, ids: Sequence[TokenIds]) -> list[Float32Matrix]:
        """The unit vectors of each text's tokens, `(tokens, width)`, in the order of `ids`."""
        return self._outputs(ids, 1)

    def _outputs(self, ids: Sequence[TokenIds], output: int) -> list[npt.NDArray[np.float32]]:
        """One output of each text, in the order of `ids`."""
        first = {text.tobytes(): row for row, text in reversed(list(enumerate(ids)))}
        found: dict[int, npt.NDArray[np.float32]] = {}

        def fill(batch: list[int]) -> None:
            rows = self._infer(np.stack([ids[row] for row in batch]))[output]
            found.update(zip(batch, rows, strict=True))

        for _ in self._pool.map(fill, batches(ids, sorted(first.values()), self._batch_tokens)):
            pass
        return [found[first[text.tobytes()]] for text in ids]

    def _infer(self, ids: npt.NDArray[np.int32]) -> list[npt.NDArray[np.float32]]:
        request = self._requests.get()
        try:
            outputs = request.infer([ids])
            rows = [outputs[place].copy() for place in range(len(outputs))]
        except RuntimeError as error:
            raise ModelError(f"OpenVINO failed on {ids.shape[0]} texts: {error}.") from error
        finally:
            self._requests.put(request)
        return rows


def batches(ids: Sequence[TokenIds], rows: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """`rows` of `ids` in groups of one length and at most `tokens` tokens, or one text; longest first.

    Longest first, so that the threads finish within a small batch of each other.
    """
    batch: list[int] = []
    for row in sorted(rows, key=lambda row: -len(ids[row])):
        length = len(ids[row])
        if batch and (length != len(ids[batch[0]]) or (len(batch) + 1) * length > tokens):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


class OpenVinoEmbedder:
    """An Embedder over a published model. Opens in the time it takes to compile it, about half a second."""

    def __init__(
        self, card: ModelCard, folder: Path, runtime: Runtime, *, query_cache: int = 1024
    ) -> None:
        self._card = card
        self._tokenizer = ModelTokenizer(folder / "tokenizer.json", card.window)
        self._encoder = Encoder(card, folder, runtime)
        self._queries: OrderedDict[bytes, Float32Vector] = OrderedDict()
        self._query_cache = query_cache
        self._lock = Lock()

    @property
    def digest(self) -> str:
        """sha256 over the model's files, the graph's version and the precision."""
        facts = f"{self._card.digest} {GRAPH_VERSION} {self._encoder.precision}"
        return hashlib.sha256(facts.encode()).hexdigest()

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._card.dimensions

    @property
    def window_tokens(self) -> int:
        """Tokens that one text may have, the special ones included."""
        return self._card.window

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """The character ranges of each text's tokens, without the special ones."""
        return self._tokenizer.spans(texts)

    def embed_documents(self, texts: Sequence[str]) -> Float32Matrix:
        """Unit rows in the order of `texts`. Texts with equal tokens are computed once."""
        return self._checked(self._encoder.many(self._tokenizer.ids(texts)))

    def embed_query(self, text: str) -> Float32Vector:
        """A read-only unit vector; texts with equal tokens share an entry of the cache."""
        (ids,) = self._tokenizer.ids([text])
        key = ids.tobytes()
        with self._lock:
            if key in self._queries:
                self._queries.move_to_end(key)
                return self._queries[key]
        vector: Float32Vector = self._checked(self._encoder.one(ids)[np.newaxis])[0]
        vector.setflags(write=False)
        with self._lock:
            self._queries[key] = vector
            while len(self._queries) > self._query_cache:
                self._queries.popitem(last=False)
        return vector

    def token_vectors(self, texts: Sequence[str]) -> list[Float32Matrix]:
        """The unit vectors of each text's tokens, the special ones left out. Needs a runtime with `token_vectors`."""
        found = self._encoder.tokens(self._tokenizer.ids(texts))
        return [self._checked(rows[1:-1]) for rows in found]

    def specificity(self, words: Sequence[str]) -> list[float]:
        """How special each word is in general language, by the model's vocabulary."""
        return self._tokenizer.specificity(words)

    def _checked(self, rows: Float32Matrix) -> Float32Matrix:
        norms = np.linalg.norm(rows, axis=1)
        if not np.all(np.abs(norms - 1) <= NORM_ERROR):
            raise BadModelOutput(
                f"{self._card.name} gave a vector that is not finite or not of norm 1."
            )
        return rows


class OpenVinoReranker:
    """Scores pairs of texts by a published cross-encoder."""

    def __init__(self, card: ModelCard, folder: Path, runtime: Runtime) -> None:
        self._card = card
        self._tokenizer = ModelTokenizer(folder / "tokenizer.json", card.window)
        self._encoder = Encoder(card, folder, runtime)

    def score_pairs(self, query: str, passages: Sequence[str]) -> Float32Vector:
        """The logit of each passage, `(len(passages),)`. Raises TextTooLong for a pair beyond the window."""
        rows = self._encoder.many(self._tokenizer.pair_ids(query, passages))
        logits: Float32Vector = rows[:, 0]
        if not np.all(np.isfinite(logits)):
            raise BadModelOutput(f"{self._card.name} gave a score that is not finite.")
        return logits


if TYPE_CHECKING:
    from proband.ports import Embedder, TokenEmbedder

    def _satisfied(embedder: OpenVinoEmbedder) -> tuple[Embedder, TokenEmbedder]:
        return embedder, embedder
