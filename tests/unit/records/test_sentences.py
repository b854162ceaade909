"""Rows as sentences: labels, code tables, units, gaps, dates, and the place of every value."""

from __future__ import annotations

import pytest

from proband.model import DocumentKey
from proband.records.mapping import Comparison, SourceRules, TableMapping, Test
from proband.records.record import Gap, Record
from proband.records.sentences import LONG, long_texts, sentence

RULES = SourceRules("h", "sqlite://", zone="Africa/Nairobi")
KEY = DocumentKey("h", "lab_results", ("1", "2"))


def said(table: TableMapping, values: dict[str, str], labels: dict[str, str] | None = None) -> str:
    return sentence(Record(KEY, "", values, labels or {}), table, RULES).text


def test_what_names_the_row_comes_first_and_every_value_has_a_label() -> None:
    table = TableMapping("visits", label=("reason",), columns=("ward", "reason"))
    assert said(table, {"reason": "Injury", "ward": "3"}) == "Visit: Injury. Ward: 3."


def test_a_code_is_shown_as_its_label_with_the_code() -> None:
    table = TableMapping("orders", columns=("dispensed",))
    assert said(table, {"dispensed": "0"}, {"dispensed": "No"}) == "Order. Dispensed: No (0)."


@pytest.mark.parametrize("value", ["<0.5", ">100000", "1+", "trace", "70.50"])
def test_a_measured_value_keeps_comparator_digits_and_unit(value: str) -> None:
    table = TableMapping(
        "lab_results", label=("test",), columns=("test", "value", "unit"), quantities=("value",)
    )
    values = {"test": "CRP", "value": value, "unit": "mg/L"}
    assert said(table, values) == f"Lab result: CRP. Value: {value} mg/L."


def test_a_gap_is_left_out_and_a_date_that_is_not_known_says_so() -> None:
    table = TableMapping("visits", columns=("ward", "onset"), date="onset")
    record = Record(KEY, "", {"onset": "1900-01-01"}, {}, {"ward": Gap.MASKED})
    assert sentence(record, table, RULES).text == "Visit. Onset: not known."


def test_whether_a_row_still_holds_is_said() -> None:
    table = TableMapping(
        "orders", columns=("status",), current_when=(Test("status", Comparison.EQUAL, "active"),)
    )
    assert said(table, {"status": "active"}) == "Order. Status: active. Current."
    assert said(table, {"status": "stopped"}) == "Order. Status: stopped. Not current."


def test_the_parts_of_a_name_are_one() -> None:
    table = TableMapping("staff", label=("given", "family"), names=("given", "family"))
    assert said(table, {"given": "Ada", "family": "Test"}) == "Staff member: Ada Test."


def test_long_text_is_no_part_of_the_sentence() -> None:
    table = TableMapping("notes", columns=("title", "body"), text=("title", "body"))
    record = Record(KEY, "", {"title": "Ward round", "body": "x" * (LONG + 1)})
    assert sentence(record, table, RULES).text == "Note. Title: Ward round."
    assert list(long_texts(record, table)) == ["body"]


def test_cells_slice_to_the_values() -> None:
    table = TableMapping(
        "visits", label=("reason",), columns=("reason", "ward", "date"), date="date"
    )
    values = {"reason": "Injury", "ward": "3", "date": "2024-03-05T10:15:00"}
    found = sentence(Record(KEY, "", values), table, RULES)
    slices = {cell.column: found.text[cell.start : cell.end] for cell in found.cells}
    assert slices == {"reason": "Injury", "ward": "3", "date": "2024-03-05 10:15"}
