"""Parts of a text that fit a model's window."""

from __future__ import annotations

from collections.abc import Sequence

Offsets = Sequence[tuple[int, int]]
"""Half-open character ranges of a text's tokens, in order."""


def windows(text: str, tokens: Offsets, size: int) -> list[str]:
    """`text` in parts of at most `size` tokens, each cut at a token's edge; nothing is left out."""
    if len(tokens) <= size:
        return [text]
    starts = [tokens[first][0] for first in range(0, len(tokens), size)]
    ends = [*starts[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
