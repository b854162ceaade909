from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import Bench
from catalogues import new_catalogue


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    catalogue = new_catalogue(tmp_path)
    yield Bench(catalogue)
    catalogue.close()
