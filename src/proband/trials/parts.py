"""Takes a logical line apart where one line holds several: header and text, running labels, numbers in a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from proband.trials import labels, scope, wording
from proband.text.reading import Reading
from proband.trials.headers import Header, find_header, read_header, read_sentence
from proband.trials.lines import Line
from proband.trials.marks import Mark, Style, read_marks


def take_apart(lines: Iterable[Line], older: bool) -> Iterator[Line]:
    """The parts of all `lines`, in order; `older`: the block has the headings of the cancer registry's layout."""
    pending = list(lines)
    for line, following in zip(pending, [*pending[1:], None], strict=True):
        for part in _headed(line, older):
            yield from _numbered(part, following)


def _headed(line: Line, older: bool) -> Iterator[Line]:
    """Headers and fixed labels, each as a part of its own, then what is left."""
    rest: Line | None = line
    listed = bool(line.marks)
    while rest is not None and not rest.footnote:
        part, rest = _first_part(rest, older, listed)
        yield part
    if rest is not None:
        yield rest


def _first_part(line: Line, older: bool, listed: bool) -> tuple[Line, Line | None]:
    if label := labels.read_fixed(line.text, older):
        if not line.marks:
            return _cut(line, label.length)
        if label.level < 2 and label.length < len(line.text):
            return _cut(replace(line, marks=()), label.length)
    if at := _scope_before_sentence(line):
        return _cut(line, at)
    if wording.is_incomplete(line.text) or wording.is_filler(line.text):
        return line, None
    if header := read_header(line.text, bool(line.marks)):
        return _cut(line, header.length, header)
    if not listed and (at := find_header(line.text)):
        return _cut(line, at)
    if older and (at := next(labels.running_labels(line.text), 0)):
        return _cut(line, at)
    return line, None


def _scope_before_sentence(line: Line) -> int:
    """`Siblings: Participants are excluded if any of the following apply:` is a scope and a header."""
    colon = line.text.find(":") + 1
    if line.marks or not 0 < colon < len(line.text) or not line.text.endswith((":", "：")):
        return 0
    named = scope.of_line(line.text[:colon])
    return colon if named and read_sentence(line.text[colon:].strip()) else 0


def _cut(line: Line, at: int, header: Header | None = None) -> tuple[Line, Line | None]:
    """`line` up to character `at` of its text, and the part after it, marks read anew."""
    tail = line.reading.slice(at).strip()
    if not tail.text:
        return replace(line, header=header), None
    border = tail.pieces[0].start
    head = replace(line, end=border, reading=line.reading.slice(0, at).strip(), header=header)
    return head, _part(line, border, tail)


def _part(line: Line, start: int, reading: Reading) -> Line:
    marks, at = read_marks(reading.text)
    return Line(start, line.end, line.indent, line.content, False, marks, reading.slice(at).strip())


def _numbered(line: Line, following: Line | None) -> Iterator[Line]:
    """`1. ... 2. ... 3. ...` in one line are three items, unless the next line is number 2."""
    while (at := _next_number(line, following)):
        head, rest = _cut(line, at)
        yield head
        if rest is None:
            return
        line = rest
    yield line


def _next_number(line: Line, following: Line | None) -> int:
    mark = line.marks[-1] if line.marks else None
    if mark is None or mark.style not in (Style.NUMBER, Style.CIRCLED):
        return 0
    if following and following.marks and following.marks[-1].follows(mark):
        return 0
    for found in _number_pattern(mark).finditer(line.text):
        marks, at = read_marks(line.text[found.start() :])
        if marks and marks[0].follows(mark) and marks[0].value == mark.value + 1 and _begins_item(line.text[found.start() + at :]):
            return found.start()
    return 0


def _number_pattern(mark: Mark) -> re.Pattern[str]:
    if mark.style is Style.CIRCLED:
        return re.compile(r"(?<=\S)\s*[①-⑳⑴-⒇⒈-⒛❶-❿]")
    opening = r"[(（]" if mark.form.startswith("(") else ""
    return re.compile(rf"(?<=\s){opening}{mark.value + 1}(?=\D)")


def _begins_item(text: str) -> bool:
    return bool(text) and not text[0].islower()
