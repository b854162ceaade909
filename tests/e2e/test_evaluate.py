"""`proband evaluate` on small collections, as a person runs it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commands import proband, ready_home
from judged import beir_folder, pool_folder
from proband.cli.wanted import options_of
from proband.errors import UsageError

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ready_home(tmp_path_factory.mktemp("evaluate"))


def test_a_collection_is_indexed_once_and_scored_stage_by_stage(home: Path, tmp_path: Path) -> None:
    folder = beir_folder(tmp_path / "once")
    first = proband(home, "evaluate", folder, "--json")
    assert first.code == 0, first.err
    (found,) = first.json["collections"]
    assert (found["collection"], found["topics"]) == ("once", 2)
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


def test_a_report_is_one_file(home: Path, tmp_path: Path) -> None:
    folder, page = beir_folder(tmp_path / "tiny"), tmp_path / "report.html"
    ran = proband(home, "evaluate", folder, "--report", page)
    assert ran.code == 0, ran.err
    assert page.read_text(encoding="utf-8").count("<svg") >= 1


def test_a_figure_below_its_floor_is_an_error_until_the_floor_is_lowered_for_a_reason(
    home: Path, tmp_path: Path
) -> None:
    folder, floors = beir_folder(tmp_path / "tiny"), tmp_path / "floors.toml"
    assert proband(home, "evaluate", folder, "--floors", floors, "--raise").code == 0
    assert '"nDCG@10" = 0.995' in floors.read_text(encoding="utf-8")
    beir_folder(folder, {"lens": ("", "microscopy of lungs"), "lung": ("", "lens of the eye")})
    ran = proband(home, "evaluate", folder, "--floors", floors, "--raise")
    assert ran.code == 1
    assert "tiny: MRR is 0.5000, its floor 0.995" in ran.err
    options = ("--floors", floors, "--lower", "the documents were swapped")
    assert proband(home, "evaluate", folder, *options).code == 0
    assert 'reason = "the documents were swapped"' in floors.read_text(encoding="utf-8")


def test_lowering_needs_a_file_and_a_reason(home: Path, tmp_path: Path) -> None:
    for options in (("--lower", "because"), ("--raise",), ("--floors", "f.toml", "--lower", " ")):
        assert proband(home, "evaluate", tmp_path, *options).code == 2


def test_what_is_missing_of_the_extra_is_said_in_one_sentence(home: Path, tmp_path: Path) -> None:
    prelude = "import sys; sys.modules['matplotlib'] = None"
    ran = proband(home, "evaluate", "sample", prelude=prelude)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "needs the extra `evaluate`" in ran.err


def test_an_index_that_lost_its_files_is_made_again(home: Path, tmp_path: Path) -> None:
    folder = beir_folder(tmp_path / "lost")
    assert proband(home, "evaluate", folder).code == 0
    shutil.rmtree(home / "evaluation" / "lost" / "index" / "shard")
    ran = proband(home, "evaluate", folder)
    assert (ran.code, "embed" in ran.err) == (0, False)


def test_an_unknown_filter_of_a_question_is_named() -> None:
    with pytest.raises(UsageError, match="Question q1: colour is no filter"):
        options_of({"colour": "red"}, "q1")
    assert options_of({"age": "54"}, "q1")["age"] == "54"
