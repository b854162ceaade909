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


@dataclass(frozen=True)
class Lexicon:
    """Entries by class, in the order of the files: where two fit, the first counts."""

    entries: Mapping[str, tuple[Entry, ...]]

    def alternatives(self, name: str) -> str:
        """All patterns of a class as one alternation, without a group around it."""
        return "|".join(entry.pattern for entry in self.entries[name])

    def whole(self, name: str, before: str = "", after: str = "") -> re.Pattern[str]:
        """A pattern that the whole text must match, between `before` and `after`."""
        return re.compile(rf"{before}(?:{self.alternatives(name)}){after}\Z")

    def start(self, name: str) -> re.Pattern[str]:
        """A pattern for the start of a text."""
        return re.compile(rf"(?:{self.alternatives(name)})")


@cache
def lexicon() -> Lexicon:
    """The lexicon of the package's data files, read once."""
    entries: dict[str, tuple[Entry, ...]] = {}
    for file in sorted(resources.files("proband.trials").joinpath("data").iterdir(), key=lambda path: path.name):
        if not file.name.endswith(".toml"):
            continue
        for name, rows in tomllib.loads(file.read_text(encoding="utf-8")).items():
            entries[name] = tuple(
                Entry("".join(row["pattern"].split("\n")), row.get("side", "")) for row in rows
            )
    return Lexicon(entries)


def lowered(text: str) -> str:
    """`text` in lower case, character for character: offsets in it hold for `text`."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
