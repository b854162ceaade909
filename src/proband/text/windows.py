"""Parts of a text that fit a model's window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

Offsets = Sequence[tuple[int, int]]
"""Half-open character ranges of a text's tokens, in order."""


def windows(text: str, size: int, tokens: Callable[[str], Offsets]) -> list[str]:
    """`text` in parts of at most `size` tokens, cut where a word begins, if one does; nothing is left out.

    Args:
        tokens: tokenizes a text. A part cut inside a word can have more tokens than it had there, and is cut again.
    """
    spans = tokens(text)
    if len(spans) <= size:
        return [text]
    pieces = (text[start:end].strip() for start, end in _ranges(text, spans, size))
    return [part for piece in pieces for part in windows(piece, size, tokens)]


def _ranges(text: str, spans: Offsets, size: int) -> Iterator[tuple[int, int]]:
    """Character ranges of at most `size` tokens each; all of `text` together."""
    first, start = 0, 0
    while first + size < len(spans):
        first = _cut(text, spans, first, size)
        yield start, spans[first][0]
        start = spans[first][0]
    yield start, len(text)


def _cut(text: str, spans: Offsets, first: int, size: int) -> int:
    """The token that begins the next part: the last beginning of a word in the second half of the window."""
    tail = range(first + size, first + size // 2, -1)
    return next((n for n in tail if text[spans[n][0] - 1].isspace()), tail[0])
