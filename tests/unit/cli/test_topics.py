from __future__ import annotations

from pathlib import Path

import pytest

from proband.cli.topics import Topic, read_topics, run_lines
from proband.errors import SourceUnavailable, UsageError
from proband.model import Filter, Grouped, QueryPlan
from proband.search.pipeline import Ranked

PLAN = QueryPlan("q", (), (), (), Filter())


def ranked(*scores: float) -> Ranked:
    groups = tuple(
        Grouped(f"ctgov/studies/NCT9900000{place}", score, ()) for place, score in enumerate(scores)
    )
    return Ranked(PLAN, groups, absent=(), timings_ms={})


def test_run_has_one_line_a_study_best_first() -> None:
    assert list(run_lines("7", ranked(0.5, 0.25), depth=10)) == [
        "7 Q0 NCT99000000 1 0.499999999 proband-rrf\n",
        "7 Q0 NCT99000001 2 0.249999998 proband-rrf\n",
    ]


def test_score_falls_with_the_rank_also_where_studies_tie() -> None:
    scores = [float(line.split()[4]) for line in run_lines("7", ranked(0.5, 0.5, 0.5), depth=10)]
    assert scores == sorted(set(scores), reverse=True)


def test_depth_cuts_the_run() -> None:
    assert len(list(run_lines("7", ranked(0.5, 0.4, 0.3), depth=2))) == 2


def test_topics_are_read_and_blank_lines_skipped(tmp_path: Path) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text('{"id": 1, "text": "a"}\n\n{"id": "t2", "text": "b"}\n', encoding="utf-8")
    assert read_topics(file) == (Topic("1", "a"), Topic("t2", "b"))


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        '{"id": "x"}',
        '{"id": "a b", "text": "c"}',
        '{"id": "x", "text": null}',
        '{"id": null, "text": "c"}',
    ],
)
def test_bad_topic_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text('{"id": 1, "text": "a"}\n' + line, encoding="utf-8")
    with pytest.raises(UsageError, match="line 2"):
        read_topics(file)


def test_id_that_stands_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text('{"id": 1, "text": "a"}\n\n{"id": "1", "text": "b"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="line 3: id 1 already stands in line 1"):
        read_topics(file)


@pytest.mark.parametrize("text", ["", "  ", "?!"])
def test_topic_without_a_word_is_named_by_line_and_id(tmp_path: Path, text: str) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text(f'{{"id": "t1", "text": "a"}}\n{{"id": "t2", "text": "{text}"}}\n')
    with pytest.raises(UsageError, match="line 2: topic t2 holds no word"):
        read_topics(file)


def test_missing_topics_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match=r"none\.jsonl cannot be read: No such file"):
        read_topics(tmp_path / "none.jsonl")


def test_topics_file_of_another_encoding_names_the_byte(tmp_path: Path) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_bytes(b'{"id": 1, "text": "\xff"}')
    with pytest.raises(SourceUnavailable, match=r"not UTF-8 text \(byte 19\)"):
        read_topics(file)
