from __future__ import annotations

from pathlib import Path

import numpy as np

from proband.adapters.vector_file import read_vectors, write_vectors

VECTORS = {
    bytes(31) + b"\x00": np.array([0.5, 0.25], np.float32),
    bytes(31) + b"\x01": np.array([1, 0], np.float32),
}


def test_vectors_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    write_vectors(path, "model", VECTORS)
    found = read_vectors(path, "model")
    assert {digest: vector.tolist() for digest, vector in found.items()} == {
        digest: vector.tolist() for digest, vector in VECTORS.items()
    }
    assert [file.name for file in tmp_path.iterdir()] == ["vectors.npz"]


def test_vectors_of_another_model_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    write_vectors(path, "model", VECTORS)
    assert read_vectors(path, "another") == {}


def test_a_missing_or_damaged_file_has_no_vectors(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    assert read_vectors(path, "model") == {}
    write_vectors(path, "model", VECTORS)
    path.write_bytes(path.read_bytes()[:40])
    assert read_vectors(path, "model") == {}
