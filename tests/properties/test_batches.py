from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proband.adapters.openvino import batches

lengths = st.lists(st.integers(2, 12), max_size=40)


@given(lengths, st.integers(1, 30))
def test_every_text_is_in_one_batch_of_its_length_and_no_batch_is_too_large(
    lengths: list[int], tokens: int
) -> None:
    ids = [np.zeros(length, dtype=np.int32) for length in lengths]
    found = list(batches(ids, range(len(ids)), tokens))
    assert sorted(row for batch in found for row in batch) == list(range(len(ids)))
    for batch in found:
        assert len({lengths[row] for row in batch}) == 1
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= tokens


@given(lengths, st.integers(1, 30))
def test_batches_are_as_few_as_the_limit_allows(lengths: list[int], tokens: int) -> None:
    ids = [np.zeros(length, dtype=np.int32) for length in lengths]
    fewest = sum(-(-lengths.count(length) // max(1, tokens // length)) for length in set(lengths))
    assert len(list(batches(ids, range(len(ids)), tokens))) == fewest
