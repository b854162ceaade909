"""Takes a logical line apart where one line holds several: header and text, running labels, numbers in a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from proband.text.reading import Reading
from proband.trials import labels, scope, wording
from proband.trials.headers import Header, find_header, read_header, read_sentence
from proband.trials.lines import Line
from proband.trials.marks import Mark, Style, read_marks


def take_apart(lines: Iterable[Line], older: bool) -> Iterator[Line]:
    """The parts of all `lines`, in order; `older`: the block has the headings of the cancer registry's layout."""
    for line, following in pairwise((*lines, None)):
        assert line is not None
        for part in _headed(line, older):
            yield from _numbered(part, following)


def _headed(line: Line, older: bool) -> Iterator[Line]:
    """Headers and fixed labels, each as a part of its own, and what stands between them."""
    if line.footnote:
        yield line
        return
    for run in _at(line, [*labels.running_labels(line.text)] if older else []):
        rest: Line | None = run
        while rest is not None:
            part, rest = _first_part(rest, older, listed=bool(line.marks))
            yield part


def _first_part(line: Line, older: bool, listed: bool) -> tuple[Line, Line | None]:
    """The header or label that `line` begins with, or the words before one, and what is left."""
    label = labels.read_fixed(line.text, older)
    if label and not line.marks:
        return _cut(line, label.length)
    if label and label.level < labels.TURN and label.length < len(line.text):
        return _cut(replace(line, marks=()), label.length)
    if wording.is_incomplete(line.text) or wording.is_filler(line.text):
        return line, None
    if at := _scope_before_sentence(line):
        return _cut(line, at)
    if header := read_header(line.text, bool(line.marks)):
        return _cut(line, header.length, header)
    if (at := find_header(line.text)) and (not listed or _restarts(line.text, at)):
        return _cut(line, at)
    return line, None


def _restarts(text: str, at: int) -> bool:
    """Whether the header at `at` ends a run of numbers and begins one: `2. Gout. Exclusion Criteria: 1. Stones`."""
    header = read_header(text[at:])
    if header is None or not text[:at].rstrip().endswith((".", *_STOPS)):
        return False
    marks, _ = read_marks(text[at + header.length :].lstrip(), most=1)
    return bool(marks) and marks[0].style in _COUNTED and marks[0].value == 1


def _scope_before_sentence(line: Line) -> int:
    """`Siblings: Participants are excluded if any of the following apply:` is a scope and a header."""
    colon = line.text.find(":") + 1
    if line.marks or not 0 < colon < len(line.text) or not line.text.endswith((":", "：")):
        return 0
    named = scope.of_line(line.text[:colon])
    return colon if named and read_sentence(line.text[colon:].strip()) else 0


def _at(line: Line, positions: list[int]) -> Iterator[Line]:
    """`line` cut at all of the ascending `positions` of its text."""
    if not positions:
        yield line
        return
    ends = [*positions, len(line.text)]
    head, _ = _cut(line, ends[0])
    readings = [line.reading.slice(start, end).strip() for start, end in pairwise(ends)]
    starts = [*(reading.pieces[0].start for reading in readings), line.end]
    yield replace(head, end=starts[0])
    for reading, (start, end) in zip(readings, pairwise(starts), strict=True):
        yield replace(_part(line, start, reading), end=end)


def _cut(line: Line, at: int, header: Header | None = None) -> tuple[Line, Line | None]:
    """`line` up to character `at` of its text, and the part after it, marks read anew."""
    tail = line.reading.slice(at).strip()
    if not tail.text:
        return (replace(line, header=header) if header else line), None
    border = tail.pieces[0].start
    head = replace(line, end=border, reading=line.reading.slice(0, at).strip(), header=header)
    return head, _part(line, border, tail)


def _part(line: Line, start: int, reading: Reading) -> Line:
    marks, at = read_marks(reading.text)
    return Line(start, line.end, line.indent, line.content, False, marks, reading.slice(at).strip())


def _numbered(line: Line, following: Line | None) -> Iterator[Line]:
    """`1. ... 2. ... 3. ...` in one line are three items, unless the next line is number 2."""
    while at := _next_number(line, following):
        head, rest = _cut(line, at)
        yield head
        if rest is None:
            return
        line = rest
    yield line


def _next_number(line: Line, following: Line | None) -> int:
    """Where the number after the line's own stands in its text; 0 when the line is one item."""
    mark = line.marks[-1] if line.marks else None
    if mark is None or mark.style not in _COUNTED:
        return 0
    if following and following.marks and following.marks[-1].follows(mark):
        return 0
    for found in _number_pattern(mark).finditer(line.text):
        marks, at = read_marks(line.text[found.start() : found.end() + _LONGEST_MARK], most=1)
        words = line.text[found.start() + at : found.start() + at + 1]
        if (
            marks
            and marks[0].follows(mark)
            and marks[0].value == mark.value + 1
            and words
            and (not words.islower() or line.text[: found.start()].rstrip().endswith(_STOPS))
        ):
            return found.start()
    return 0


_COUNTED = (Style.NUMBER, Style.CIRCLED)
_LONGEST_MARK = 8
_STOPS = (";", "；", "。")


def _number_pattern(mark: Mark) -> re.Pattern[str]:
    if mark.style is Style.CIRCLED:
        return re.compile(r"(?<=.)[①-⑳⑴-⒇⒈-⒛❶-❿]")
    if mark.form.startswith("("):
        return re.compile(rf"(?<=[\s;；。，\u4e00-\u9fff])[(（]{mark.value + 1}(?=\D)")
    return re.compile(rf"(?<=[\s;；。，]){mark.value + 1}(?=\D)")
