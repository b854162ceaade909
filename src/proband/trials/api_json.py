"""Studies in API v2 JSON, read as a stream: one study, a list, `{"studies": [...]}` pages, or one JSON value a line.

Memory is bounded by one study, not by the file. A line that is not JSON is rejected and the next one read; inside a
list nothing after a fault can be trusted, so reading stops there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from proband.errors import ParseError
from proband.text.json_stream import JsonText, json_value
from proband.trials.fetched import LARGEST_RECORD, Raw, Rejected


def iter_api_json(chunks: Iterable[bytes], *, lines: bool = False) -> Iterator[Raw | Rejected]:
    """The studies of a stream in its order.

    Args:
        chunks: the bytes, in pieces of any size.
        lines: each line is a value of its own. Found out when the first value ends on the line that it began on.

    Raises:
        ParseError: the stream is not JSON from some place on; what came before has been delivered.
    """
    text = JsonText(chunks, LARGEST_RECORD)
    by_line = lines and not text.opens_over_lines()
    while text.peek():
        if by_line:
            yield from _line(text)
            continue
        began = text.line
        yield from _value(text)
        by_line = text.line == began


def _line(text: JsonText) -> Iterator[Raw | Rejected]:
    at = f"line {text.line}"
    line = text.take_line()
    if line is None:
        yield Rejected(at, f"longer than {LARGEST_RECORD:,} characters")
        return
    try:
        value = json_value(line)
    except ParseError as error:
        yield Rejected(at, str(error))
    else:
        yield from _studies(value, at)


def _value(text: JsonText) -> Iterator[Raw]:
    match text.peek():
        case "[":
            yield from _elements(text)
        case "{":
            yield from _members(text)
        case _:
            raise ParseError(f"not valid JSON: neither an object nor a list at {text.place()}")


def _elements(text: JsonText) -> Iterator[Raw]:
    text.take("[")
    if text.peek() == "]":
        text.take("]")
        return
    separator = ","
    while separator == ",":
        text.peek()
        at = f"line {text.line}"
        yield from _studies(text.take_value(), at)
        separator = text.take(",]")


def _members(text: JsonText) -> Iterator[Raw]:
    """A study, or a page of them: which one is known when its keys are read."""
    at = f"line {text.line}"
    study: dict[str, Any] = {}
    page = False
    separator = text.take("{")
    if text.peek() == "}":
        separator = text.take("}")
    while separator != "}":
        key = text.take_value()
        text.take(":")
        if key == "studies" and text.peek() == "[":
            page = True
            yield from _elements(text)
        else:
            study[str(key)] = text.take_value()
        separator = text.take(",}")
    if not page:
        yield Raw(study, at)


def _studies(value: Any, at: str) -> Iterator[Raw]:
    """The studies in one value: itself, or those of a list or page."""
    if isinstance(value, dict) and isinstance(value.get("studies"), list):
        value = value["studies"]
    if isinstance(value, list):
        for item in value:
            yield from _studies(item, at)
    else:
        yield Raw(value, at)
