"""The models of a home folder: `models/NAME/` with the published files, every byte checked."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from proband.adapters.model_card import FolderSource, ModelCard, ModelFile, ModelSource
from proband.adapters.model_hub import Advance, Hub
from proband.adapters.model_sources import fetch
from proband.errors import (
    HomeError,
    ModelFileMissing,
    ModelFileWrong,
    OfflineError,
    ProbandError,
    SourceError,
    SourceUnavailable,
    UnknownModel,
)


class FileState(StrEnum):
    """What is known of a file on this machine."""

    PRESENT = "present"
    MISSING = "missing"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """One file of a model and its state."""

    file: ModelFile
    state: FileState


def _unseen(stage: str, done: int, total: int | None) -> None:
    """Progress that nobody watches."""


class ModelStore:
    """Lists, pulls and verifies models.

    Args:
        folder: holds one folder a model.
        cards: the known models by name.
        hub: where hub sources are asked.
        offline: only folders are read; another source is an OfflineError before any socket is opened.
    """

    def __init__(
        self, folder: Path, cards: Mapping[str, ModelCard], hub: Hub, *, offline: bool = False
    ) -> None:
        self._folder = folder
        self._cards = cards
        self._hub = hub
        self._offline = offline

    @property
    def cards(self) -> tuple[ModelCard, ...]:
        """The known models by name."""
        return tuple(self._cards[name] for name in sorted(self._cards))

    def card(self, name: str) -> ModelCard:
        """What is known about a model. Raises UnknownModel."""
        if name not in self._cards:
            known = ", ".join(sorted(self._cards))
            raise UnknownModel(f"No model is called {name!r}; models.toml knows {known}.")
        return self._cards[name]

    def path(self, card: ModelCard) -> Path:
        """The model's folder, whether it exists or not."""
        return self._folder / card.name

    def present(self, card: ModelCard) -> bool:
        """Whether every file is there with its published length; its bytes are not read."""
        return all(_length(self.path(card) / file.name) == file.size for file in card.files)

    def verify(self, card: ModelCard) -> tuple[FileCheck, ...]:
        """The state of each file, by its digest; changes nothing."""
        return tuple(FileCheck(file, self._state(card, file)) for file in card.files)

    def open(self, card: ModelCard) -> Path:
        """The model's folder, every file verified by its digest.

        Raises:
            ModelFileMissing: a file is not there.
            ModelFileWrong: a file's bytes are not the published ones.
        """
        for check in self.verify(card):
            remedy = f"`proband models pull {card.name}`"
            if check.state is FileState.MISSING:
                raise ModelFileMissing(
                    f"Model {card.name} lacks {check.file.name}: {remedy} brings it."
                )
            if check.state is FileState.WRONG:
                raise ModelFileWrong(
                    f"{self.path(card) / check.file.name} is not the published file: "
                    f"{remedy} replaces it."
                )
        return self.path(card)

    def pull(
        self, card: ModelCard, *, folder: Path | None = None, advance: Advance = _unseen
    ) -> tuple[ModelFile, ...]:
        """Brings what is missing or wrong and returns these files; a complete model is left alone.

        Args:
            folder: take the files from here and nowhere else.

        Raises:
            OfflineError: an outgoing call is needed while offline.
            SourceUnavailable: no source has all files.
            ModelFileWrong: a source gave other bytes than the published ones; they were removed.
            HomeError: the files cannot be written.
        """
        wanted = tuple(c.file for c in self.verify(card) if c.state is not FileState.PRESENT)
        sources = (FolderSource(folder),) if folder else card.sources
        missing, failures = list(wanted), list[ProbandError]()
        for source in sources:
            if not missing:
                break
            try:
                self._bring(card, missing, source, advance)
            except (SourceError, ModelFileWrong) as error:
                failures.append(error)
        if missing:
            raise _no_source(card, failures)
        return wanted

    def _bring(
        self, card: ModelCard, missing: list[ModelFile], source: ModelSource, advance: Advance
    ) -> None:
        """Takes from `missing` what the source gave and was found right."""
        if self._offline and not isinstance(source, FolderSource):
            raise OfflineError("pulling a model from elsewhere is forbidden while offline is true.")
        folder = self.path(card)
        with _writing(folder):
            for file in missing:
                (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
            parts = {file.name: folder / f"{file.name}.part" for file in missing}
            for file in fetch(
                source, tuple(missing), lambda file: parts[file.name], self._hub, advance
            ):
                _accept(file, parts[file.name], folder / file.name)
                missing.remove(file)

    def _state(self, card: ModelCard, file: ModelFile) -> FileState:
        path = self.path(card) / file.name
        length = _length(path)
        if length is None:
            return FileState.MISSING
        right = length == file.size and _sha256(path) == file.sha256
        return FileState.PRESENT if right else FileState.WRONG


def _length(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise HomeError(f"{path} cannot be read: {error.strerror}.") from error


def _accept(file: ModelFile, part: Path, final: Path) -> None:
    """Gives the part its final name when its bytes are the published ones, else removes it."""
    found = _sha256(part)
    if found != file.sha256:
        part.unlink()
        raise ModelFileWrong(
            f"{file.name} has sha256 {found[:12]}... instead of the published "
            f"{file.sha256[:12]}...; it was refused and removed."
        )
    os.replace(part, final)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise HomeError(
            f"The model folder {folder} cannot be written: {error.strerror or error}."
        ) from error


def _no_source(card: ModelCard, failures: Sequence[ProbandError]) -> ProbandError:
    """The error that says why no source gave the model."""
    reasons = " ".join(str(failure) for failure in failures) or "models.toml names no source."
    message = f"Model {card.name} could not be pulled: {reasons}"
    for kind in (ModelFileWrong, OfflineError):
        if any(isinstance(failure, kind) for failure in failures):
            return kind(message)
    return SourceUnavailable(message)
