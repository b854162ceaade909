"""Takes the registry's markup off: CommonMark escapes, HTML entities, bold marks, invisible characters, odd spaces."""

from __future__ import annotations

import html
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from proband.text.reading import Change, Piece, Reading, read

_INVISIBLE = "\u00ad\u200b\u200e\u200f\u2060\ufeff"
_SPACE_ENTITY = r"\\?&(?:amp;)*(?:nbsp|ensp|emsp|thinsp|#(?:9|10|13|32|160)|#[xX][aA]0);"
_GAP = rf"(?:\s|[{_INVISIBLE}]|{_SPACE_ENTITY})"
_MARKUP = re.compile(
    rf"(?P<gap> ?(?:[^\S ]|[{_INVISIBLE}]|{_SPACE_ENTITY}){_GAP}*|  {_GAP}*)"
    r"|(?P<entity>\\?&(?:amp;){0,8}\\?(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
)
_VISIBLE_SPACE = re.compile(r"\s|&")
_EMPHASIS = re.compile(r"\*{2,3}|_{2,3}")


def clean(published: str, start: int, end: int) -> Reading:
    """`published[start:end]` without escapes and entities, each run of white space as one space, stripped.

    Bold marks stay: a pair can only be told from two footnote marks in a whole line (`without_bold`).
    """
    raw = published[start:end]
    left, right = start + len(raw) - len(raw.lstrip()), start + len(raw.rstrip())
    if _is_plain(raw.strip()):
        return read(published, left, max(left, right))
    return read(published, left, right, _changes(published, left, right)).strip()


def _is_plain(raw: str) -> bool:
    """Whether there is nothing to change; most lines are so, and this is four times faster than the pattern."""
    if raw.isascii():
        return not ("\\" in raw or "  " in raw or "&" in raw or _BREAK.search(raw))
    return _MARKUP.search(raw) is None


_BREAK = re.compile(r"[\t-\r\x1c-\x1f]")


def _changes(published: str, start: int, end: int) -> Iterator[Change]:
    for found in _MARKUP.finditer(published, start, end):
        if found["gap"]:
            text = " " if _VISIBLE_SPACE.search(found["gap"]) else ""
        elif found["entity"]:
            text = _decoded(found["entity"].replace("\\", ""))
        else:
            text = found["escaped"]
        yield Change(found.start(), found.end(), text)


def _decoded(entity: str) -> str:
    """`&amp;gt;` was escaped more than once on its way to the registry: decoded until nothing changes."""
    while (decoded := html.unescape(entity)) != entity:
        entity = decoded
    return entity


def without_bold(reading: Reading) -> Reading:
    """`reading` without the marks of `**bold**` and `__bold__`; a mark without its partner stays (a footnote)."""
    if "**" not in reading.text and "__" not in reading.text:
        return reading
    return _without(reading, [*_bold_marks(reading.text)])


def _without(reading: Reading, marks: Sequence[tuple[int, int]]) -> Reading:
    """`reading` without `marks`, in one pass: a slice for each looks at every piece, quadratic in a hostile line."""
    dropped = {at for mark in marks for at in range(*mark)}
    borders = {at for mark in marks for at in mark}.union(piece.at for piece in reading.pieces)
    texts: list[str] = []
    pieces: list[Piece] = []
    at = 0
    for low, high in pairwise(sorted(borders | {len(reading.text)})):
        if low in dropped:
            continue
        texts.append(reading.text[low:high])
        pieces.append(_piece_of(reading, low, high)._replace(at=at))
        at += high - low
    return Reading("".join(texts), tuple(pieces))


def _piece_of(reading: Reading, low: int, high: int) -> Piece:
    """What `text[low:high]`, within one piece, was read from."""
    n = bisect(reading.pieces, low, key=attrgetter("at"))
    piece = reading.pieces[n - 1]
    after = reading.pieces[n].at if n < len(reading.pieces) else len(reading.text)
    if piece.end - piece.start != after - piece.at:
        return Piece(0, piece.start, piece.end)
    offset = piece.start - piece.at
    return Piece(0, low + offset, high + offset)


def _bold_marks(text: str) -> Iterator[tuple[int, int]]:
    opened: dict[str, tuple[int, int]] = {}
    for found in _EMPHASIS.finditer(text):
        before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        mark = found.group()
        if before.strip() and mark in opened:
            yield opened.pop(mark)
            yield found.span()
        elif after.strip() and not (mark[0] == "_" and (before.isalnum() or after == "_")):
            opened[mark] = found.span()
