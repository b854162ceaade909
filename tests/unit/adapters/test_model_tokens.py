from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from model_files import TinyModel, default_model, tiny_model
from proband.adapters.model_card import Architecture, ModelKind
from proband.adapters.model_tokens import ModelTokenizer
from proband.errors import ModelError, TextTooLong


@pytest.fixture
def tiny(tmp_path: Path) -> TinyModel:
    return tiny_model(tmp_path, Architecture.XLM_ROBERTA, ModelKind.RERANKER)


def test_declared_truncation_and_padding_are_switched_off(tiny: TinyModel) -> None:
    tokenizer = ModelTokenizer(tiny.folder / "tokenizer.json", 12)
    texts = ["age", "no prior drug therapy of heart or liver"]
    for found, text in zip(tokenizer.ids(texts), texts, strict=True):
        assert found.dtype == np.int32
        assert found.tolist() == tiny.ids(text)


def test_a_pair_is_joined_as_the_file_says(tiny: TinyModel) -> None:
    tokenizer = ModelTokenizer(tiny.folder / "tokenizer.json", 12)
    (found, other) = tokenizer.pair_ids("asthma", ["no drug", ""])
    assert found.tolist() == tiny.ids("asthma", "no drug")
    assert other.tolist() == tiny.ids("asthma", "")


def test_the_window_counts_the_special_tokens(tiny: TinyModel) -> None:
    tokenizer = ModelTokenizer(tiny.folder / "tokenizer.json", 5)
    assert len(tokenizer.ids(["age age age"])[0]) == 5
    with pytest.raises(TextTooLong, match="6 tokens, more than the 5"):
        tokenizer.ids(["age", "age age age age"])
    with pytest.raises(TextTooLong, match="6 tokens"):
        tokenizer.pair_ids("age", ["age"])


def test_spans_are_characters_not_bytes(tiny: TinyModel) -> None:
    text = "Ünlü β-blocker age"
    (spans,) = ModelTokenizer(tiny.folder / "tokenizer.json", 12).spans([text])
    assert [text[start:end] for start, end in spans] == ["Ünlü", "β-blocker", "age"]


def test_bytes_that_are_no_tokenizer_are_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read as a tokenizer"):
        ModelTokenizer(path, 12)


@pytest.mark.model
def test_default_tokenizer_neither_cuts_nor_pads() -> None:
    card, folder = default_model()
    tokenizer = ModelTokenizer(folder / "tokenizer.json", card.window)
    short, long = tokenizer.ids(["asthma", "asthma " * 250])
    assert short.tolist() == [101, 26180, 102]
    assert len(long) == 252


def test_a_word_without_a_token_of_its_own_is_as_special_as_can_be(tiny: TinyModel) -> None:
    tokenizer = ModelTokenizer(tiny.folder / "tokenizer.json", 12)
    found = tokenizer.specificity(["age", "heart attack"])
    assert 0 <= found[0] <= 1
    assert found[1] == 1.0
    assert tokenizer.specificity([]) == []


@pytest.mark.model
def test_the_default_vocabulary_ranks_words_by_how_common_they_are() -> None:
    card, folder = default_model()
    found = ModelTokenizer(folder / "tokenizer.json", card.window).specificity(
        ["the", "want", "wife", "malaria", "ruxolitinib"]
    )
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0.0, 1.0)
    assert found[1] == pytest.approx(0.53, abs=0.01)
