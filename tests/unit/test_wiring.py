from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from model_files import tiny_model, write_card
from proband.adapters.model_card import Architecture, ModelKind
from proband.errors import ModelError, UnknownModel
from proband.settings import ModelSettings, Settings
from proband.wiring import Home, reranker


def home(folder: Path, name: str) -> Home:
    return Home(folder, folder / "models", Settings(model=ModelSettings(reranker=name)))


def test_without_a_name_there_is_no_cross_encoder(tmp_path: Path) -> None:
    assert reranker(home(tmp_path, "")) is None


def test_a_reranker_that_no_file_names_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match="no-such-model"):
        reranker(home(tmp_path, "no-such-model"))


def test_a_dense_model_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="all-minilm-l6-v2 is no reranker"):
        reranker(home(tmp_path, "all-minilm-l6-v2"))


def test_a_reranker_of_the_home_scores_pairs(tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path / "models" / "tiny", Architecture.XLM_ROBERTA, ModelKind.RERANKER)
    write_card(tmp_path / "models.toml", tiny.card)
    found = reranker(home(tmp_path, tiny.card.name))
    assert found
    expected = [tiny.logit("asthma", "asthma drug")]
    np.testing.assert_allclose(found.score_pairs("asthma", ["asthma drug"]), expected, atol=5e-2)
