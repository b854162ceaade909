from __future__ import annotations

from pathlib import Path

import pytest

from model_files import card_of, published
from proband.adapters.model_card import ModelCard
from proband.adapters.model_store import FileState, ModelStore, sha256_of
from proband.errors import HomeError, ModelFileMissing, ModelFileWrong, UnknownModel


@pytest.fixture
def card(tmp_path: Path) -> ModelCard:
    (tmp_path / "tiny" / "onnx").mkdir(parents=True)
    (tmp_path / "tiny" / "config.json").write_bytes(b"{}")
    (tmp_path / "tiny" / "onnx" / "model.onnx").write_bytes(b"weights")
    return card_of(tmp_path / "tiny", "config.json", "onnx/model.onnx")


@pytest.fixture
def store(tmp_path: Path, card: ModelCard) -> ModelStore:
    return ModelStore(tmp_path, {"tiny": card})


def states(store: ModelStore, card: ModelCard) -> list[tuple[str, FileState]]:
    return [(check.file.name, check.state) for check in store.verify(card)]


def test_complete_model_opens_as_its_folder(
    store: ModelStore, card: ModelCard, tmp_path: Path
) -> None:
    assert store.open(card) == tmp_path / "tiny"
    assert store.present(card)


def test_verify_names_the_state_of_each_file_and_changes_nothing(
    store: ModelStore, card: ModelCard, tmp_path: Path
) -> None:
    (tmp_path / "tiny" / "config.json").unlink()
    (tmp_path / "tiny" / "onnx" / "model.onnx").write_bytes(b"wEights")
    expected = [("config.json", FileState.MISSING), ("onnx/model.onnx", FileState.WRONG)]
    assert states(store, card) == expected
    assert states(store, card) == expected
    assert (tmp_path / "tiny" / "onnx" / "model.onnx").read_bytes() == b"wEights"


def test_missing_file_says_which_command_brings_it(
    store: ModelStore, card: ModelCard, tmp_path: Path
) -> None:
    (tmp_path / "tiny" / "config.json").unlink()
    with pytest.raises(ModelFileMissing, match=r"config\.json: `proband models pull tiny`"):
        store.open(card)
    assert not store.present(card)


@pytest.mark.parametrize("content", [b"wEights", b"weight", b"weights and more"])
def test_changed_bytes_are_not_opened(
    store: ModelStore, card: ModelCard, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "tiny" / "onnx" / "model.onnx").write_bytes(content)
    with pytest.raises(ModelFileWrong, match=r"model\.onnx is not the published file"):
        store.open(card)


def test_presence_looks_at_lengths_only(store: ModelStore, card: ModelCard, tmp_path: Path) -> None:
    (tmp_path / "tiny" / "onnx" / "model.onnx").write_bytes(b"wEights")
    assert store.present(card)


def test_unknown_model_is_told_the_known_ones(store: ModelStore) -> None:
    with pytest.raises(UnknownModel, match=r"'small'; models\.toml knows tiny"):
        store.card("small")


def test_cards_stand_by_name(card: ModelCard, tmp_path: Path) -> None:
    store = ModelStore(tmp_path, {"b": card, "a": card})
    assert store.cards == (card, card)
    assert store.card("a") is card


def test_unreadable_file_is_a_home_error(tmp_path: Path) -> None:
    with pytest.raises(HomeError, match="cannot be read"):
        sha256_of(tmp_path)


def test_published_digest_is_sha256() -> None:
    assert published("x", b"abc").sha256.startswith("ba7816bf8f01cfea414140de5dae2223")
