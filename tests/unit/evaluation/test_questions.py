from __future__ import annotations

from pathlib import Path

import pytest

from proband.errors import UsageError
from proband.evaluation.questions import read_questions
from proband.sample import questions_file

HEAD = '{"collection": "made", "version": 1, "sample": 1}\n'


def test_the_shipped_questions_are_read_with_kinds_filters_and_what_is_against() -> None:
    found = read_questions(questions_file(), "sample")
    assert len(found.topics) >= 60
    assert {"pointed", "narrative", "exact", "polarity", "filter", "no_answer"} <= set(
        found.kinds.values()
    )
    assert any(found.against.values())
    assert found.filters
    assert not [topic for topic in found.scored if found.kinds[topic] == "no_answer"]


def test_one_kind_alone_has_only_its_topics() -> None:
    found = read_questions(questions_file(), "sample").of_kind("polarity")
    assert set(found.topics) == {topic for topic in found.kinds if found.kinds[topic] == "polarity"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "1", "kind": "pointed"}', 'needs an object with "id"'),
        ("no JSON", "not JSON"),
        ("[]", 'needs an object with "id"'),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(HEAD + line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f"line 2: {says}"):
        read_questions(path, "made")
