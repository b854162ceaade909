"""The words of eligibility texts: patterns kept as data in `data/*.toml`, each with where it was seen and how often."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Entry:
    """One pattern over lower-case text with single spaces. `side` only where the words decide one."""

    pattern: str
    side: str = ""


def entries(name: str) -> tuple[Entry, ...]:
    """The entries of a class, in the order of the files: where two fit, the first counts."""
    return _lexicon()[name]


def alternatives(name: str) -> str:
    """All patterns of a class as one alternation, without a group around it."""
    return "|".join(entry.pattern for entry in entries(name))


@cache
def whole(name: str) -> re.Pattern[str]:
    """What a whole text of the class matches, by `match`."""
    return re.compile(rf"(?:{alternatives(name)})\Z")


@cache
def words(name: str) -> re.Pattern[str]:
    """The patterns of the class as whole words, for `search`."""
    return re.compile(rf"(?<!\w)(?:{alternatives(name)})(?!\w)")


@cache
def ending(name: str) -> re.Pattern[str]:
    """The patterns of the class as the last words of a text, for `search`."""
    return re.compile(rf"(?:^|[\s,(–—-])(?:{alternatives(name)})\Z")


@cache
def starting(name: str) -> re.Pattern[str]:
    """The patterns of the class as the first words of a text, for `match`."""
    return re.compile(rf"\s*(?:{alternatives(name)})(?!\w)")


@cache
def _lexicon() -> Mapping[str, tuple[Entry, ...]]:
    found: dict[str, tuple[Entry, ...]] = {}
    folder = resources.files("proband.trials").joinpath("data")
    for file in sorted(folder.iterdir(), key=lambda path: path.name):
        if not file.name.endswith(".toml"):
            continue
        for name, rows in tomllib.loads(file.read_text(encoding="utf-8")).items():
            found[name] = tuple(
                Entry("".join(row["pattern"].split("\n")), row.get("side", "")) for row in rows
            )
    return found


def lowered(text: str) -> str:
    """`text` in lower case, character for character: offsets in it hold for `text`."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
