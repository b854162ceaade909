"""The manifest of an index as a file beside it, replaced in one step."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from proband.adapters._disk import cannot_write
from proband.errors import CollectionMissing, HomeError, ManifestMismatch
from proband.ports import Manifest

FILE_NAME = "manifest.json"
LAYOUT_NAME = "layout.json"


def read_manifest(folder: Path) -> Manifest:
    """What the index in this folder was built with.

    Raises CollectionMissing when there is no index, ManifestMismatch when the file is damaged.
    """
    path = folder / FILE_NAME
    try:
        return Manifest(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise CollectionMissing(
            f"There is no index in {folder}; `proband init` makes it."
        ) from error
    except (ValueError, TypeError) as error:
        raise ManifestMismatch(
            f"{path} does not say what the index was built with; "
            "remove the index's folder, then run `proband init` and `proband reconcile`."
        ) from error
    except OSError as error:
        raise HomeError(f"{path} cannot be read ({error.strerror}).") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replaces the file; a kill leaves the old one or the new one. Raises HomeError."""
    _replace(folder / FILE_NAME, asdict(manifest))


def read_layout(folder: Path) -> dict[str, int]:
    """What the shard in this folder was laid out with; empty when that was not written down or cannot be read."""
    try:
        found = json.loads((folder / LAYOUT_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_layout(folder: Path, layout: Mapping[str, int]) -> None:
    """Writes the file. Raises HomeError."""
    _replace(folder / LAYOUT_NAME, dict(layout))


def _replace(path: Path, content: object) -> None:
    coming = path.with_suffix(".coming")
    try:
        with coming.open("w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        coming.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
