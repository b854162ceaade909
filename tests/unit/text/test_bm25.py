from __future__ import annotations

import subprocess
import sys

import pytest

from proband.text import bm25
from proband.text.bm25 import (
    CHUNK,
    DOCUMENT,
    Saturation,
    Weights,
    query_weights,
    term_hash,
    weights,
)

SATURATION = Saturation(k1=2, b=0.5, average_terms=4)


def by_hash(vector: Weights) -> dict[int, float]:
    return dict(zip(*vector, strict=True))


@pytest.mark.parametrize("saturation", [CHUNK, DOCUMENT, SATURATION])
def test_a_single_term_in_a_text_of_average_length_weighs_one(saturation: Saturation) -> None:
    others = [f"w{number}" for number in range(int(saturation.average_terms) - 1)]
    found = by_hash(weights(["asthma", *others], saturation))
    assert found[term_hash("asthma")] == pytest.approx(1.0)


def test_the_weight_of_a_term_is_the_formula() -> None:
    found = by_hash(weights(["a", "a", "b"], SATURATION))
    norm = 2 * (0.5 + 0.5 * 3 / 4)
    assert found[term_hash("a")] == pytest.approx(2 * 3 / (2 + norm))
    assert found[term_hash("b")] == pytest.approx(1 * 3 / (1 + norm))


def test_a_longer_text_weighs_a_term_less() -> None:
    short, long = weights(["x"], CHUNK), weights(["x", *"abcdefgh"], CHUNK)
    assert by_hash(short)[term_hash("x")] > by_hash(long)[term_hash("x")]


def test_query_weights_count_terms() -> None:
    weights = dict(zip(*query_weights(["pain", "no", "pain"]), strict=True))
    assert weights == {term_hash("pain"): 2.0, term_hash("no"): 1.0}


def test_no_terms_give_an_empty_vector() -> None:
    assert weights([], CHUNK) == ((), ())
    assert query_weights([]) == ((), ())


def test_terms_of_one_hash_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "term_hash", lambda term: 7)
    assert query_weights(["one", "other"]) == ((7,), (2.0,))


def test_a_hash_is_the_same_in_another_process() -> None:
    code = "from proband.text.bm25 import term_hash; print(term_hash('her2-'))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(other.stdout) == term_hash("her2-") == 3849210755
