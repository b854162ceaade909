from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from model_files import TinyModel, default_model, tiny_model
from proband.adapters.model_card import Architecture, ModelKind
from proband.adapters.openvino import (
    Encoder,
    OpenVinoEmbedder,
    OpenVinoReranker,
    Precision,
    Runtime,
    batches,
    native_precision,
)
from proband.adapters.silent_openvino import ov
from proband.errors import BadModelOutput, ModelError, TextTooLong

EXACT = Runtime(threads=1, precision=Precision.F32)


def ids(*lengths: int) -> list[np.ndarray]:
    """Token ids of these lengths, all different."""
    return [np.full(length, number, dtype=np.int32) for number, length in enumerate(lengths)]


class TestBatches:
    def test_hold_texts_of_one_length_longest_first(self) -> None:
        texts = ids(2, 5, 2, 3, 5)
        assert list(batches(texts, range(5), 100)) == [[1, 4], [3], [0, 2]]

    def test_hold_at_most_the_given_tokens(self) -> None:
        assert list(batches(ids(3, 3, 3, 3, 3), range(5), 7)) == [[0, 1], [2, 3], [4]]

    def test_hold_a_text_that_is_longer_alone(self) -> None:
        assert list(batches(ids(9, 9, 2), range(3), 4)) == [[0], [1], [2]]

    def test_hold_only_the_rows_asked_for(self) -> None:
        assert list(batches(ids(4, 4, 4), [0, 2], 100)) == [[0, 2]]

    def test_of_nothing_are_none(self) -> None:
        assert list(batches([], [], 10)) == []


class CountingEncoder(Encoder):
    """Counts the texts that were really computed."""

    computed = 0

    def _infer(self, ids: np.ndarray) -> list[np.ndarray]:
        self.computed += len(ids)
        return super()._infer(ids)


def test_equal_token_ids_are_computed_once(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    encoder = CountingEncoder(tiny.card, tmp_path, EXACT)
    once, again, other = ([1, 5, 2], [1, 5, 2], [1, 6, 2])
    rows = encoder.many([np.array(text, dtype=np.int32) for text in (once, other, again, once)])
    assert encoder.computed == 2
    np.testing.assert_array_equal(rows[[2, 3]], rows[[0, 0]])
    assert not np.array_equal(rows[0], rows[1])


@pytest.mark.parametrize("precision", list(Precision))
def test_a_row_does_not_depend_on_the_rows_beside_it(tmp_path: Path, precision: Precision) -> None:
    encoder = Encoder(tiny_model(tmp_path).card, tmp_path, Runtime(2, 64, precision))
    texts = [np.array([1, 4 + n % 15, 5, 2], dtype=np.int32) for n in range(15)]
    alone = np.stack([encoder.one(text) for text in texts])
    for count in (1, 2, 3, 7, 15):
        np.testing.assert_array_equal(encoder.many(texts[:count]), alone[:count])


def test_failure_of_openvino_is_one_clear_error_and_the_next_call_works(tmp_path: Path) -> None:
    class Failing:
        def infer(self, inputs: object) -> None:
            raise RuntimeError("not enough memory")

    encoder = Encoder(tiny_model(tmp_path).card, tmp_path, EXACT)
    working = [encoder._requests.get(), encoder._requests.get()]
    encoder._requests.put(Failing())
    text = np.array([1, 5, 2], dtype=np.int32)
    with pytest.raises(ModelError, match="OpenVINO failed on 1 texts: not enough memory"):
        encoder.one(text)
    assert isinstance(encoder._requests.get_nowait(), Failing)
    encoder._requests.put(working[0])
    assert encoder.one(text).shape == (16,)


def embedder(tiny: TinyModel, runtime: Runtime = EXACT, query_cache: int = 8) -> OpenVinoEmbedder:
    return OpenVinoEmbedder(tiny.card, tiny.folder, runtime, query_cache=query_cache)


class TestDigest:
    def test_is_the_same_for_the_same_model(self, tmp_path: Path) -> None:
        tiny = tiny_model(tmp_path)
        assert embedder(tiny).digest == embedder(tiny).digest

    def test_changes_with_the_precision(self, tmp_path: Path) -> None:
        tiny = tiny_model(tmp_path)
        half = Runtime(threads=1, precision=Precision.BF16)
        assert embedder(tiny).digest != embedder(tiny, half).digest

    def test_does_not_change_with_threads_or_batches(self, tmp_path: Path) -> None:
        tiny = tiny_model(tmp_path)
        other = Runtime(threads=2, batch_tokens=64, precision=Precision.F32)
        assert embedder(tiny).digest == embedder(tiny, other).digest


class TestQueryCache:
    def test_gives_equal_tokens_one_entry(self, tmp_path: Path) -> None:
        model = embedder(tiny_model(tmp_path))
        assert model.embed_query("No  prior DRUG") is model.embed_query("no prior drug ")

    def test_forgets_the_question_used_longest_ago(self, tmp_path: Path) -> None:
        model = embedder(tiny_model(tmp_path), query_cache=2)
        age, drug = model.embed_query("age"), model.embed_query("drug")
        assert model.embed_query("age") is age
        model.embed_query("heart")
        assert model.embed_query("age") is age
        again = model.embed_query("drug")
        assert again is not drug
        np.testing.assert_array_equal(again, drug)

    def test_can_be_switched_off(self, tmp_path: Path) -> None:
        model = embedder(tiny_model(tmp_path), query_cache=0)
        assert model.embed_query("age") is not model.embed_query("age")

    def test_cannot_be_spoilt_by_who_got_a_vector(self, tmp_path: Path) -> None:
        vector = embedder(tiny_model(tmp_path)).embed_query("age")
        with pytest.raises(ValueError, match="read-only"):
            vector[0] = 1


def test_vector_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    spoilt = {name: tensor.copy() for name, tensor in tiny.weights.items()}
    spoilt["embeddings.word_embeddings.weight"][:] = np.nan
    save_file(spoilt, tmp_path / "model.safetensors")
    model = embedder(tiny)
    with pytest.raises(BadModelOutput, match="tiny gave a vector"):
        model.embed_documents(["age"])
    with pytest.raises(BadModelOutput):
        model.embed_query("age")


def test_vector_of_another_length_than_stated_is_refused(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    with pytest.raises(BadModelOutput, match="16 numbers, not 17"):
        embedder(replace(tiny, card=replace(tiny.card, dimensions=17)))


def test_native_precision_is_openvinos_own_choice() -> None:
    class Processor:
        def __init__(self, hint: ov.Type) -> None:
            self.hint = hint

        def get_property(self, device: str, name: str) -> ov.Type:
            assert (device, name) == ("CPU", "INFERENCE_PRECISION_HINT")
            return self.hint

    assert native_precision(Processor(ov.Type.bf16)) is Precision.BF16
    assert native_precision(Processor(ov.Type.f32)) is Precision.F32
    assert native_precision(Processor(ov.Type.f16)) is Precision.F32


class TestReranker:
    @pytest.fixture
    def tiny(self, tmp_path: Path) -> TinyModel:
        return tiny_model(tmp_path, Architecture.XLM_ROBERTA, ModelKind.RERANKER)

    def test_scores_stand_in_the_order_of_the_passages(self, tiny: TinyModel) -> None:
        passages = ["asthma drug", "no", "therapy of heart or liver", "no"]
        scores = OpenVinoReranker(tiny.card, tiny.folder, EXACT).score_pairs("asthma", passages)
        expected = [tiny.logit("asthma", passage) for passage in passages]
        np.testing.assert_allclose(scores, expected, atol=2e-6)

    def test_pair_beyond_the_window_is_refused(self, tiny: TinyModel) -> None:
        reranker = OpenVinoReranker(tiny.card, tiny.folder, EXACT)
        with pytest.raises(TextTooLong, match="13 tokens"):
            reranker.score_pairs("drug drug drug", ["age", "heart heart heart heart heart heart"])

    def test_no_passages_have_no_scores(self, tiny: TinyModel) -> None:
        assert OpenVinoReranker(tiny.card, tiny.folder, EXACT).score_pairs("age", []).shape == (0,)


@pytest.mark.model
def test_default_model_gives_the_same_bytes_in_any_batch() -> None:
    card, folder = default_model()
    model = OpenVinoEmbedder(card, folder, Runtime(batch_tokens=256))
    lines = [f"Patient has {'no ' * (n % 7)}history of asthma stage {n}" for n in range(60)]
    together = model.embed_documents(lines)
    for start in range(0, 60, 13):
        np.testing.assert_array_equal(model.embed_documents(lines[start:]), together[start:])
    np.testing.assert_array_equal(np.stack([model.embed_query(line) for line in lines]), together)


@pytest.mark.parametrize("architecture", [Architecture.BERT, Architecture.XLM_ROBERTA])
def test_token_vectors_are_the_last_layer_without_the_special_tokens(
    tmp_path: Path, architecture: Architecture
) -> None:
    tiny = tiny_model(tmp_path, architecture)
    model = OpenVinoEmbedder(tiny.card, tmp_path, replace(EXACT, token_vectors=True))
    texts = ["prior heart drug", "asthma", "prior heart drug"]
    for text, found in zip(texts, model.token_vectors(texts), strict=True):
        states = tiny.states(tiny.ids(text))[1:-1]
        expected = states / np.linalg.norm(states, axis=1, keepdims=True)
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_vectors_of_texts_are_the_same_bytes_beside_token_vectors(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    plain, both = (
        OpenVinoEmbedder(tiny.card, tmp_path, replace(EXACT, token_vectors=wanted))
        for wanted in (False, True)
    )
    text = "no prior therapy"
    np.testing.assert_array_equal(plain.embed_query(text), both.embed_query(text))
