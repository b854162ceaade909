"""What is known about each model: the entries of `models.toml`, typed and checked."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from proband.errors import SettingsError

PACKAGED = Path(__file__).parents[1] / "models.toml"

STRICT = ConfigDict(extra="forbid")

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
"""A digest in lower-case hexadecimal."""


class ModelKind(StrEnum):
    """What a model gives: a vector for a text, or a score for a pair of texts."""

    DENSE = "dense"
    RERANKER = "reranker"


class Architecture(StrEnum):
    """How the model's graph is made: built from safetensors weights, or read from an ONNX file."""

    BERT = "bert"
    XLM_ROBERTA = "xlm-roberta"
    ONNX = "onnx"


class Pooling(StrEnum):
    """How token vectors become one: their mean, or the first one."""

    MEAN = "mean"
    CLS = "cls"


@dataclass(frozen=True, slots=True, config=STRICT)
class ModelFile:
    """A published file: its path below the model's folder, length in bytes, and digest."""

    name: str
    size: Annotated[int, Field(gt=0)]
    sha256: Sha256

    def __post_init__(self) -> None:
        path = PurePosixPath(self.name)
        if path.is_absolute() or ".." in path.parts or "\\" in self.name:
            raise ValueError(f"a file's name has to stay below the model's folder: {self.name!r}")


@dataclass(frozen=True, slots=True, config=STRICT)
class FolderSource:
    """A folder on this machine that holds the files under their names."""

    path: Path
    kind: Literal["folder"] = "folder"


@dataclass(frozen=True, slots=True, config=STRICT)
class HubSource:
    """A repository of a model hub at a fixed commit."""

    repo: str
    revision: str
    kind: Literal["hub"] = "hub"


@dataclass(frozen=True, slots=True, config=STRICT)
class WheelSource:
    """A wheel in a package registry; `path` is the folder of the files inside it."""

    package: str
    version: str
    sha256: Sha256
    path: str
    kind: Literal["wheel"] = "wheel"


ModelSource = Annotated[FolderSource | HubSource | WheelSource, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True, config=STRICT)
class ModelCard:
    """One model.

    Args:
        dimensions: length of a vector; 1 for a reranker.
        window: tokens that one input may have, the special ones included.
        output: for ONNX, the name of the output to use; empty: the first one.
        sources: where to get the files, tried in order.
    """

    name: str
    kind: ModelKind
    architecture: Architecture
    dimensions: Annotated[int, Field(gt=0)]
    window: Annotated[int, Field(gt=2)]
    pooling: Pooling
    licence: str
    files: Annotated[tuple[ModelFile, ...], Field(min_length=1)]
    sources: tuple[ModelSource, ...] = ()
    output: str = ""

    @property
    def digest(self) -> str:
        """sha256 over what decides the model's output: its files and how they are used."""
        facts = [self.architecture, self.pooling, self.output, str(self.window)]
        facts += sorted(f"{file.name} {file.sha256}" for file in self.files)
        return hashlib.sha256("\n".join(facts).encode()).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)


def load_cards(home: Path) -> dict[str, ModelCard]:
    """The packaged models by name, added to or replaced by those of the home folder's `models.toml`.

    Raises:
        SettingsError: an entry is not of the right form; names the file and the key.
    """
    cards = _read(PACKAGED)
    own = home / "models.toml"
    return cards | _read(own) if own.is_file() else cards


def _read(path: Path) -> dict[str, ModelCard]:
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read as TOML: {error}") from error
    return {name: _card(name, entry, path) for name, entry in entries.items()}


def _card(name: str, entry: Mapping[str, Any], path: Path) -> ModelCard:
    try:
        return TypeAdapter(ModelCard).validate_python({"name": name, **entry})
    except (ValidationError, TypeError) as error:
        raise SettingsError(f"{path}: model {name!r} {_first(error)}") from error


def _first(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return "is not a table."
    detail = error.errors()[0]
    return f"at {'.'.join(str(part) for part in detail['loc'])}: {detail['msg']}."
