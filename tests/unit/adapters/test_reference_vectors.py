"""The default model against vectors that PyTorch computed from the same weights."""

from __future__ import annotations

import json

import numpy as np
import pytest

from model_files import default_model
from proband.adapters.openvino import OpenVinoEmbedder, Precision, Runtime
from shared_data import shared

pytestmark = [pytest.mark.model, pytest.mark.shared]


@pytest.mark.parametrize("precision", [None, Precision.F32, Precision.BF16])
def test_each_reference_vector_is_met(precision: Precision | None) -> None:
    items = json.loads(shared("data/reference-vectors/minilm.json").read_text())["items"]
    card, folder = default_model()
    model = OpenVinoEmbedder(card, folder, Runtime(precision=precision))
    texts = [within(model, item["text"]) for item in items]
    rows = model.embed_documents(texts)
    expected = np.array([item["vector"] for item in items])
    cosines = np.sum(rows * expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert len(cosines) == 60
    assert cosines.min() >= 0.9999


def within(model: OpenVinoEmbedder, text: str) -> str:
    """The text up to the end of its last token that fits the window: the reference was cut there."""
    (spans,) = model.token_spans([text])
    room = model.window_tokens - 2
    return text if len(spans) <= room else text[: spans[room - 1][1]]
