"""What every Embedder keeps, shown on the real one over a tiny random model and on the tests' stand-in."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from fakes import HashEmbedder
from model_files import tiny_model
from proband.adapters.model_card import Architecture
from proband.adapters.openvino import OpenVinoEmbedder, Precision, Runtime
from proband.errors import TextTooLong
from proband.ports import Embedder

WINDOW = 12
TEXTS = [
    "age",
    "no prior therapy",
    "asthma or cancer of liver or kidney",
    "",
    "no prior drug therapy",
    "trial with heart",
    "trial of drug",
    "no prior therapy",
]


def openvino(folder: Path, architecture: Architecture, precision: Precision) -> Embedder:
    tiny = tiny_model(folder, architecture, window=WINDOW)
    runtime = Runtime(threads=2, batch_tokens=16, precision=precision)
    return OpenVinoEmbedder(tiny.card, tiny.folder, runtime, query_cache=2)


@pytest.fixture(scope="module", params=["hash words", "bert bf16", "bert f32", "xlm-roberta f32"])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    tmp_path = tmp_path_factory.mktemp("model")
    match request.param:
        case "hash words":
            return HashEmbedder(16, WINDOW)
        case "bert bf16":
            return openvino(tmp_path, Architecture.BERT, Precision.BF16)
        case "bert f32":
            return openvino(tmp_path, Architecture.BERT, Precision.F32)
        case _:
            return openvino(tmp_path, Architecture.XLM_ROBERTA, Precision.F32)


def test_rows_stand_in_the_order_of_the_texts_and_have_norm_one(embedder: Embedder) -> None:
    rows = embedder.embed_documents(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(TEXTS, rows, strict=True):
        np.testing.assert_array_equal(embedder.embed_documents([text])[0], row)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.dimensions)


def test_same_text_gives_the_same_bytes_whatever_the_order_and_the_batch(
    embedder: Embedder,
) -> None:
    alone = {text: embedder.embed_documents([text])[0].tobytes() for text in TEXTS}
    for seed in range(5):
        order = random.Random(seed).choices(TEXTS, k=9)
        rows = embedder.embed_documents(order)
        assert [row.tobytes() for row in rows] == [alone[text] for text in order]


def test_a_question_gets_the_vector_that_the_same_document_has(embedder: Embedder) -> None:
    rows = embedder.embed_documents(TEXTS)
    for _ in range(2):
        for text, row in zip(TEXTS, rows, strict=True):
            np.testing.assert_array_equal(embedder.embed_query(text), row)


def test_different_texts_differ(embedder: Embedder) -> None:
    first, second = embedder.embed_documents(["asthma of heart", "cancer of liver"])
    assert first @ second < 0.999


def test_empty_text_has_a_vector_and_white_space_the_same(embedder: Embedder) -> None:
    empty, blank = embedder.embed_documents(["", " \n "])
    assert np.all(np.isfinite(empty))
    np.testing.assert_array_equal(empty, blank)


def test_a_text_that_fills_the_window_is_embedded_whole(embedder: Embedder) -> None:
    special = embedder.window_tokens - room(embedder)
    assert special in (0, 2)
    full = " ".join(["drug"] * (room(embedder) - 1) + ["asthma"])
    other = " ".join(["drug"] * (room(embedder) - 1) + ["kidney"])
    rows = embedder.embed_documents([full, other])
    assert not np.array_equal(rows[0], rows[1])


def room(embedder: Embedder) -> int:
    """How many words fit beside the special tokens."""
    return WINDOW if isinstance(embedder, HashEmbedder) else WINDOW - 2


def test_a_text_beyond_the_window_is_refused_and_not_quoted(embedder: Embedder) -> None:
    text = " ".join(["drug"] * (room(embedder) + 1))
    with pytest.raises(TextTooLong, match=f"{WINDOW + 1} tokens.* {WINDOW}") as raised:
        embedder.embed_documents(["age", text])
    assert "drug" not in str(raised.value)
    with pytest.raises(TextTooLong):
        embedder.embed_query(text)


def test_token_spans_cut_the_text_at_its_tokens(embedder: Embedder) -> None:
    text = "  Prior drug\n therapy"
    (spans, none) = embedder.token_spans([text, ""])
    assert [text[start:end] for start, end in spans] == ["Prior", "drug", "therapy"]
    assert none == []


def test_token_spans_are_not_cut_at_the_window(embedder: Embedder) -> None:
    (spans,) = embedder.token_spans([" ".join(["drug"] * 40)])
    assert spans == [(5 * n, 5 * n + 4) for n in range(40)]


def test_many_threads_get_the_same_vectors(embedder: Embedder) -> None:
    alone = [embedder.embed_documents([text])[0] for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        questions = list(pool.map(embedder.embed_query, TEXTS * 4))
        documents = list(pool.map(embedder.embed_documents, [TEXTS] * 4))
    np.testing.assert_array_equal(np.stack(questions), np.stack(alone * 4))
    for rows in documents:
        np.testing.assert_array_equal(rows, np.stack(alone))
