"""The bytes of files as streams: plain, gzip, and the members of zip archives.

Nothing is unpacked to disk or held in memory whole, and what expands beyond reason is refused.
"""

from __future__ import annotations

import gzip
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from proband.errors import ParseError

CHUNK = 2**18  # bytes a read
GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
MOST_EXPANSION = 200
"""Times that a packed file may grow. Registry JSON packs 4 to 12 times, the most that deflate can do is 1,032."""
FREE_EXPANSION = 64 * 2**20
"""Bytes that any file may grow to whatever its ratio."""

_BROKEN = (
    EOFError,
    OSError,
    RuntimeError,  # zipfile: encrypted
    NotImplementedError,  # zipfile: an unknown way of packing
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    ValueError,  # zipfile: headers that contradict each other
    struct.error,
)


def is_zip(path: Path) -> bool:
    """Whether the file begins as a zip archive does."""
    with path.open("rb") as file:
        return file.read(4) in ZIP


def file_chunks(path: Path, read: Callable[[int], None]) -> Iterator[bytes]:
    """The bytes of a file, unpacked when it is gzip; `read` is told how many bytes of the file were read by then.

    Raises:
        ParseError: the file cannot be read to its end; what came before has been delivered.
    """
    try:
        with path.open("rb") as file:
            for chunk in _unpacked(file, file.tell):
                read(file.tell())
                yield chunk
    except _BROKEN as error:
        raise ParseError(_reason(error)) from error


class ZipArchive:
    """An open zip archive. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises ParseError when the file is no zip archive that can be read."""
        try:
            self._archive = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise ParseError(f"not a zip archive that can be read: {_reason(error)}") from error

    def __enter__(self) -> ZipArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def names(self) -> list[str]:
        """The names of the files in it, sorted."""
        return sorted(name for name in self._archive.namelist() if name and name[-1] != "/")

    def packed_bytes(self, name: str) -> int:
        """How many bytes of the archive this file takes."""
        return self._archive.getinfo(name).compress_size

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of one file, unpacked again when it is gzip itself. Raises ParseError as `file_chunks` does."""
        try:
            info = self._archive.getinfo(name)
            if info.flag_bits & 1:
                raise ParseError("encrypted; unpack it first")
            with self._archive.open(info) as member:
                yield from _unpacked(member, lambda: info.compress_size)
        except _BROKEN as error:
            raise ParseError(_reason(error)) from error


def _unpacked(file: IO[bytes], packed_bytes: Callable[[], int]) -> Iterator[bytes]:
    head = file.read(2)
    file.seek(0)
    if head != GZIP:
        yield from _bounded(file, packed_bytes)
        return
    with closing(gzip.GzipFile(fileobj=file)) as plain:
        yield from _bounded(plain, packed_bytes)


def _bounded(file: Any, packed_bytes: Callable[[], int]) -> Iterator[bytes]:
    """What the file holds. `read1`, because `read` would lose what precedes a fault in the same chunk."""
    size = 0
    while chunk := file.read1(CHUNK):
        size += len(chunk)
        if size > FREE_EXPANSION and size > MOST_EXPANSION * packed_bytes():
            raise ParseError(f"expands more than {MOST_EXPANSION} times; refused")
        yield chunk


def _reason(error: BaseException) -> str:
    match error:
        case EOFError():
            return "cut off: the packed data ends before its end mark"
        case NotImplementedError() | RuntimeError():
            return "packed in a way that cannot be read; unpack it first"
        case OSError() if error.strerror:
            return f"cannot be read: {error.strerror}"
        case _:
            return "damaged: the packed data is not intact"
