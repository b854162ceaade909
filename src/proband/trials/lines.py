"""Scans an eligibility block into logical lines: wrapped lines joined, list marks read, nothing lost.

The lines partition the block: each holds the published range from its first character to the start of the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proband.text.reading import Reading, join
from proband.trials import wording
from proband.trials.headers import Header, opens_list
from proband.trials.marks import Mark, Style, read_marks, read_outline
from proband.trials.markup import clean, without_bold


@dataclass(frozen=True, slots=True)
class Line:
    """One logical line: published `[start, end)`, list marks, and the words after them.

    `indent` is the column of the mark and `content` that of the words; `spaced` says that a blank line stands above;
    `header` is set on the part of a line that opens a list, `footnote` on a line that explains a mark.
    """

    start: int
    end: int
    indent: int
    content: int
    spaced: bool
    marks: tuple[Mark, ...]
    reading: Reading
    header: Header | None = None
    footnote: bool = False

    @property
    def text(self) -> str:
        """The words of the line, clean."""
        return self.reading.text


@dataclass(frozen=True, slots=True)
class _Physical:
    """One line as published. `whole` is its reading with the list marks, which end at character `at`."""

    start: int
    end: int
    indent: int
    width: int
    spaced: bool
    whole: Reading
    marks: tuple[Mark, ...]
    at: int
    escaped: bool

    @property
    def text(self) -> str:
        return self.whole.text[self.at :]

    @property
    def content(self) -> int:
        return self.indent + (self.at if len(self.marks) < 2 else 2)


_LONGEST_HEADING = 4
_LONGEST_BARE_ITEM = 40
_WRAP_WIDTHS = range(70, 106)
_TERMINAL = tuple(".:;!?。；：！？")
_UNFINISHED = re.compile(
    r"\b(?:of|the|a|an|and|or|to|in|on|at|by|for|with|from|than|as|is|are|be|was|were|not|no|that|which|who|any|least|have|has|per|within|its|their|this)$|[,(/–-]$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"(?:and|or|and/or|with|without|who|of|than|in|to|for|by|on)\b")
_LINE = re.compile(r"[^\r\n\x0b\x0c\x85\u2028\u2029]*(?:\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]|$)")


def scan(published: str) -> list[Line]:
    """The logical lines of `published`, in order."""
    physical = _without_decimals(_outlined(list(_physical(published))))
    width = max((line.width for line in physical), default=0)
    loose = _loose(physical)
    groups: list[list[_Physical]] = []
    items = _bare_items(physical)
    for n, line in enumerate(physical):
        if groups and n not in items and _continues(groups[-1], line, width, loose):
            groups[-1].append(line)
        else:
            groups.append([line])
    return _with_footnotes(groups)


def _physical(published: str) -> Iterator[_Physical]:
    spaced = True
    for found in _LINE.finditer(published):
        raw = found.group()
        if not raw:
            continue
        whole = without_bold(clean(published, found.start(), found.end()))
        if not whole.text:
            spaced = True
            if raw.strip():
                yield _Physical(found.start(), found.end(), 0, 0, True, whole, (), 0, False)
            continue
        lead = raw[: len(raw) - len(raw.lstrip())].expandtabs(4)
        marks, at = read_marks(whole.text)
        first = whole.pieces[0]
        yield _Physical(
            found.start(),
            found.end(),
            len(lead),
            len(lead) + len(raw.strip()),
            spaced,
            whole,
            marks,
            at,
            escaped=published[first.start] == "\\",
        )
        spaced = False


def _outlined(physical: list[_Physical]) -> list[_Physical]:
    """`1.1 at least` and `1.2 ...` are marks where they count up from 1 below `1.`; else such a number is a decimal."""
    outer, run, outlined = 0, 0, physical.copy()
    for n, line in enumerate(physical):
        if line.marks and line.marks[-1].style is Style.NUMBER:
            outer, run = line.marks[-1].value, 0
        elif found := read_outline(line.whole.text):
            mark, at = found
            if mark.form == str(outer) and mark.value == run + 1:
                outlined[n], run = replace(line, marks=(mark,), at=at), mark.value
    return outlined


def _without_decimals(physical: list[_Physical]) -> list[_Physical]:
    """`1.1 Age` is a mark where `1.2 ...` stands as well; `1.5 T scanner` alone is none."""
    unsure = {line.marks[-1] for line in physical if line.marks and line.marks[-1].unsure}
    if not unsure:
        return physical
    alone = {
        mark
        for mark in unsure
        if not any(other.follows(mark) or mark.follows(other) for other in unsure)
    }
    return [
        replace(line, marks=line.marks[:-1], at=read_marks(line.whole.text, len(line.marks) - 1)[1])
        if line.marks and line.marks[-1] in alone
        else line
        for line in physical
    ]


def _loose(physical: list[_Physical]) -> bool:
    """Whether blank lines stand between the items, as in the older layout."""
    marked = [line.spaced for line in physical if line.marks]
    return len(marked) > 1 and sum(marked) >= 0.7 * len(marked)


def _bare_items(physical: list[_Physical]) -> set[int]:
    """Which lines are items without marks: all lines directly below a header with a colon, where each is short."""
    found: set[int] = set()
    for n, line in enumerate(physical):
        if line.text.endswith((":", "：")) and opens_list(line.text):
            found.update(_bare_run(physical, n + 1))
    return found


def _bare_run(physical: list[_Physical], start: int) -> list[int]:
    """The lines from `start` to the next blank line; none when one of them is not short, or goes on from another."""
    run = []
    for n in range(start, len(physical)):
        if physical[n].spaced:
            break
        if not _is_bare_item(physical[n]):
            return []
        run.append(n)
    return run


def _is_bare_item(line: _Physical) -> bool:
    """Whether the line is too short to have been wrapped, and ends like an item."""
    if line.marks or line.width > _LONGEST_BARE_ITEM or line.text.endswith((":", "：")):
        return False
    return not _UNFINISHED.search(line.text) and not _GOES_ON.match(line.text)


def _continues(group: list[_Physical], line: _Physical, width: int, loose: bool) -> bool:
    """Whether `line` is the wrapped end of the line above."""
    first, above, text = group[0], group[-1], line.whole.text
    if line.spaced or not first.text:
        return False
    if line.marks:
        return _wrapped_mark(first, above, line, loose)
    if _is_full(above, text, width) and line.indent >= first.indent:
        return True
    if _closed(group):
        return False
    if text[0].islower() and not wording.is_connective(text):
        return not (above.text.endswith((":", "：")) and line.indent <= first.indent)
    if wording.starts_unit(text):
        return False
    if line.indent > first.indent + (0 if first.marks else 1):
        return True
    return not above.text.endswith(_TERMINAL) and bool(
        not text[0].isalpha() or _UNFINISHED.search(above.text)
    )


def _is_full(above: _Physical, text: str, width: int) -> bool:
    """Whether the next word would not have fitted into the line above, in a block wrapped at one width."""
    return width in _WRAP_WIDTHS and above.width + 1 + len(text.split(" ", 1)[0]) > width


def _wrapped_mark(first: _Physical, above: _Physical, line: _Physical, loose: bool) -> bool:
    """Whether what looks like a list mark is text that wrapped: `9\\n - 12 g/dL`, `within\\n 28. ...`."""
    if not first.marks or abs(line.indent - first.content) > 1 or above.text.endswith(_TERMINAL):
        return False
    mark = line.marks[0]
    if not line.text and mark.style is Style.NUMBER:
        return True
    if mark.style is Style.BULLET:
        return line.text[:1].isdigit() or (loose and first.spaced)
    return not mark.opens and not mark.follows(first.marks[-1]) and not mark.follows(first.marks[0])


def _closed(group: list[_Physical]) -> bool:
    if group[0].marks and len(group) == 1 and group[0].text.endswith((":", "：")):
        return opens_list(group[0].text)
    if group[0].marks or len(group) > _LONGEST_HEADING:
        return False
    text = " ".join(line.whole.text for line in group)
    if text.startswith("<!--"):
        return True
    return (
        wording.is_connective(text)
        or opens_list(text)
        or (len(text) < 60 and text.endswith((":", "：")))
    )


def _with_footnotes(groups: list[list[_Physical]]) -> list[Line]:
    lines = [_logical(group) for group in groups]
    marks = wording.footnote_marks(line.text for line in lines)
    if not marks:
        return lines
    starred = sum(group[0].whole.text[:1] == "*" and bool(group[0].marks) for group in groups)
    rare = starred <= len(marks) and not any(group[0].escaped for group in groups)
    return [
        _as_footnote(group, line) if _explains(group[0], marks, rare) else line
        for group, line in zip(groups, lines, strict=True)
    ]


def _explains(first: _Physical, marks: frozenset[str], rare: bool) -> bool:
    """Whether a line begins with a mark that stands at a word; a plain `* ` is a bullet where bullets are stars."""
    mark = wording.leading_footnote_mark(first.whole.text)
    if mark not in marks:
        return False
    return first.escaped or not first.marks or rare


def _as_footnote(group: list[_Physical], line: Line) -> Line:
    return replace(line, marks=(), reading=join(part.whole for part in group), footnote=True)


def _logical(group: list[_Physical]) -> Line:
    first = group[0]
    words = first.whole.slice(first.at).strip()
    if len(group) > 1:
        words = without_bold(join([words, *(line.whole for line in group[1:])]))
    return Line(
        first.start, group[-1].end, first.indent, first.content, first.spaced, first.marks, words
    )
