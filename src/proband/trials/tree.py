"""Nests lines into a tree by indentation, mark style and numbering."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from proband.trials.lines import Line
from proband.trials.marks import Style
from proband.trials.wording import is_connective

DEEPEST = 16
"""Levels; registry text has at most seven. Deeper lines stand beside each other, which bounds the cost of a path."""


@dataclass(slots=True)
class Node:
    """A line and the lines below it."""

    line: Line
    below: list[Node] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The words of the line."""
        return self.line.text


def nest(lines: Iterable[Line]) -> list[Node]:
    """The top lines. A header or a line outside the lists has the list after it below it."""
    top: list[Node] = []
    path: list[Node] = []
    for line in lines:
        node = Node(line)
        if path and _changes_nothing(line):
            path[-1].below.append(node)
            continue
        depth = _depth(path, line)
        (path[depth - 1].below if depth else top).append(node)
        path[depth:] = [node]
    return top


def _depth(path: list[Node], line: Line) -> int:
    if line.header:
        return 0
    if not line.marks:
        return _paragraph_depth(path, line)
    owned = bool(path) and (path[0].line.header is not None or not path[0].line.marks)
    return min(_item_depth(path, line, base=int(owned)), DEEPEST)


def _changes_nothing(line: Line) -> bool:
    """List breaks, empty items and a connective alone hang below the last line; the list goes on."""
    return not line.text or line.text.startswith("<!--") or is_connective(line.text)


def _paragraph_depth(path: list[Node], line: Line) -> int:
    """A paragraph belongs to the item in whose words it is indented, else it stands outside the lists."""
    for depth in range(len(path) - 1, -1, -1):
        above = path[depth].line
        if above.marks and line.indent > above.indent and line.indent >= above.content - 1:
            return depth + 1
    return 0


def _item_depth(path: list[Node], line: Line, base: int) -> int:
    by_indent = _depth_by_indent(path, line, base)
    mark = line.marks[-1]
    if mark.style in (Style.NUMBER, Style.OUTLINE, Style.CIRCLED) and not mark.opens:
        here = path[by_indent].line if by_indent < len(path) else None
        if here is None or not _follows(line, here):
            for depth in range(min(by_indent, len(path)) - 1, base - 1, -1):
                if _follows(line, path[depth].line):
                    return depth
    return by_indent


def _depth_by_indent(path: list[Node], line: Line, base: int) -> int:
    for depth in range(len(path) - 1, base - 1, -1):
        above = path[depth].line
        if not above.marks:
            continue
        step = line.indent - above.indent
        if step >= 2:
            return depth + 1
        if step >= -1:
            return _depth_at_same_indent(path, line, depth, base)
    return base


def _depth_at_same_indent(path: list[Node], line: Line, depth: int, base: int) -> int:
    """Sibling of what stands at this indent, or below it where the mark's style says so."""
    level = depth
    while (
        level >= base and abs(path[level].line.indent - line.indent) <= 1 and path[level].line.marks
    ):
        above = path[level].line
        if _same_list(above, line):
            return level
        if _outlines(above, line) or (_opens_below(above, line) and level == depth):
            return level + 1
        level -= 1
    return level + 1


def _follows(line: Line, above: Line) -> bool:
    return any(mine.follows(theirs) for mine in line.marks for theirs in above.marks)


def _same_list(above: Line, line: Line) -> bool:
    return _follows(line, above) or (above.marks[-1].style, above.marks[-1].form) == (
        line.marks[-1].style,
        line.marks[-1].form,
    )


def _opens_below(above: Line, line: Line) -> bool:
    """`1. One of the following:` then `a. ...` or `- ...` at the same indent."""
    mark, over = line.marks[-1], above.marks[-1]
    return (
        above.text.endswith((":", "："))
        and mark.opens
        and (mark.style, mark.form) != (over.style, over.form)
    )


def _outlines(above: Line, line: Line) -> bool:
    """`2.1` stands below `2.`."""
    mark, over = line.marks[-1], above.marks[-1]
    if mark.style is not Style.OUTLINE or over.style not in (Style.NUMBER, Style.OUTLINE):
        return False
    number = re.match(r"[\d.]*\d", mark.form)
    path = re.match(r"[\d.]*\d", over.form)
    whole = (
        f"{path.group()}.{over.value}" if path and over.style is Style.OUTLINE else str(over.value)
    )
    return number is not None and number.group() == whole
