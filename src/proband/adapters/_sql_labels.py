"""What code tables say of coded columns.

Small ones are held in memory; of large ones only the codes of the rows that are read are asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from proband.adapters._sql_plan import Catalogue, Plan
from proband.adapters._sql_statements import Found, compared, selected
from proband.adapters._sql_values import Canonical, key_reader, value_reader
from proband.errors import TableStopped
from proband.records.mapping import Comparison, Lookup, SourceRules
from proband.records.record import Gap

MOST_CODES = 50_000
"""Codes that are held in memory: about 10 MB. A vocabulary of millions, such as OMOP's, is asked row by row."""


@dataclass(frozen=True, slots=True)
class TableLabels:
    """The labels of one table.

    Args:
        held: column to what each code means.
        selected: expressions that ask the source for the labels of the columns of `asked`, in their order.
        asked: column and how its label is read.
    """

    held: Mapping[str, Mapping[str, str]]
    selected: tuple[ColumnElement[Any], ...]
    asked: tuple[tuple[str, Canonical], ...]

    def of(self, values: Mapping[str, str], asked: Sequence[Any]) -> dict[str, str]:
        """The labels of a row; codes that a code table does not know have none."""
        labels = {
            column: codes[code]
            for column, codes in self.held.items()
            if (code := values.get(column)) is not None and code in codes
        }
        for (column, read), raw in zip(self.asked, asked, strict=True):
            label = read(raw)
            if column in values and not isinstance(label, Gap):
                labels[column] = label
        return labels


class Labels:
    """The code tables of a source, each read once."""

    def __init__(self, connection: Connection, catalogue: Catalogue, rules: SourceRules) -> None:
        self._connection, self._catalogue, self._rules = connection, catalogue, rules
        self._held: dict[Lookup, Mapping[str, str] | None] = {}

    def codes(self, stopped: str, lookup: Lookup) -> Mapping[str, str] | None:
        """What each code means; None for a code table that is too large to hold."""
        if lookup not in self._held:
            self._held[lookup] = self._read(stopped, lookup)
        return self._held[lookup]

    def asked(self, plan: Plan, column: str, lookup: Lookup) -> ColumnElement[Any]:
        """The label of a row's code. The least of several labels, so that a code met twice does not double the row."""
        key, found = self._found(plan.table.name, lookup)
        label = func.min(found[lookup.label])
        fits = [found[key] == plan.found[column], *self._fixed(lookup, found)]
        return select(label).where(*fits).scalar_subquery()

    def label_reader(self, stopped: str, lookup: Lookup) -> Canonical:
        """How a label is read."""
        return value_reader(self._found(stopped, lookup)[1].columns[lookup.label], self._rules)

    def _read(self, stopped: str, lookup: Lookup) -> Mapping[str, str] | None:
        key, found = self._found(stopped, lookup)
        dialect = self._catalogue.dialect
        columns = (selected(found, key, dialect, key=True), selected(found, lookup.label, dialect))
        every = select(*columns).where(found[key].is_not(None), *self._fixed(lookup, found))
        rows = self._connection.execute(every.limit(MOST_CODES + 1)).all()
        if len(rows) > MOST_CODES:
            return None
        read_code = key_reader(found.columns[key])
        read_label = value_reader(found.columns[lookup.label], self._rules)
        labels = sorted((read_code(code), read_label(label)) for code, label in rows)
        return {code: label for code, label in reversed(labels) if not isinstance(label, Gap)}

    def _found(self, stopped: str, lookup: Lookup) -> tuple[str, Found]:
        fixed = [name for name, _ in lookup.where]
        key = lookup.key or self._only_key(stopped, lookup, fixed)
        names = [key, lookup.label, *fixed]
        return key, self._catalogue.find(stopped, lookup.schema, lookup.table, names, "codes")

    def _fixed(self, lookup: Lookup, found: Found) -> list[ColumnElement[bool]]:
        dialect = self._catalogue.dialect
        return [
            compared(found, name, Comparison.EQUAL, value, dialect) for name, value in lookup.where
        ]

    def _only_key(self, stopped: str, lookup: Lookup, fixed: Sequence[str]) -> str:
        primary = self._catalogue.primary_key(stopped, lookup.schema, lookup.table)
        left = [name for name in primary if name not in fixed]
        if len(left) != 1:
            raise TableStopped(
                stopped,
                f"the code table {lookup.table} has no single key column that holds the code; name it in `lookups` "
                "with `key`, or fix the others with `where`.",
            )
        return left[0]


def labels_of(labels: Labels, plan: Plan) -> TableLabels:
    """The labels of a table's coded columns. Raises TableStopped for a code table that is not there."""
    stopped = plan.table.name
    held: dict[str, Mapping[str, str]] = {}
    large: list[tuple[str, Lookup]] = []
    for column, lookup in plan.table.lookups.items():
        codes = labels.codes(stopped, lookup)
        if codes is None:
            large.append((column, lookup))
        else:
            held[column] = codes
    return TableLabels(
        held,
        tuple(labels.asked(plan, column, lookup) for column, lookup in large),
        tuple((column, labels.label_reader(stopped, lookup)) for column, lookup in large),
    )
