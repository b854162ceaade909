"""Vectors in one file, by the digest of their text, so that a second run embeds nothing."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from proband.adapters._disk import cannot_write
from proband.model import Float32Vector


def read_vectors(path: Path, model_digest: str) -> dict[bytes, Float32Vector]:
    """The vectors that this model made; empty when there are none, or the file is damaged."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as held:
            if str(held["model"]) != model_digest:
                return {}
            digests = held["digests"].tobytes()
            vectors = held["vectors"].astype(np.float32)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return {}
    return {digests[32 * row : 32 * row + 32]: vector for row, vector in enumerate(vectors)}


def write_vectors(path: Path, model_digest: str, vectors: Mapping[bytes, Float32Vector]) -> None:
    """Replaces the file in one step, float16 as the catalogue keeps them. Raises HomeError."""
    coming = path.with_suffix(".coming.npz")
    try:
        np.savez(
            coming,
            model=np.array(model_digest),
            digests=np.frombuffer(b"".join(vectors), np.uint8),
            vectors=np.array(list(vectors.values()), np.float16),
        )
        coming.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
