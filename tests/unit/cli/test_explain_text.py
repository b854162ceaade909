from __future__ import annotations

from proband.cli.explain_text import table
from proband.model import DocumentKey, Found, Lane, Scale
from proband.search.explain import Standing

FIRST = Standing(
    DocumentKey("ctgov", "studies", ("NCT99000001",)),
    0.04553,
    {Lane.DENSE: (10, None, 2), Lane.DOCUMENT: (5,)},
    Found(Lane.RERANK, 0, 3, 0.64321, Scale.MAXSIM),
)
SECOND = Standing(
    DocumentKey("ctgov", "studies", ("NCT99000002",)),
    0.03,
    {Lane.DENSE: (None, None, None), Lane.DOCUMENT: (128,)},
    None,
)


def test_each_study_is_a_row_with_its_rank_a_lane_and_form() -> None:
    assert table([FIRST, SECOND], 80) == [
        "    study         dense  document     rerank   fused",
        "1.  NCT99000001  10/-/2         5  3 (0.643)  0.0455",
        "2.  NCT99000002       -       128          -  0.0300",
    ]


def test_where_the_forms_are_too_wide_only_the_best_rank_is_shown() -> None:
    assert table([FIRST, SECOND], 51) == [
        "    study        dense  document     rerank   fused",
        "1.  NCT99000001      2         5  3 (0.643)  0.0455",
        "2.  NCT99000002      -       128          -  0.0300",
    ]


def test_without_reranking_there_is_no_column_for_it() -> None:
    assert table([SECOND], 80) == [
        "    study        dense  document   fused",
        "1.  NCT99000002      -       128  0.0300",
    ]
