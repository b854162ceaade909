"""Text to token ids by a model's published tokenizer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from proband.errors import ModelError, TextTooLong

TokenIds = npt.NDArray[np.int32]
"""The token ids of one text, the special ones included: `(tokens,)`."""

COMMONEST = "the"
"""Where a vocabulary's words begin: before it stand special tokens, signs and letters."""


class ModelTokenizer:
    """Tokenises with neither padding nor truncation, whatever the file declares.

    (The published file of all-MiniLM-L6-v2 declares both, at 128 tokens.) May be called from many threads.
    """

    def __init__(self, path: Path, window: int) -> None:
        self._window = window
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing narrower
            raise ModelError(f"{path} cannot be read as a tokenizer: {error}.") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """The ids of each text. Raises TextTooLong for the first text that does not fit the window."""
        return self._fitting(self._tokenizer.encode_batch_fast(list(texts)))

    def pair_ids(self, first: str, seconds: Sequence[str]) -> list[TokenIds]:
        """The ids of `first` joined with each of `seconds`. Raises TextTooLong like `ids`."""
        pairs = [(first, second) for second in seconds]
        return self._fitting(self._tokenizer.encode_batch_fast(pairs))

    def spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """The half-open character range of each token of each text, without the special ones."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.offsets for encoding in encodings]

    def specificity(self, words: Sequence[str]) -> list[float]:
        """0 for the most common word to 1 for one without a token of its own, by the logarithm of the token's place."""
        encodings = self._tokenizer.encode_batch([COMMONEST, *words], add_special_tokens=False)
        first, *places = (found.ids for found in encodings)
        span = math.log(max(self._tokenizer.get_vocab_size() - first[0], 2))
        return [
            min(math.log(max(place[0] - first[0], 1)) / span, 1.0) if len(place) == 1 else 1.0
            for place in places
        ]

    def _fitting(self, encodings: Sequence[Encoding]) -> list[TokenIds]:
        ids = [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]
        longest = max((len(text) for text in ids), default=0)
        if longest > self._window:
            raise TextTooLong(
                f"A text has {longest} tokens, more than the {self._window} of the model's window; "
                "it has to be split first."
            )
        return ids
