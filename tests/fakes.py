"""Stand-ins with arithmetic that can be followed by eye."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from proband.errors import TextTooLong
from proband.model import Float32Matrix, Float32Vector

WORD = re.compile(r"\S+")


class HashEmbedder:
    """An Embedder that counts words: each lower-cased word adds 1 at `slot(word)`; then norm 1.

    Tokens are the words between white space, there are no special ones, so cosine is what two
    bags of words share: "a b" against "a c" is 0.5 when no slots collide. Text without words is
    the unit vector of slot 0.
    `embedded` counts the texts that were embedded, for tests of reuse.
    """

    def __init__(self, dimensions: int = 16, window_tokens: int = 256) -> None:
        self._dimensions = dimensions
        self._window_tokens = window_tokens
        self.embedded = 0

    @property
    def digest(self) -> str:
        return f"hash-words-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def window_tokens(self) -> int:
        return self._window_tokens

    def slot(self, word: str) -> int:
        """Where a word is counted."""
        return zlib.crc32(word.lower().encode()) % self._dimensions

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        return [[match.span() for match in WORD.finditer(text)] for text in texts]

    def embed_documents(self, texts: Sequence[str]) -> Float32Matrix:
        self.embedded += len(set(texts))
        rows = [self._counted(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self._dimensions)

    def token_vectors(self, texts: Sequence[str]) -> list[Float32Matrix]:
        return [
            np.array([self._counted(word) for word in WORD.findall(text)], np.float32)
            for text in texts
        ]

    def specificity(self, words: Sequence[str]) -> list[float]:
        return [0.5 if word.islower() and len(word) < 4 else 1.0 for word in words]

    def embed_query(self, text: str) -> Float32Vector:
        return self._counted(text)

    def _counted(self, text: str) -> Float32Vector:
        words = WORD.findall(text)
        if len(words) > self._window_tokens:
            raise TextTooLong(f"A text has {len(words)} tokens, the window {self._window_tokens}.")
        vector = np.zeros(self._dimensions, dtype=np.float32)
        for word in words or [""]:
            vector[self.slot(word)] += 1
        return vector / np.float32(np.linalg.norm(vector))


if TYPE_CHECKING:
    from proband.ports import Embedder

    _: Embedder = HashEmbedder()
