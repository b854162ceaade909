"""Packed files as streams: what precedes a fault is delivered, and nothing expands without bound."""

from __future__ import annotations

import gzip
import os
import random
import zipfile
from pathlib import Path

import pytest

from proband.adapters import archives
from proband.adapters.archives import ZipArchive, file_chunks, is_zip
from proband.errors import ParseError

TEXT = random.Random(7).randbytes(600_000).hex().encode()


def ignore(_: int) -> None:
    """Takes no notice of the progress."""


def received(path: Path) -> tuple[bytes, str]:
    """What a file gives, and the fault that ends it."""
    data = b""
    try:
        for chunk in file_chunks(path, ignore):
            data += chunk
    except ParseError as error:
        return data, str(error)
    return data, ""


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(TEXT))
    return path


def test_plain_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(TEXT)
    assert received(path) == (TEXT, "")


def test_empty_file_gives_nothing(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.touch()
    assert received(path) == (b"", "")
    assert not is_zip(path)


def test_gzip_is_unpacked_whatever_its_name(packed: Path) -> None:
    assert received(packed.rename(packed.with_suffix(".json"))) == (TEXT, "")


def test_gzip_of_several_parts_is_unpacked_to_its_end(packed: Path) -> None:
    packed.write_bytes(gzip.compress(TEXT) + gzip.compress(b"more"))
    assert received(packed) == (TEXT + b"more", "")


def test_progress_is_told_in_bytes_of_the_file(packed: Path) -> None:
    told: list[int] = []
    list(file_chunks(packed, told.append))
    assert told == sorted(told)
    assert told[-1] == packed.stat().st_size


def test_cut_off_gzip_gives_what_precedes_the_cut(packed: Path) -> None:
    size = packed.stat().st_size
    os.truncate(packed, size // 2)
    data, fault = received(packed)
    assert fault == "cut off: the packed data ends before its end mark"
    assert TEXT.startswith(data)
    assert len(data) > len(TEXT) * 0.48


@pytest.mark.parametrize("place", [0.5, 0.9999])
def test_damaged_gzip_says_so(packed: Path, place: float) -> None:
    data = bytearray(packed.read_bytes())
    start = int(len(data) * place)
    data[start : start + 16] = b"\xff" * len(data[start : start + 16])
    packed.write_bytes(data)
    text, fault = received(packed)
    assert fault == "damaged: the packed data is not intact"
    assert text[: len(TEXT) // 3] == TEXT[: len(TEXT) // 3]


def test_what_expands_beyond_reason_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "FREE_EXPANSION", 2**20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(20 * 2**20)))
    data, fault = received(path)
    assert fault == "expands more than 200 times; refused"
    assert len(data) < 8 * 2**20


def test_small_files_may_expand_as_they_like(tmp_path: Path) -> None:
    path = tmp_path / "spaces.gz"
    path.write_bytes(gzip.compress(b" " * 2**20))
    assert received(path) == (b" " * 2**20, "")


def test_vanished_file_is_a_fault(tmp_path: Path) -> None:
    assert received(tmp_path / "gone") == (b"", "cannot be read: No such file or directory")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("b/2.json", TEXT)
        file.writestr("b/1.json.gz", gzip.compress(b"packed twice"))
        file.writestr("empty/", "")
    return path


def test_members_are_listed_by_name_and_unpacked(archive: Path) -> None:
    assert is_zip(archive)
    with ZipArchive(archive) as opened:
        assert opened.names() == ["b/1.json.gz", "b/2.json"]
        assert b"".join(opened.chunks("b/2.json")) == TEXT
        assert b"".join(opened.chunks("b/1.json.gz")) == b"packed twice"
        assert 0 < opened.packed_bytes("b/2.json") < len(TEXT)


def test_damaged_member_is_a_fault_of_its_own(archive: Path) -> None:
    data = bytearray(archive.read_bytes())
    data[300_000:300_016] = bytes(16)
    archive.write_bytes(data)
    with ZipArchive(archive) as opened:
        with pytest.raises(ParseError, match="damaged: the packed data is not intact"):
            list(opened.chunks("b/2.json"))
        assert b"".join(opened.chunks("b/1.json.gz")) == b"packed twice"


def test_encrypted_member_says_so(archive: Path) -> None:
    data = bytearray(archive.read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(header) + flags] |= 1
    archive.write_bytes(data)
    with ZipArchive(archive) as opened, pytest.raises(ParseError, match="encrypted"):
        list(opened.chunks("b/2.json"))


def test_member_packed_in_an_unknown_way_says_so(archive: Path) -> None:
    data = bytearray(archive.read_bytes())
    for header, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.find(header) + method] = 97
    archive.write_bytes(data)
    with ZipArchive(archive) as opened, pytest.raises(ParseError, match="cannot be read"):
        list(opened.chunks("b/2.json"))


def test_cut_off_archive_cannot_be_opened(archive: Path) -> None:
    os.truncate(archive, archive.stat().st_size // 2)
    with pytest.raises(ParseError, match=r"^not a zip archive that can be read: damaged"):
        ZipArchive(archive)
