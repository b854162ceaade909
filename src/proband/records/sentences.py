"""A row as sentences with labels, each value at a known place, so that a quote names its column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from proband.records.dates import moment
from proband.records.mapping import Comparison, SourceRules, TableMapping, Test
from proband.records.record import Record
from proband.records.titles import label_of, title_of, unit_of

LONG = 200
"""Characters: a longer free text is no part of the sentence, and has sections of its own."""

NOT_KNOWN = "not known"

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")
_UNIT = re.compile(r"(?:^|.*_)(?:units?|uom)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """Where the value of a column stands in a row's sentences: characters `[start, end)`."""

    column: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RowText:
    """A row as sentences. `cells` are in the order of the text."""

    text: str
    cells: tuple[Cell, ...]


@dataclass(slots=True)
class _Writer:
    """Text with the places of its values."""

    text: str = ""
    cells: list[Cell] | None = None

    def write(self, text: str, column: str = "") -> None:
        if column and self.cells is not None:
            self.cells.append(Cell(column, len(self.text), len(self.text) + len(text)))
        self.text += text


def sentence(record: Record, table: TableMapping, rules: SourceRules) -> RowText:
    """The row as sentences: what names it first, then every value with its label; gaps are left out."""
    out = _Writer(cells=[])
    out.write(title_of(table))
    named = [name for name in table.label if _is_short(record, name)]
    for before, column in zip(["", *named], named, strict=False):
        out.write(_joint(before, column, table))
        _write_value(out, record, table, rules, column)
    out.write(".")
    for column in _following(record, table, named):
        if column == table.replaced_by:
            out.write(" Replaces line ")
        else:
            out.write(f" {label_of(table, column)}: ")
        _write_value(out, record, table, rules, column)
        out.write("" if out.text.endswith((".", "!", "?")) else ".")
    if table.current_when:
        out.write(" Current." if holds(table.current_when, record) else " Not current.")
    return RowText(out.text, tuple(out.cells or ()))


def _joint(before: str, column: str, table: TableMapping) -> str:
    """What stands between two values that name the row: the parts of a person's name are one."""
    if not before:
        return ": "
    return " " if {before, column} <= set(table.names) else ", "


def holds(tests: tuple[Test, ...], record: Record) -> bool:
    """Whether a row fits all tests."""
    return all(_holds(test, record.values.get(test.column)) for test in tests)


def long_texts(record: Record, table: TableMapping) -> Iterator[str]:
    """The free-text columns of this row that are no part of its sentences, in the mapping's order."""
    return (name for name in table.text if name in record.values and not _is_short(record, name))


def _following(record: Record, table: TableMapping, named: list[str]) -> Iterator[str]:
    left_out = {*named, table.zone_column, table.text_format_column, _unit_column(table)}
    return (
        column for column in table.columns if column not in left_out and _is_short(record, column)
    )


def _is_short(record: Record, column: str) -> bool:
    value = record.values.get(column)
    return value is not None and len(value) <= LONG and "\n" not in value


def _write_value(
    out: _Writer, record: Record, table: TableMapping, rules: SourceRules, column: str
) -> None:
    value, label = record.values[column], record.labels.get(column, "")
    if label:
        out.write(label, column)
        out.write("" if label.casefold() == value.casefold() else f" ({value})")
        return
    if _is_date(column, value, table):
        when = moment(value, rules, table, record.values)
        known = when.text if when else (NOT_KNOWN if _is_unknown(value, rules) else value)
        out.write(known, column)
        return
    out.write(" ".join(value.split()), column)
    if unit := _unit(record, table, column):
        out.write(f" {unit}")


def _is_date(column: str, value: str, table: TableMapping) -> bool:
    return column in (table.date, table.end_date) or _DATE.fullmatch(value) is not None


def _is_unknown(value: str, rules: SourceRules) -> bool:
    return value[:10] in rules.unknown_dates


def _unit(record: Record, table: TableMapping, column: str) -> str:
    if table.quantities[:1] == (column,) and (beside := _unit_column(table)):
        return record.labels.get(beside) or record.values.get(beside, "")
    return unit_of(table, column)


def _unit_column(table: TableMapping) -> str:
    """The column with the unit of the table's first quantity; "" for none."""
    if not table.quantities:
        return ""
    return next((name for name in table.columns if _UNIT.fullmatch(name)), "")


def _holds(test: Test, value: str | None) -> bool:
    match test.comparison:
        case Comparison.IS_NULL:
            return value is None
        case Comparison.IS_NOT_NULL:
            return value is not None
        case Comparison.EQUAL:
            return value == test.value
        case Comparison.DIFFERS:
            return value is not None and value != test.value
