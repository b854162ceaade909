from __future__ import annotations

import subprocess
import sys

import pytest

from proband.text import bm25
from proband.text.bm25 import document_weights, query_weights, term_hash


def test_a_single_term_in_a_text_of_average_length_weighs_one() -> None:
    terms = ["asthma"] + [f"w{number}" for number in range(int(bm25.AVERAGE_TERMS) - 1)]
    weights = dict(zip(*document_weights(terms), strict=True))
    assert weights[term_hash("asthma")] == pytest.approx(1.0)


def test_the_weight_of_a_term_is_the_formula() -> None:
    terms = ["a", "a", "b"]
    norm = bm25.K1 * (1 - bm25.B + bm25.B * 3 / bm25.AVERAGE_TERMS)
    weights = dict(zip(*document_weights(terms), strict=True))
    assert weights[term_hash("a")] == pytest.approx(2 * (bm25.K1 + 1) / (2 + norm))
    assert weights[term_hash("b")] == pytest.approx((bm25.K1 + 1) / (1 + norm))


def test_a_longer_text_weighs_a_term_less() -> None:
    short = dict(zip(*document_weights(["x"]), strict=True))[term_hash("x")]
    long = dict(zip(*document_weights(["x", *"abcdefgh"]), strict=True))[term_hash("x")]
    assert short > long


def test_query_weights_count_terms() -> None:
    weights = dict(zip(*query_weights(["pain", "no", "pain"]), strict=True))
    assert weights == {term_hash("pain"): 2.0, term_hash("no"): 1.0}


def test_no_terms_give_an_empty_vector() -> None:
    assert document_weights([]) == ((), ())
    assert query_weights([]) == ((), ())


def test_terms_of_one_hash_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "term_hash", lambda term: 7)
    assert query_weights(["one", "other"]) == ((7,), (2.0,))


def test_a_hash_is_the_same_in_another_process() -> None:
    code = "from proband.text.bm25 import term_hash; print(term_hash('her2-'))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(other.stdout) == term_hash("her2-") == 3849210755
