"""Labelled questions for a calibration: JSON lines with `id`, `text`, and `relevant` or `kind`.

docs/gate.md describes the file. A first line without a text (name and version of the collection) is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proband.errors import SourceUnavailable, UsageError

NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, whether anything answers it, and the options of `proband search` that belong to it."""

    id: str
    text: str
    answerable: bool
    filters: Mapping[str, Any] = field(default_factory=dict)


def read_labelled(path: Path) -> tuple[Labelled, ...]:
    """The questions of a file, all checked. Raises SourceUnavailable, or UsageError naming the line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SourceUnavailable(f"{path} is not UTF-8 text (byte {error.start:,}).") from error
    found = tuple(_questions(lines, path))
    twice = {one.id for one in found} if len({one.id for one in found}) < len(found) else ()
    if not found:
        raise UsageError(f"{path} holds no question.")
    if twice:
        raise UsageError(f"{path}: an id stands twice; each question needs its own.")
    return found


def _questions(lines: list[str], path: Path) -> Iterator[Labelled]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            row = _row(line, f"{path}, line {number}")
            if number > 1 or "text" in row:
                yield _question(row, f"{path}, line {number}")


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON.") from error
    if not isinstance(row, dict):
        raise UsageError(f"{where}: needs an object.")
    return row


def _question(row: dict[str, Any], where: str) -> Labelled:
    name, text, filters = row.get("id"), row.get("text"), row.get("filters") or {}
    if not isinstance(name, str | int) or not isinstance(text, str) or not text.strip():
        raise UsageError(f'{where}: needs "id" and "text".')
    if "relevant" not in row and row.get("kind") != NO_ANSWER:
        raise UsageError(
            f'{where}: needs "relevant" (the studies that answer it; empty: none) '
            f'or "kind": "{NO_ANSWER}".'
        )
    if not isinstance(filters, dict):
        raise UsageError(f'{where}: "filters" must be an object.')
    answerable = bool(row.get("relevant")) and row.get("kind") != NO_ANSWER
    return Labelled(str(name), text, answerable, filters)
