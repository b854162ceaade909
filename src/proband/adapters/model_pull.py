"""Bringing a model's files into the home folder, each checked before it gets its name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from proband.adapters.model_card import FolderSource, ModelCard, ModelFile, ModelSource
from proband.adapters.model_hub import Advance, Hub
from proband.adapters.model_sources import fetch
from proband.adapters.model_store import FileState, ModelStore, sha256_of
from proband.errors import (
    HomeError,
    ModelFileWrong,
    OfflineError,
    ProbandError,
    SourceError,
    SourceUnavailable,
)


def unseen(stage: str, done: int, total: int | None) -> None:
    """Progress that nobody watches."""


class ModelPuller:
    """Pulls models into a store.

    Args:
        store: where the models are kept.
        hub: where hub sources are asked.
        offline: only folders are read; another source is an OfflineError before any socket is opened.
        advance: is told the progress of each file, in bytes.
    """

    def __init__(
        self, store: ModelStore, hub: Hub, *, offline: bool = False, advance: Advance = unseen
    ) -> None:
        self._store = store
        self._hub = hub
        self._offline = offline
        self._advance = advance

    def pull(self, card: ModelCard, folder: Path | None = None) -> tuple[ModelFile, ...]:
        """Brings what is missing or wrong and returns these files; a complete model is left alone.

        Args:
            card: which model.
            folder: take the files from here and nowhere else.

        Raises:
            OfflineError: an outgoing call is needed while offline.
            SourceUnavailable: no source has all files.
            ModelFileWrong: a source gave other bytes than the published ones; they were removed.
            HomeError: the files cannot be written.
        """
        checks = self._store.verify(card)
        wanted = tuple(check.file for check in checks if check.state is not FileState.PRESENT)
        missing, failures = list(wanted), list[ProbandError]()
        for source in (FolderSource(folder),) if folder else card.sources:
            if not missing:
                break
            try:
                self._bring(card, missing, source)
            except (SourceError, ModelFileWrong) as error:
                failures.append(error)
        if missing:
            raise _no_source(card, failures)
        return wanted

    def _bring(self, card: ModelCard, missing: list[ModelFile], source: ModelSource) -> None:
        """Takes from `missing` what the source gave and was found right."""
        if self._offline and not isinstance(source, FolderSource):
            raise OfflineError("fetching it from elsewhere is forbidden while offline is true.")
        folder = self._store.path(card)
        parts = {file.name: folder / f"{file.name}.part" for file in missing}
        with _writing(folder):
            for part in parts.values():
                part.parent.mkdir(parents=True, exist_ok=True)
            for file in fetch(source, tuple(missing), parts, self._hub, self._advance):
                _accept(file, parts[file.name], folder / file.name)
                missing.remove(file)


def _accept(file: ModelFile, part: Path, final: Path) -> None:
    """Gives the part its final name when its bytes are the published ones, else removes it."""
    found = sha256_of(part)
    if found != file.sha256:
        part.unlink()
        raise ModelFileWrong(
            f"{file.name} came with sha256 {found[:12]}... instead of the published "
            f"{file.sha256[:12]}...; it was refused and removed."
        )
    os.replace(part, final)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise HomeError(f"The model folder {folder} cannot be written: {reason}.") from error


def _no_source(card: ModelCard, failures: Sequence[ProbandError]) -> ProbandError:
    """The error that says why no source gave the model."""
    # Sources fail alike while offline, and saying it once is enough.
    reasons = " ".join(dict.fromkeys(map(str, failures))) or "models.toml names no source."
    message = f"Model {card.name} could not be pulled: {reasons}"
    if any(isinstance(failure, ModelFileWrong) for failure in failures):
        return ModelFileWrong(message)
    if any(isinstance(failure, OfflineError) for failure in failures):
        return OfflineError(
            f"{message} `proband models pull {card.name} --from DIRECTORY` takes the files from a folder."
        )
    return SourceUnavailable(message)
