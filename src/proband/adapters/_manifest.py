"""The manifest of an index as a file beside it, replaced in one step."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from proband.adapters._disk import cannot_write
from proband.errors import CollectionMissing, HomeError, ManifestMismatch
from proband.ports import Manifest

FILE_NAME = "manifest.json"


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
    path = folder / FILE_NAME
    coming = path.with_suffix(".coming")
    try:
        with coming.open("w", encoding="utf-8") as file:
            json.dump(asdict(manifest), file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        coming.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
