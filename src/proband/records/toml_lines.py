"""Where the keys of a TOML text stand. `tomllib` gives the values and no lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping

Path = tuple[str | int, ...]
"""Keys from the top; the tables of an array are counted from 0: `("table", 2, "path")`."""

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)"""
    r'''|(?P<long>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5})'''
    r"""|(?P<short>"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\')"""
    r"""|(?P<open>[\[{])|(?P<close>[\]}])|(?P<line>\n)""",
    re.DOTALL,
)
_HEADER = re.compile(r"[ \t]*(\[\[?)(.*?)\]", re.DOTALL)
_KEY = re.compile(r"""[ \t]*((?:[^=\#\n"']|"[^"\n]*"|'[^'\n]*')+?)[ \t]*=""")


def key_lines(text: str) -> Mapping[Path, int]:
    """The line, from 1, of each table header and key outside inline tables. `text` must be TOML."""
    lines: dict[Path, int] = {}
    above: Path = ()
    counts: dict[Path, int] = {}
    for number, line in _statements(text):
        header = _HEADER.match(line)
        if header:
            above = _table(_parts(header[2]), header[1] == "[[", counts)
            lines[above] = number
        elif key := _KEY.match(line):
            lines[(*above, *_parts(key[1]))] = number
    return lines


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each header or key with its value, however many lines it has, and the number of its first line."""
    start, first, line, depth = 0, 1, 1, 0
    for token in _TOKEN.finditer(text + "\n"):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        line += token[0].count("\n")
        if token.lastgroup == "line" and depth == 0:
            yield first, text[start : token.start()]
            start, first = token.end(), line


def _table(parts: tuple[str, ...], of_array: bool, counts: dict[Path, int]) -> Path:
    path: Path = ()
    for part in parts[:-1]:
        path = (*path, part)
        if path in counts:
            path = (*path, counts[path])
    path = (*path, parts[-1])
    if of_array:
        counts[path] = counts.get(path, -1) + 1
    return (*path, counts[path]) if of_array else path


def _parts(key: str) -> tuple[str, ...]:
    """The parts of a dotted key, without their quotes."""
    found = tomllib.loads(f"{key} = 0")
    parts: list[str] = []
    value: object = found
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)
