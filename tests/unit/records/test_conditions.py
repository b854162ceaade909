"""Conditions, joins and lookups as they are written in a mapping."""

from __future__ import annotations

import pytest

from proband.records.conditions import read_joins, read_lookup, read_tests
from proband.records.mapping import ColumnName, Comparison, Join, Lookup, Test


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("status = 'entered_in_error'", (Test("status", Comparison.EQUAL, "entered_in_error"),)),
        (
            "a = 1 and b is not null",
            (Test("a", Comparison.EQUAL, "1"), Test("b", Comparison.IS_NOT_NULL)),
        ),
        (
            "A<>'it''s' AND b IS NULL",
            (Test("A", Comparison.DIFFERS, "it's"), Test("b", Comparison.IS_NULL)),
        ),
        ("x != -1.50", (Test("x", Comparison.DIFFERS, "-1.50"),)),
        ("voided = TRUE", (Test("voided", Comparison.EQUAL, "1"),)),
        ("\"and\" = 'x and y'", (Test("and", Comparison.EQUAL, "x and y"),)),
    ],
)
def test_condition_is_read(text: str, tests: tuple[Test, ...]) -> None:
    assert read_tests(text) == tests


@pytest.mark.parametrize(
    "text",
    ["", "a", "a =", "a = 1 or b = 2", "a > 3", "a in (1, 2)", "a = 1; drop table b", "1 = 1"],
)
def test_other_sql_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write column"):
        read_tests(text)


def test_join_may_name_schemas_and_odd_names() -> None:
    assert read_joins('"Lab Lines"."order no" = emr.orders.id') == (
        Join(ColumnName("Lab Lines", "order no"), ColumnName("orders", "id", "emr")),
    )


def test_step_may_join_several_pairs_of_columns() -> None:
    assert read_joins("lines.site = orders.site and lines.nr = orders.nr") == (
        Join(ColumnName("lines", "site"), ColumnName("orders", "site")),
        Join(ColumnName("lines", "nr"), ColumnName("orders", "nr")),
    )


@pytest.mark.parametrize("text", ["a.b", "a.b = c", "a.b != c.d", "a.b = c.d and", "a.b = 1"])
def test_join_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write"):
        read_joins(text)


def test_lookup_may_fix_columns() -> None:
    text = "lists.label where list = 'yes_no' and lang = 'en'"
    assert read_lookup(text) == Lookup("lists", "label", where=(("list", "yes_no"), ("lang", "en")))


@pytest.mark.parametrize("text", ["label", "lists.label where", "lists.label where a != 1"])
def test_lookup_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write"):
        read_lookup(text)
