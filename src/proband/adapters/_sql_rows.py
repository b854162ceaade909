"""Raw rows of a query as SourceRows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proband.adapters._sql_labels import TableLabels
from proband.adapters._sql_plan import Plan
from proband.adapters._sql_statements import unread
from proband.adapters._sql_values import key_reader, value_reader
from proband.records.mapping import SourceRules
from proband.records.record import Gap, SourceRow


class RowReader:
    """Reads the columns in the order in which `copied_rows` selects them: key and values, patient, labels."""

    def __init__(self, plan: Plan, labels: TableLabels, rules: SourceRules) -> None:
        table, declared = plan.table, plan.found.columns
        copied = set(table.columns)
        self._key = [key_reader(declared[name]) for name in table.key]
        self._values = [
            (place, name, value_reader(declared[name], rules))
            for place, name in enumerate(plan.columns)
            if name in copied
        ]
        self._hidden = {
            name: why
            for name in plan.columns
            if (why := unread(plan.found, name, name in table.key))
        }
        self._patient = [key_reader(one) for one in plan.patient_key]
        self._patient_at = len(plan.columns)
        self._labels = labels

    def page(self, rows: Sequence[Sequence[Any]]) -> tuple[list[SourceRow], int]:
        """The rows, and how many characters their values have together."""
        page = [self._row(raw) for raw in rows]
        return page, sum(sum(map(len, row.values.values())) for row in page)

    def _row(self, raw: Sequence[Any]) -> SourceRow:
        values: dict[str, str] = {}
        gaps: dict[str, Gap] = {}
        for place, name, read in self._values:
            text = read(raw[place])
            if text.__class__ is Gap:
                gaps[name] = text
            else:
                values[name] = text
        for name, why in self._hidden.items():
            if name in values:  # whether there is anything is all that was asked
                gaps[name] = why
                del values[name]
        key = tuple([read(raw[place]) for place, read in enumerate(self._key)])
        at = self._patient_at
        labels = self._labels.of(values, raw[at + len(self._patient) :])
        return SourceRow(
            key, self._patient_key(raw[at : at + len(self._patient)]), values, labels, gaps
        )

    def _patient_key(self, raw: Sequence[Any]) -> tuple[str, ...] | None:
        if not self._patient or None in raw:
            return None
        return tuple([read(part) for read, part in zip(self._patient, raw, strict=True)])
