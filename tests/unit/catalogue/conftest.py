from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalogues import new_catalogue
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.generations import Generation
from proband.model import Corpus
from proband.ports import Manifest


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    opened = new_catalogue(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def manifest() -> Manifest:
    return Manifest("hash", "hash-words-16", 16, 1, 1)


@pytest.fixture
def built(catalogue: Catalogue, manifest: Manifest) -> Generation:
    """Generation 1 of the trials, being built."""
    return catalogue.begin(Corpus.TRIALS, "import", manifest)
