"""No collection scores less than it once did: `benchmarks/quality/floors.toml`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import Ran, proband, ready_home
from shared_data import shared

ROOT = Path(__file__).parents[2]
FLOORS = ROOT / "benchmarks" / "quality" / "floors.toml"
FILLED = ROOT / ".proband" / "bench"
KEPT = Path("~/.cache/proband-test/evaluation").expanduser()
"""Vectors of the collections' texts, by the digest of model and text: 14,399 texts took 130 s of two cores."""

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ready_home(tmp_path_factory.mktemp("floors"))


@pytest.fixture
def vectors(home: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Brings the vectors that an earlier run of the test has kept, and keeps those of this one."""
    name = Path("evaluation") / request.node.callspec.params["name"] / "vectors.npz"
    kept, used = KEPT.parent / name, home / name
    if kept.exists():
        used.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(kept, used)
    yield
    kept.parent.mkdir(parents=True, exist_ok=True)
    if used.exists():
        shutil.copy(used, kept)


def held(home: Path, collection: str | Path) -> Ran:
    return proband(home, "evaluate", collection, "--floors", FLOORS)


def test_the_sample_keeps_its_floors(home: Path) -> None:
    ran = held(home, "sample")
    assert ran.code == 0, ran.err


@pytest.mark.shared
@pytest.mark.usefixtures("vectors")
@pytest.mark.parametrize("name", ["medlars", "scifact"])
def test_a_collection_keeps_its_floors(home: Path, name: str) -> None:
    ran = held(home, shared(f"data/bench/{name}"))
    assert ran.code == 0, ran.err


@pytest.mark.shared
def test_the_pool_keeps_its_floors_where_its_studies_are_imported() -> None:
    pool = shared("data/bench/trec-ct-2021")
    if not (FILLED / "catalogue.sqlite").exists():
        pytest.skip(f"{FILLED} does not hold the 17,877 studies; `make bench` imports them")
    ran = held(FILLED, pool)
    if "index --rebuild" in ran.err or "is held by" in ran.err:
        pytest.skip(f"the studies cannot be searched now: {ran.err}")
    assert ran.code == 0, ran.err
