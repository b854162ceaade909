"""`proband evaluate` on small collections, as a person runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import proband, ready_home
from judged import beir_folder, pool_folder

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ready_home(tmp_path_factory.mktemp("evaluate"))


def test_a_collection_is_indexed_once_and_scored_stage_by_stage(home: Path, tmp_path: Path) -> None:
    folder = beir_folder(tmp_path / "tiny")
    first = proband(home, "evaluate", folder, "--json")
    assert first.code == 0, first.err
    (found,) = first.json["collections"]
    assert (found["collection"], found["topics"]) == ("tiny", 2)
    assert found["stages"]["fused, reranked"] == {
        "topics": 2,
        "nDCG@10": 1,
        "recall@100": 1,
        "MRR": 1,
    }
    assert "embed: 6" in first.err
    again = proband(home, "evaluate", folder)
    assert "embed" not in again.err
    assert "dense alone" in again.out


def test_changed_documents_are_indexed_anew_and_only_new_texts_embedded(
    home: Path, tmp_path: Path
) -> None:
    folder = beir_folder(tmp_path / "changing")
    assert proband(home, "evaluate", folder).code == 0
    beir_folder(folder, {"lens": ("Another title", "Electron microscopy of bronchi.")})
    ran = proband(home, "evaluate", folder, "--json")
    assert "embed: 2" in ran.err
    assert ran.json["collections"][0]["stages"]["fused, reranked"]["recall@100"] == 0.5


def test_a_pool_is_asked_of_the_studies_of_the_home(home: Path, tmp_path: Path) -> None:
    ran = proband(home, "evaluate", pool_folder(tmp_path / "pool"))
    assert (ran.code, "No studies are imported yet" in ran.err) == (1, True)


def test_what_is_no_collection_is_named(home: Path, tmp_path: Path) -> None:
    ran = proband(home, "evaluate", tmp_path)
    assert (ran.code, "is no judged collection" in ran.err) == (1, True)
