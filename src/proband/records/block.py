"""One table of a mapping file: its values by key, each of the right type, or an error that says what to write."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from proband.errors import MappingError
from proband.records.toml_lines import Path

Read = TypeVar("Read")


def nearest(word: str, known: Collection[str], else_say: str = "") -> str:
    """A hint: `; did you mean "columns"?`; where nothing is near, `else_say` or all that is known."""
    found = difflib.get_close_matches(word, known, 1)
    if found:
        return f'; did you mean "{found[0]}"?'
    return else_say or f"; known are {', '.join(sorted(known))}"


def ended(sentence: str) -> str:
    """The sentence with its full stop, where it is no question."""
    return sentence if sentence.endswith("?") else f"{sentence}."


@dataclass(frozen=True, slots=True)
class Block:
    """A table of the file.

    Args:
        file: what the file is called in errors.
        title: what the table is called in errors: `[patient]`, `[[table]] visits`.
        path: where it stands.
        values: what `tomllib` read.
        lines: the lines of the whole file.
    """

    file: str
    title: str
    path: Path
    values: Mapping[str, Any]
    lines: Mapping[Path, int]

    @property
    def line(self) -> int:
        """Its first line, from 1; 0 where no header names it."""
        for end in range(len(self.path), 0, -1):
            if self.path[:end] in self.lines:
                return self.lines[self.path[:end]]
        return 0

    def error(self, key: str, reason: str) -> MappingError:
        """The error of a key, or with "" of the whole table."""
        line = self.lines.get((*self.path, key), self.line) if key else self.line
        where = f"{self.file}, line {line}" if line else self.file
        subject = f"{self.title} {key}".strip()
        named = f"{subject}: " if subject else ""
        return MappingError(ended(f"{where}: {named}{reason}"))

    def only(self, known: Collection[str]) -> None:
        """Raises MappingError for a key that is not known, with the nearest one."""
        for key in self.values:
            if key not in known:
                raise self.error(key, f"unknown key{nearest(key, known)}")

    def below(self, key: str, title: str) -> Block | None:
        """The table under `key`; None where there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.error(key, f"must be a table; write {title}")
        return Block(self.file, title, (*self.path, key), value, self.lines)

    def needs(self, key: str, write: str) -> None:
        """Raises MappingError when the key is missing; `write` says what to write."""
        if key not in self.values:
            raise self.error("", f'"{key}" is missing; write {write}')

    def text(self, key: str, default: str = "") -> str:
        """A text; it may not be empty where it is given."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f'must be a text; write {key} = "..."')
        if key in self.values and not value.strip():
            raise self.error(key, "is empty; leave the key out")
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of texts, each once."""
        value = self.values.get(key, default)
        if isinstance(value, str):
            raise self.error(key, f'must be a list; write {key} = ["{value}"]')
        if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
            raise self.error(key, f'must be a list of texts; write {key} = ["...", "..."]')
        return tuple(dict.fromkeys(value))

    def columns(self, key: str) -> tuple[str, ...]:
        """A list of column names. `*` is refused: each column is named."""
        names = self.texts(key)
        for name in names:
            if not name.strip() or "*" in name:
                raise self.error(key, f'"{name}" is no column; name each column that may be copied')
        return names

    def texts_by(self, key: str) -> dict[str, str]:
        """A table of texts."""
        value = self.values.get(key, {})
        if not isinstance(value, Mapping) or not all(
            isinstance(text, str) for text in value.values()
        ):
            raise self.error(key, f'must be a table of texts; write {key} = {{ column = "..." }}')
        return dict(value)

    def whole(self, key: str, default: int, lowest: int, highest: int) -> int:
        """A whole number between two bounds."""
        value = self.values.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
            raise self.error(key, f"must be a whole number from {lowest} to {highest}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, "must be true or false, without quotes")
        return value

    def read(self, key: str, reader: Callable[[str], Read], text: str) -> Read:
        """What `reader` makes of `text`; its ValueError becomes the error of this key."""
        try:
            return reader(text)
        except ValueError as wrong:
            raise self.error(key, str(wrong)) from None
