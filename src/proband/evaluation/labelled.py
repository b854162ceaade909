"""Labelled questions for a calibration: JSON lines with `id`, `text`, and `relevant` or `kind`.

docs/gate.md describes the file. A first line without a text (name and version of the collection) is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proband.errors import UsageError
from proband.evaluation.jsonl import lines, row

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
    found = tuple(_questions(path))
    twice = {one.id for one in found} if len({one.id for one in found}) < len(found) else ()
    if not found:
        raise UsageError(f"{path} holds no question.")
    if twice:
        raise UsageError(f"{path}: an id stands twice; each question needs its own.")
    return found


def _questions(path: Path) -> Iterator[Labelled]:
    for number, line in enumerate(lines(path), 1):
        if line.strip():
            where = f"{path}, line {number}"
            found = row(line, where)
            if number > 1 or "text" in found:
                yield _question(found, where)


def _question(found: dict[str, Any], where: str) -> Labelled:
    name, text, filters = found.get("id"), found.get("text"), found.get("filters") or {}
    if not isinstance(name, str | int) or not isinstance(text, str) or not text.strip():
        raise UsageError(f'{where}: needs "id" and "text".')
    if "relevant" not in found and found.get("kind") != NO_ANSWER:
        raise UsageError(
            f'{where}: needs "relevant" (the studies that answer it; empty: none) '
            f'or "kind": "{NO_ANSWER}".'
        )
    if not isinstance(filters, dict):
        raise UsageError(f'{where}: "filters" must be an object.')
    answerable = bool(found.get("relevant")) and found.get("kind") != NO_ANSWER
    return Labelled(str(name), text, answerable, filters)
