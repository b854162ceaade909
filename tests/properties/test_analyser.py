"""What holds for every text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from proband.text.analyser import STOP_WORDS, terms
from proband.text.bm25 import CHUNK, DOCUMENT, query_weights, weights
from proband.text.exact import exact_terms
from proband.text.fold import fold


@given(st.text())
def test_any_text_is_analysed_into_terms_without_spaces(text: str) -> None:
    assert all(term and not any(c.isspace() for c in term) for term in terms(text))


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(), st.text())
def test_weights_are_distinct_ascending_and_positive(one: str, other: str) -> None:
    found = terms(one + " " + other)
    for vector in (weights(found, CHUNK), weights(found, DOCUMENT), query_weights(found)):
        indices, values = vector
        assert list(indices) == sorted(set(indices))
        assert all(0 <= index < 2**32 for index in indices)
        assert all(value > 0 for value in values)
        assert len(indices) == len(values)


@given(st.text())
def test_exact_terms_are_distinct_and_name_their_system(text: str) -> None:
    found = exact_terms(text)
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"[a-z0-9]+[:>]\S+", term) for term in found)


@given(st.lists(st.sampled_from(sorted(STOP_WORDS)), max_size=8).map(" ".join))
def test_small_stop_words_give_no_terms(text: str) -> None:
    assert terms(text) == []


@given(st.from_regex(r"[A-Z][0-9]{2}\.[0-9]{1,2}", fullmatch=True))
def test_a_code_is_one_term_in_any_sentence(code: str) -> None:
    assert code.lower() in terms(f"Coded {code}, since 2019 ({code}).")
