"""Reads `cases.toml` and writes what the splitter gives in the same short notation."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.trials.criteria import split_criteria
from proband.trials.criterion import Criterion, CriterionKind

SIGNS = {CriterionKind.INCLUSION: "+", CriterionKind.EXCLUSION: "-", CriterionKind.UNPARSED: "?"}


@dataclass(frozen=True, slots=True)
class Case:
    """One text and what it must give."""

    name: str
    text: str
    expect: tuple[str, ...]
    incomplete: bool


def load_cases() -> list[Case]:
    """Every case, and those marked `older` again in the registry's older layout."""
    return list(_cases())


def _cases() -> Iterator[Case]:
    path = Path(__file__).with_name("cases.toml")
    for number, row in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["case"], start=1):
        name = f"{row['kind']}, {number}"
        yield _case(name, row["text"], row)
        if row.get("older"):
            yield _case(f"{name}, older layout", older_layout(row["text"]), row)


def _case(name: str, text: str, row: dict[str, Any]) -> Case:
    return Case(name, text, tuple(row["expect"].split("\n")[:-1]), row.get("incomplete", False))


def older_layout(text: str) -> str:
    """The same lines as the registry's XML has them: indented, a blank line after each, wrapped at 100, CR LF."""
    lines, indents = [], [0]
    for line in text.strip("\n").split("\n"):
        words = line.strip().replace("\\", "")
        if not words:
            continue
        indent = len(line) - len(line.lstrip())
        while indents[-1] > indent:
            indents.pop()
        if indent > indents[-1]:
            indents.append(indent)
        level = 5 * (len(indents) - 1)
        bullet = words[:2] in ("* ", "- ")
        marked = bullet or bool(re.match(r"\(?[0-9a-zA-Z]{1,4}[.)]", words))
        first = " " * (10 + level if marked else 8 + level) + ("-  " if bullet else "")
        rest = " " * (13 + level if marked else 8 + level)
        words = words[2:] if bullet else words
        lines.append(
            textwrap.fill(
                words, 100, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
            )
        )
    return "\r\n" + "\r\n\r\n".join(line.replace("\n", "\r\n") for line in lines) + "\r\n      "


def written(criterion: Criterion) -> str:
    """A criterion in the notation of `cases.toml`."""
    parts = [f"{SIGNS[criterion.kind]} {criterion.text}"]
    for sign, names in (
        ("<<", criterion.parents),
        ("##", criterion.labels),
        ("@@", criterion.arms),
    ):
        if names:
            parts.append(f"{sign} {' | '.join(names)}")
    return " ".join(parts)


def lines_of(text: str) -> tuple[str, ...]:
    """What the splitter gives for `text`."""
    return tuple(written(criterion) for criterion in split_criteria(text).criteria)
