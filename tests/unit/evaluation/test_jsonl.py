from __future__ import annotations

from pathlib import Path

import pytest

from proband.errors import SourceUnavailable, UsageError
from proband.evaluation.jsonl import lines, row


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "windows.jsonl"
    path.write_text('{"id": 1}\n\n{"id": 2}\n', encoding="utf-8-sig")
    assert lines(path) == ['{"id": 1}', "", '{"id": 2}']


def test_a_file_that_is_no_text_or_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match=r"nowhere\.jsonl cannot be read"):
        lines(tmp_path / "nowhere.jsonl")
    (tmp_path / "bytes.jsonl").write_bytes(b"ab\xff")
    with pytest.raises(SourceUnavailable, match="not UTF-8 text"):
        lines(tmp_path / "bytes.jsonl")


def test_a_row_has_the_names_that_are_asked() -> None:
    assert row('{"id": 1, "text": "t", "more": []}', "f, line 1", "id", "text")["text"] == "t"
    with pytest.raises(UsageError, match=r'^f, line 1: needs an object with "id" and "text"\.$'):
        row('{"id": 1}', "f, line 1", "id", "text")
    with pytest.raises(UsageError, match=r"^f, line 1: needs an object\.$"):
        row("[]", "f, line 1")


@pytest.mark.parametrize("line", ["", "{", "[" * 200_000])
def test_what_is_not_json_is_one_sentence(line: str) -> None:
    with pytest.raises(UsageError, match=r"^f, line 1: not JSON\.$"):
        row(line, "f, line 1")
