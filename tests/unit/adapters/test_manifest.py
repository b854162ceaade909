"""The manifest beside an index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexes import MANIFEST
from proband.adapters._manifest import read_layout, read_manifest, write_layout, write_manifest
from proband.errors import CollectionMissing, HomeError, ManifestMismatch


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_manifest(tmp_path, MANIFEST)
    assert read_manifest(tmp_path) == MANIFEST
    newer = replace(MANIFEST, model="naïve", chunker_version=9)
    write_manifest(tmp_path, newer)
    assert read_manifest(tmp_path) == newer
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_no_manifest_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(CollectionMissing, match="`proband init` makes it"):
        read_manifest(tmp_path / "nowhere")


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '{"model": "x"}', "\0\0"])
def test_a_damaged_manifest_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ManifestMismatch, match="proband init"):
        read_manifest(tmp_path)


def test_a_manifest_that_is_no_text_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ManifestMismatch):
        read_manifest(tmp_path)


def test_a_folder_that_cannot_be_used_is_an_error_of_the_home(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(HomeError, match="cannot be read"):
        read_manifest(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeError, match="cannot be written"):
        write_manifest(tmp_path / "file", MANIFEST)


def test_layout_that_was_never_written_is_empty_and_equals_none(tmp_path: Path) -> None:
    assert read_layout(tmp_path) == {}
    write_layout(tmp_path, {"dimensions": 384})
    assert read_layout(tmp_path) == {"dimensions": 384}
