from __future__ import annotations

import json
from pathlib import Path

import pytest

from proband.errors import SourceUnavailable, UsageError
from proband.evaluation.labelled import Labelled, read_labelled


def file(folder: Path, *rows: object) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def test_a_question_is_answerable_when_a_study_answers_it(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        {"collection": "mine", "version": 1},
        {"id": "a", "text": "asthma", "relevant": {"NCT99000001": 2}, "filters": {"age": "8"}},
        {"id": "b", "text": "gout", "relevant": {}},
        {"id": 3, "text": "gout", "kind": "no_answer"},
        "",
    )
    assert read_labelled(path) == (
        Labelled("a", "asthma", True, {"age": "8"}),
        Labelled("b", "gout", False),
        Labelled("3", "gout", False),
    )


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "line 1: needs an object"),
        ({"text": "x", "relevant": {}}, 'needs "id" and "text"'),
        ({"id": "a", "text": " ", "relevant": {}}, 'needs "id" and "text"'),
        ({"id": "a", "text": "x"}, 'needs "relevant"'),
        ({"id": "a", "text": "x", "relevant": {}, "filters": [1]}, '"filters" must be'),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_labelled(file(tmp_path, row))


def test_an_id_stands_once(tmp_path: Path) -> None:
    row = {"id": "a", "text": "x", "relevant": {}}
    with pytest.raises(UsageError, match="an id stands twice"):
        read_labelled(file(tmp_path, row, row))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        read_labelled(tmp_path / "none.jsonl")
