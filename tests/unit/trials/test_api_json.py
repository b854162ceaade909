"""API v2 JSON as a stream: every wrapping is read, faults are named by line, nothing before a fault is lost."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import raw_study
from proband.errors import ParseError
from proband.trials import api_json
from proband.trials.api_json import iter_api_json
from proband.trials.fetched import Raw, Rejected

A, B, C = (raw_study(f"NCT9900000{n}") for n in (1, 2, 3))


def ids(text: str | bytes, *, lines: bool = False, size: int = 2**20) -> list[str]:
    return [nct_id(item) for item in iter_api_json(pieces(text, size), lines=lines)]


def nct_id(item: Raw | Rejected) -> str:
    assert isinstance(item, Raw)
    value: Any = item.value
    return str(value["protocolSection"]["identificationModule"]["nctId"])


def pieces(text: str | bytes, size: int) -> Iterator[bytes]:
    data = text.encode() if isinstance(text, str) else text
    yield from (data[start : start + size] for start in range(0, len(data), size))


def page(*studies: dict[str, Any]) -> dict[str, Any]:
    return {"totalCount": 3, "studies": list(studies), "nextPageToken": "t"}


WRAPPINGS = {
    "one study": (json.dumps(A), ["NCT99000001"]),
    "one indented study": (json.dumps(A, indent=2), ["NCT99000001"]),
    "list": (json.dumps([A, B, C]), ["NCT99000001", "NCT99000002", "NCT99000003"]),
    "indented list": (json.dumps([A, B], indent=1), ["NCT99000001", "NCT99000002"]),
    "empty list": ("[ ]", []),
    "page": (json.dumps(page(A, B)), ["NCT99000001", "NCT99000002"]),
    "indented page": (json.dumps(page(A, B), indent=2), ["NCT99000001", "NCT99000002"]),
    "empty page that is not the last": (json.dumps(page()), []),
    "list of pages": (json.dumps([page(A), page(B)]), ["NCT99000001", "NCT99000002"]),
    "study a line": ("\n".join(map(json.dumps, (A, B))), ["NCT99000001", "NCT99000002"]),
    "page a line": (
        f"{json.dumps(page(A))}\n{json.dumps(page(B, C))}\n",
        ["NCT99000001", "NCT99000002", "NCT99000003"],
    ),
    "indented study after study": (
        json.dumps(A, indent=2) + "\n" + json.dumps(B, indent=2),
        ["NCT99000001", "NCT99000002"],
    ),
    "blank lines and CR LF": (
        f"\r\n{json.dumps(A)}\r\n\r\n  \r\n{json.dumps(B)}\r\n",
        ["NCT99000001", "NCT99000002"],
    ),
    "nothing": ("", []),
    "white space": (" \n ", []),
}


@pytest.mark.parametrize("name", WRAPPINGS)
@pytest.mark.parametrize("lines", [False, True])
def test_every_wrapping_gives_its_studies_in_order(name: str, lines: bool) -> None:
    text, expected = WRAPPINGS[name]
    assert ids(text, lines=lines) == expected


@given(st.sampled_from(sorted(WRAPPINGS)), st.integers(1, 40), st.booleans())
def test_the_size_of_the_pieces_makes_no_difference(name: str, size: int, lines: bool) -> None:
    text, expected = WRAPPINGS[name]
    assert ids(text, size=size, lines=lines) == expected


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + json.dumps([A, B]).encode(),
        codecs.BOM_UTF16_LE + json.dumps([A, B]).encode("utf-16-le"),
        codecs.BOM_UTF16_BE + json.dumps([A, B]).encode("utf-16-be"),
    ],
)
def test_byte_order_marks_are_understood(data: bytes) -> None:
    assert ids(data, size=3) == ["NCT99000001", "NCT99000002"]


def test_characters_cut_by_a_piece_are_put_together() -> None:
    study = raw_study(eligibilityModule={"eligibilityCriteria": "≥ 18 歳"})
    text = json.dumps([study], ensure_ascii=False)
    (item,) = iter_api_json(pieces(text, 1))
    assert item == Raw(study, "line 1")


def test_places_are_lines() -> None:
    text = f"\n{json.dumps(A)}\n\n{json.dumps(B)}"
    assert [item.at for item in iter_api_json([text.encode()]) if isinstance(item, Raw)] == [
        "line 2",
        "line 4",
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"a": }', "not valid JSON: Expecting value (column 7)"),
        ("oops", "not valid JSON: Expecting value (column 1)"),
        ('{"a": 1', "not valid JSON: Expecting ',' delimiter (column 8)"),
        ('"' + "9" * 5000, "not valid JSON: Unterminated string (column 1)"),
        ("9" * 5000, "not valid JSON: a number is too long or nesting too deep"),
        ("[" * 100_000, "not valid JSON: a number is too long or nesting too deep"),
    ],
)
def test_a_line_that_is_not_json_is_rejected_and_the_next_one_read(line: str, reason: str) -> None:
    text = f"{json.dumps(A)}\n{line}\n{json.dumps(B)}\n"
    first, second, third = iter_api_json(pieces(text, 1000), lines=True)
    assert nct_id(first) == "NCT99000001"
    assert second == Rejected("line 2", reason)
    assert nct_id(third) == "NCT99000002"


def test_a_broken_first_line_does_not_hide_the_others_in_a_file_of_lines() -> None:
    text = f"oops\n{json.dumps(A)}\n"
    first, second = iter_api_json([text.encode()], lines=True)
    assert isinstance(first, Rejected)
    assert nct_id(second) == "NCT99000001"


def test_a_line_that_is_not_utf_8_is_rejected_and_the_next_one_read() -> None:
    latin = json.dumps({"name": "Müller"}, ensure_ascii=False).encode("latin-1")
    data = json.dumps(A).encode() + b"\n" + latin + b"\n" + json.dumps(B).encode()
    first, second, third = iter_api_json([data], lines=True)
    assert nct_id(first) == "NCT99000001"
    assert second == Rejected("line 2", "not UTF-8")
    assert nct_id(third) == "NCT99000002"


def test_a_line_longer_than_a_record_may_be_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_json, "LARGEST_RECORD", 1000)
    text = f'{json.dumps(A)}\n{{"a": "{"x" * 5000}"}}\n{json.dumps(B)}'
    first, second, third = iter_api_json(pieces(text, 100), lines=True)
    assert nct_id(first) == "NCT99000001"
    assert second == Rejected("line 2", "longer than 1,000 characters")
    assert nct_id(third) == "NCT99000002"


@pytest.mark.parametrize("size", [7, 1000])
@pytest.mark.parametrize(
    ("before", "fault", "reason"),
    [
        ("[%s, ", "oops]", "Expecting value"),
        ("[%s, {", "]", "Expecting property name enclosed in double quotes"),
        ("[%s,\n  ", "oops]", "Expecting value"),
        ("[%s\n ", "{}]", "something else stands where , or ] should be"),
        ("[%s", "", "the file ends where , or ] should be"),
        ('{"studies": [%s], ', "oops}", "Expecting value"),
        ('[%s, {"a": ', '"x', "Unterminated string"),
    ],
)
def test_a_fault_in_a_list_stops_there_and_says_where(
    before: str, fault: str, reason: str, size: int
) -> None:
    before %= json.dumps(A)
    items = iter_api_json(pieces(before + fault, size))
    assert nct_id(next(items)) == "NCT99000001"
    lines = before.split("\n")
    place = f"line {len(lines)}, column {len(lines[-1]) + 1}"
    with pytest.raises(ParseError, match=f"^not valid JSON: {reason} at {place}$"):
        next(items)


def test_a_list_with_bytes_that_are_not_utf_8_stops_there() -> None:
    before = b"[" + json.dumps(A).encode() + b", "
    items = iter_api_json([before + b'{"a": "\xfc"}]'])
    assert nct_id(next(items)) == "NCT99000001"
    place = f"line 1, column {len(before) + 1}"
    with pytest.raises(ParseError, match=f"not UTF-8 in the value at {place}"):
        next(items)


def test_a_value_larger_than_a_record_may_be_is_not_held_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(api_json, "LARGEST_RECORD", 1000)
    endless = (b"x" * 100 for _ in iter(int, 1))
    items = iter_api_json(piece for part in ([b'[{"a": "'], endless) for piece in part)
    with pytest.raises(ParseError, match="a value of more than 1,000 characters"):
        next(items)


@pytest.mark.parametrize("text", ["7", '"text"', "null"])
def test_a_value_that_is_neither_object_nor_list_is_named(text: str) -> None:
    with pytest.raises(ParseError, match="neither an object nor a list at line 1, column 1"):
        list(iter_api_json([text.encode()]))


def test_what_stands_in_a_list_is_delivered_whatever_it_is() -> None:
    assert list(iter_api_json([b'[1, null, "x", {}]'])) == [
        Raw(1, "line 1"),
        Raw(None, "line 1"),
        Raw("x", "line 1"),
        Raw({}, "line 1"),
    ]


def test_studies_arrive_before_the_rest_is_read() -> None:
    def endless() -> Iterator[bytes]:
        yield b"["
        while True:
            yield json.dumps(A).encode() + b","

    items = iter_api_json(endless())
    assert [nct_id(next(items)) for _ in range(3)] == ["NCT99000001"] * 3


def test_a_stream_that_breaks_off_breaks_off_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[bytes]:
        yield json.dumps(A).encode() + b"\n" + b'{"protocolSection": {"ident'
        raise ParseError("cut off")

    items = iter_api_json(broken(), lines=True)
    assert nct_id(next(items)) == "NCT99000001"
    with pytest.raises(ParseError, match="cut off"):
        next(items)
    assert list(items) == []
