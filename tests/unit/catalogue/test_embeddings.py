from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proband.catalogue.embeddings import rounded


def unit(seed: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.random.default_rng(seed).normal(size=384).astype(np.float32)
    return vector / np.linalg.norm(vector)


@given(st.integers(0, 2**32 - 1))
def test_rounding_twice_is_rounding_once(seed: int) -> None:
    once = rounded(unit(seed))
    assert once.dtype == np.float32
    assert np.array_equal(rounded(once), once)


@given(st.integers(0, 2**31), st.integers(0, 2**31))
def test_rounding_moves_a_cosine_by_less_than_2e_4(first: int, second: int) -> None:
    exact = float(unit(first) @ unit(second))
    kept = float(rounded(unit(first)) @ rounded(unit(second)))
    assert abs(exact - kept) < 2e-4
