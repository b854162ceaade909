"""What may be copied from one source, and how it is read. What a mapping does not name is never selected.

`mapping_file` reads these values from TOML; `docs/mapping.md` describes the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from proband.text.codes import CodeSystem

ROWS_VERSION = 1
"""Part of the index's manifest: raise it when the same row is read as another document."""


class DateOrder(StrEnum):
    """How a source writes the parts of a date in text columns."""

    YMD = "YMD"
    DMY = "DMY"
    MDY = "MDY"
    UNCLEAR = "unclear"
    """Not declared: a date whose day and month could change places stays as it is written."""


@dataclass(frozen=True, slots=True)
class ColumnName:
    """A column of a table, `schema.table.column` or `table.column` in a mapping file.

    `schema` is resolved: that of the mapped table of this name, else that of the table whose path it is in.
    """

    table: str
    column: str
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Join:
    """A column of the left table equals a column of the right one.

    It is a step of a path from the row to the patient; joins in a row between the same two tables are one step.
    """

    left: ColumnName
    right: ColumnName


@dataclass(frozen=True, slots=True)
class Lookup:
    """A code table: the label of a code.

    Args:
        table: the code table.
        label: its column that people read.
        key: its column that holds the code; empty: its only primary key column that `where` does not fix.
        where: columns of the code table with the value that they must have.
        schema: the code table's schema, resolved as that of a ColumnName; "" for the default one.
    """

    table: str
    label: str
    key: str = ""
    where: tuple[tuple[str, str], ...] = ()
    schema: str = ""


class Comparison(StrEnum):
    """How a value is compared in `leave_out_when` and `current_when`."""

    EQUAL = "="
    DIFFERS = "!="
    IS_NULL = "is null"
    IS_NOT_NULL = "is not null"


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison of a column with a value; several are joined by "and". `value` is canonical text."""

    __test__: ClassVar[bool] = False  # pytest would take the class for a test

    column: str
    comparison: Comparison
    value: str = ""


@dataclass(frozen=True, slots=True)
class TableMapping:
    """What is copied of one table.

    Args:
        name: the table, as the source calls it.
        schema: its schema, "" for the default one.
        title: what one row is, for people: "Diagnosis".
        key: columns that tell rows apart; none: rows are told apart by their content.
        path: joins from the row to the patient's table; None: not about a patient; (): the patient's table itself.
        columns: columns that are copied, in order, those included whose values other arguments use. What only tells
            rows apart or out (`key`, `path`, `changed`, `leave_out_when`) is read, and copied where it stands here.
        labels: what a column is called in a sentence, where its own name does not do.
        units: the unit of a column's values.
        text: columns with free text.
        label: columns that name the row in a list.
        names: columns of the name of the person whom the row is, such as one of the staff.
        identifiers, codes, drugs, quantities: columns whose values are looked up exactly.
        date: the column that dates the row; "" for none.
        end_date: the column where what the row says ends; "" for none.
        zone: IANA zone of its naive times; "" for the source's.
        zone_column: a column with the IANA zone of this row's times.
        changed: the column that the source stamps when it changes a row.
        lookups: column to code table.
        leave_out_when: rows that are not copied, such as those entered in error.
        recorded_none: the value of a row that says that there is none.
        current_when: which rows still hold.
        replaced_by: the column by which a row names the earlier row that it replaces, in the last part of its key.
        text_format_column: says `text`, `html` or `rtf` of each row.
        language_column: says the language of each row.
        facility_column, facility: where the row belongs.
        sensitivity_column, sensitivity: how sensitive it is.
        never: columns that are named so that they stay out.
        line: where it stands in the mapping file, from 1.
    """

    name: str
    schema: str = ""
    title: str = ""
    key: tuple[str, ...] = ()
    path: tuple[Join, ...] | None = None
    columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    text: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    codes: Mapping[str, CodeSystem] = field(default_factory=dict)
    drugs: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    date: str = ""
    end_date: str = ""
    zone: str = ""
    zone_column: str = ""
    changed: str = ""
    lookups: Mapping[str, Lookup] = field(default_factory=dict)
    leave_out_when: tuple[Test, ...] = ()
    recorded_none: str = ""
    current_when: tuple[Test, ...] = ()
    replaced_by: str = ""
    text_format_column: str = ""
    language_column: str = ""
    facility_column: str = ""
    facility: str = ""
    sensitivity_column: str = ""
    sensitivity: str = ""
    never: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Merges:
    """The table that says which patient's record went up in which other one."""

    table: str
    old: str
    new: str
    schema: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class PatientMapping:
    """How patients are told apart. Their table is one of the mapping's `tables`, with an empty path.

    Args:
        table: the patients' table.
        key: its key columns.
        record_number: the column with the number that people use.
        names: columns of the name, in the order in which they are read.
        birth_date: the column with the date of birth; "" for none.
        tell_apart_by: columns shown where two patients share a name.
        merged: merged records; None for none.
    """

    table: str
    key: tuple[str, ...]
    record_number: str
    names: tuple[str, ...] = ()
    birth_date: str = ""
    tell_apart_by: tuple[str, ...] = ()
    merged: Merges | None = None


@dataclass(frozen=True, slots=True)
class SourceRules:
    """Where the source is and how its values are read.

    Args:
        name: what documents, patients and citations call it; it never changes.
        url: a SQLAlchemy URL, or `csv:FOLDER`, or `fhir:PATH`; `${NAME}` stands for an environment variable.
        password_variable: the environment variable with the password, where the URL has a user without one.
        zone: IANA zone of naive times; "": they stay naive and are said to be so.
        date_order: how dates stand in text columns.
        unknown_dates: dates that stand for "not known".
        empty_texts: texts that stand for "nothing written", compared without case and blanks at the ends.
        masks: values by which the source hides what the reader may not see; compared whole.
        timeout_s: seconds that one query may take.
        page: rows that are read at once.
    """

    name: str
    url: str
    password_variable: str = "PROBAND_SOURCE_PASSWORD"
    zone: str = ""
    date_order: DateOrder = DateOrder.UNCLEAR
    unknown_dates: tuple[str, ...] = ("1900-01-01", "9999-12-31")
    empty_texts: tuple[str, ...] = ("", "N/A", "-", ".")
    masks: tuple[str, ...] = ("xxxx", "XXXX", "xxx", "XXX", "****", "********")
    timeout_s: int = 60
    page: int = 2_000


@dataclass(frozen=True, slots=True)
class SourceMapping:
    """One mapping file. `text` is the file, its password masked, so that a copy knows what it was made by."""

    source: SourceRules
    patient: PatientMapping
    tables: tuple[TableMapping, ...]
    text: str = ""

    def table(self, name: str) -> TableMapping:
        """The table of this name. Raises KeyError."""
        for found in self.tables:
            if found.name == name:
                return found
        raise KeyError(name)
