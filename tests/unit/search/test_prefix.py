from __future__ import annotations

import pytest

from proband.model import Grouped
from proband.search.prefix import LEAST, prefix
from proband.settings import SearchSettings

RULES = SearchSettings(rerank_documents=12, rerank_elbow=0.5)


def groups(*scores: float) -> tuple[Grouped, ...]:
    return tuple(Grouped(f"D{place:02}", score, ()) for place, score in enumerate(scores))


def test_a_smooth_list_is_read_up_to_the_maximum() -> None:
    assert len(prefix(groups(*[1 - n / 100 for n in range(40)]), 10, RULES)) == 12


def test_an_elbow_ends_it() -> None:
    found = groups(*[1.0] * 10, 0.49, 0.48, 0.47)
    assert len(prefix(found, 10, RULES)) == 10
    assert len(prefix(found, 11, RULES)) == 12  # beyond what is wanted the list is smooth again


def test_a_fall_that_is_no_elbow_does_not_end_it() -> None:
    assert len(prefix(groups(*[1.0] * 10, 0.51, 0.5, 0.5), 10, RULES)) == 12


@pytest.mark.parametrize(("top_k", "read"), [(1, LEAST), (3, LEAST), (9, 9), (1000, 12)])
def test_what_is_shown_is_read_whatever_the_scores_but_never_above_the_maximum(
    top_k: int, read: int
) -> None:
    found = groups(*[0.4**n for n in range(20)])
    assert len(prefix(found, top_k, RULES)) == read


def test_no_documents_are_read_when_none_are_allowed_or_found() -> None:
    assert prefix(groups(1.0, 0.9), 10, SearchSettings(rerank_documents=0)) == ()
    assert prefix((), 10, RULES) == ()
