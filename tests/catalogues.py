"""Empty catalogues for tests: the tables are made once, then the file is copied."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from proband.catalogue.catalogue import Catalogue


def url_of(folder: Path) -> str:
    """The URL of the catalogue in this folder."""
    return f"sqlite:///{folder / 'catalogue.sqlite'}"


def new_catalogue(folder: Path) -> Catalogue:
    """An empty catalogue in `folder`, open; the caller closes it."""
    (folder / "catalogue.sqlite").write_bytes(_empty())
    return Catalogue.open(url_of(folder))


@cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        Catalogue.create(url_of(Path(folder))).close()
        return (Path(folder) / "catalogue.sqlite").read_bytes()
