"""Contenders that run the model: embedding of texts, and late interaction of a question with passages.

All have the weights of all-MiniLM-L6-v2, as many threads and the same texts. fastembed reads a float32 ONNX file that
is made of the published weights, in the layout that published files have, and is called as its documentation does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx_bert import IDS, MASK, write_bert

from proband.adapters.graph import read_shape
from proband.adapters.model_card import ModelCard

NAME = "local/all-minilm-l6-v2"
RERANKED = 120
"""Passages of one reranking."""

RERANKED_BATCH = 32
ASKED = 4
"""Questions that are reranked."""


def write_model(card: ModelCard, published: Path, folder: Path) -> None:
    """The folder that fastembed reads: ONNX file, tokenizer, and what it wants to know of them."""
    folder.mkdir()
    shape = read_shape(published / "config.json", card.architecture)
    write_bert(published / "model.safetensors", shape, folder / "model.onnx", pooled=False)
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_bytes((published / name).read_bytes())
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    (folder / "special_tokens_map.json").write_text(json.dumps(special), encoding="utf-8")
    config = {"model_max_length": card.window, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def fastembed_model(folder: Path, threads: int) -> Any:
    """fastembed's own class for text, over the local files alone."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    TextEmbedding.add_custom_model(
        model=NAME,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=NAME),
        dim=384,
        model_file="model.onnx",
    )
    return TextEmbedding(
        NAME, specific_model_path=str(folder), threads=threads, local_files_only=True
    )


def texts(task: Path) -> list[str]:
    """The texts that all contenders embed."""
    found: list[str] = json.loads((task / "texts.json").read_text(encoding="utf-8"))
    return found


def threads(task: Path) -> int:
    """How many threads each contender may use."""
    return int((task / "threads").read_text())


def embedding_steps(task: Path, embed: Callable[[Sequence[str]], np.ndarray]) -> dict[str, Any]:
    """`warm` embeds all and keeps the vectors for the parent to compare, `embed` is what is timed."""
    given = texts(task)

    def warm() -> str:
        path = task / f"vectors-{embed.__qualname__}.npy"
        np.save(path, embed(given))
        return str(path)

    return {"warm": warm, "embed": lambda: len(embed(given))}


def proband_embedding(task: Path) -> dict[str, Any]:
    """proband's embedder as an import uses it."""
    from proband.adapters.openvino import OpenVinoEmbedder, Runtime
    from proband.wiring import model_store, read_home

    store = model_store(read_home())
    card = store.card("all-minilm-l6-v2")
    embedder = OpenVinoEmbedder(card, store.open(card), Runtime(threads(task)))
    return embedding_steps(task, embedder.embed_documents)


def fastembed_embedding(task: Path, batch: int = 256) -> dict[str, Any]:
    """`TextEmbedding.embed`, by default with its defaults: batches of 256 in the order given."""
    model = fastembed_model(task / "model", threads(task))

    def fastembed(given: Sequence[str]) -> np.ndarray:
        return np.array(list(model.embed(given, batch_size=batch)))

    return embedding_steps(task, fastembed)


def reranking_steps(
    task: Path, tokens: Callable[[Sequence[str]], list[np.ndarray]]
) -> dict[str, Any]:
    """`rerank` orders the passages for one question after another by the mean of their best cosines."""
    passages = texts(task)[:RERANKED]
    questions = json.loads((task / "questions.json").read_text(encoding="utf-8"))[:ASKED]

    def rerank() -> list[list[int]]:
        return [_order(tokens, question, passages) for question in questions]

    return {"warm": rerank, "rerank": rerank}


def _order(
    tokens: Callable[[Sequence[str]], list[np.ndarray]], question: str, passages: Sequence[str]
) -> list[int]:
    (asked,) = tokens([question])
    scores = [float((asked @ found.T).max(axis=1).mean()) for found in tokens(passages)]
    return [int(place) for place in np.argsort(scores)[::-1][:10]]


def proband_reranking(task: Path) -> dict[str, Any]:
    """The embedder as a search uses it."""
    from proband.adapters.openvino import OpenVinoEmbedder, Runtime
    from proband.wiring import model_store, read_home

    store = model_store(read_home())
    card = store.card("all-minilm-l6-v2")
    runtime = Runtime(threads(task), one_at_a_time=True, token_vectors=True)
    embedder = OpenVinoEmbedder(card, store.open(card), runtime)
    return reranking_steps(task, embedder.token_vectors)


def onnx_reranking(task: Path) -> dict[str, Any]:
    """The same token vectors by ONNX Runtime in batches of 32, padded, as rerankers are usually run."""
    import onnxruntime

    from proband.adapters.model_tokens import ModelTokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads(task)
    session = onnxruntime.InferenceSession(
        task / "model" / "model.onnx", options, providers=["CPUExecutionProvider"]
    )
    tokenizer = ModelTokenizer(task / "model" / "tokenizer.json", 256)

    def tokens(given: Sequence[str]) -> list[np.ndarray]:
        ids = tokenizer.ids(given)
        return [
            vectors
            for start in range(0, len(ids), RERANKED_BATCH)
            for vectors in _token_vectors(session, ids[start : start + RERANKED_BATCH])
        ]

    return reranking_steps(task, tokens)


def _token_vectors(session: Any, batch: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Unit vectors of the tokens, the special ones left out."""
    ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(batch):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    (states,) = session.run(None, {IDS: ids, MASK: mask})
    rows = [found[1 : len(text) - 1] for found, text in zip(states, batch, strict=True)]
    return [found / np.linalg.norm(found, axis=1, keepdims=True) for found in rows]
