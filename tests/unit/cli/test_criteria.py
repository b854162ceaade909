from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from proband.cli.criteria import criteria
from proband.errors import ParseError, SourceUnavailable

TEXT = (
    "Key Inclusion Criteria:\r\n\r\n* Age \\>= 18\r\n\r\n"
    "Exclusion Criteria:\r\n\r\nCohort A:\r\n\r\n* Gout [acute]\r\n"
)


def run(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(criteria, arguments, input=stdin)


def test_json_has_the_published_shape(tmp_path: Path) -> None:
    path = tmp_path / "block.txt"
    path.write_bytes(TEXT.encode())
    value = json.loads(run(str(path), "--json").stdout)
    assert value["incomplete"] is True
    assert value["criteria"][0] == {
        "kind": "INCLUSION",
        "ordinal": 1,
        "text": "Age >= 18",
        "span": [29, 39],
        "parents": [],
        "labels": [],
        "arms": [],
        "embed_text": "Age >= 18",
    }
    assert TEXT[29:39] == "Age \\>= 18"
    assert value["account"]["unaccounted"] == 0
    assert value["account"]["characters"] == len("".join(TEXT.split()))


def test_tree_shows_sides_scope_and_account() -> None:
    shown = " ".join(run("-", stdin=TEXT.encode()).stdout.split())
    assert "Inclusion" in shown
    assert "Cohort A only" in shown
    assert "1 Gout [acute]" in shown
    assert "1 inclusion, 1 exclusion, 0 unparsed" in shown
    assert "further criteria stand elsewhere" in shown
    assert "unaccounted 0" in shown


def test_jsonl_gives_one_object_a_line_and_one_error_a_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(
        b'{"id": "a", "text": "* Gout"}\n\nnot json\n{"id": 7, "text": "x"}\n'
        b'{"id": "b"}\n[1]\n\xff\n{"id": "c", "text": "\xe2\x89\xa5 18 \\ud800"}\n'
    )
    result = run("--jsonl", str(path))
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["a", "c"]
    assert result.stderr.splitlines() == [
        f"proband: {path}, line 3: not a JSON object.",
        f'proband: {path}, line 4: needs "id" and "text", both strings.',
        f'proband: {path}, line 5: needs "id" and "text", both strings.',
        f'proband: {path}, line 6: needs "id" and "text", both strings.',
        f"proband: {path}, line 7: not a JSON object.",
    ]
    assert result.exit_code == 1


def test_jsonl_without_a_bad_line_ends_with_zero() -> None:
    result = run("--jsonl", "-", stdin=b'{"id": "a", "text": "\xe2\x89\xa5 18"}')
    assert json.loads(result.stdout)["criteria"][0]["text"] == "≥ 18"
    assert "≥ 18" in result.stdout
    assert result.exit_code == 0


@pytest.mark.parametrize("arguments", [(), ("a.txt", "--jsonl", "b.jsonl")])
def test_one_source_is_needed(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    result = run(str(tmp_path / "absent.txt"))
    assert isinstance(result.exception, SourceUnavailable)
    assert "absent.txt: No such file" in str(result.exception)


def test_text_of_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("Âge".encode("latin-1"))
    result = run(str(path))
    assert isinstance(result.exception, ParseError)
    assert "byte 0 is not UTF-8" in str(result.exception)


def test_byte_order_mark_is_no_character_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "bom.txt"
    path.write_bytes(b"\xef\xbb\xbf* Gout")
    assert json.loads(run(str(path), "--json").stdout)["criteria"][0]["span"] == [2, 6]
