"""What each column of a table is for, read from its name and type."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from proband.records.draft_paths import Link
from proband.records.mapping import Comparison, Lookup, Test
from proband.records.naming import ends, fits, holds, place, sensitive
from proband.records.schema import ColumnType, SchemaColumn, SchemaTable
from proband.records.titles import words_of
from proband.text.codes import CodeSystem

TEXTS = (ColumnType.TEXT, ColumnType.LONG_TEXT)
TIMES = (ColumnType.DATE, ColumnType.TIME)
_LONG = 100  # characters: a shorter column holds a word or a name,
_WORDS = 40  # and below this one word whatever its name ends in
_SYSTEMS = {
    "icd10": CodeSystem.ICD10,
    "icd9": CodeSystem.ICD9,
    "snomed": CodeSystem.SNOMED,
    "loinc": CodeSystem.LOINC,
    "atc": CodeSystem.ATC,
    "rxnorm": CodeSystem.RXNORM,
}
_IN_WORDS = ("address", "another person", "e-mail or account name", "picture or biometric data")
"""What a number cannot hold: `address_id` names a row of another table."""
_DIAGNOSES = (CodeSystem.ICD10, CodeSystem.ICD9, CodeSystem.SNOMED)


def left_out(table: SchemaTable) -> dict[str, str]:
    """Columns that a draft leaves out, each with the reason: they look sensitive, or hold bytes."""
    reasons = {column.name: _reason(column) for column in table.columns}
    return {name: reason for name, reason in reasons.items() if reason}


def _reason(column: SchemaColumn) -> str:
    if column.hidden:
        return f"{column.hidden} by the source"
    if column.type is ColumnType.BINARY:
        return "binary"
    reason = sensitive(column.name)
    number = column.type is ColumnType.WHOLE and words_of(column.name)[-1:] == ["id"]
    return "" if number and reason in _IN_WORDS else reason


def best(role: str, columns: Iterable[SchemaColumn]) -> str:
    """The column whose whole name fits the role best; "" where none does."""
    fitting = [
        (index, column.name)
        for column in columns
        if (index := place(role, column.name)) is not None
    ]
    return min(fitting, key=lambda found: found[0])[1] if fitting else ""


def names(columns: Sequence[SchemaColumn]) -> tuple[str, ...]:
    """The columns of a person's name in reading order."""
    parts = [best(role, columns) for role in ("given_name", "middle_name", "family_name")]
    found = tuple(dict.fromkeys(part for part in parts if part))
    full = best("full_name", columns)
    return found or ((full,) if full else ())


def codes(columns: Sequence[SchemaColumn]) -> dict[str, CodeSystem]:
    """Columns with codes, by the system that their name states."""
    return {
        column.name: system
        for column in columns
        for role, system in _SYSTEMS.items()
        if column.type in (*TEXTS, ColumnType.WHOLE) and holds(role, column.name)
    }


def texts(columns: Sequence[SchemaColumn], but: Collection[str]) -> tuple[str, ...]:
    """Columns with free text: long ones, and those whose name says so."""
    return tuple(
        column.name
        for column in columns
        if column.type in TEXTS and column.name not in but and _is_text(column)
    )


def _is_text(column: SchemaColumn) -> bool:
    if column.type is ColumnType.LONG_TEXT or column.length >= _LONG:
        return True
    room = column.length >= _WORDS or not column.length
    return fits("text", column.name) or (room and ends("text", column.name))


def identifiers(table: SchemaTable, columns: Sequence[SchemaColumn]) -> tuple[str, ...]:
    """Text columns that people use to name a row: unique ones, and numbers such as `visit_no`."""
    unique = {key[0] for key in table.unique_keys if len(key) == 1}
    return tuple(
        column.name
        for column in columns
        if column.type is ColumnType.TEXT
        and (column.name in unique or ends("identifier", column.name))
    )


def named(role: str, columns: Sequence[SchemaColumn]) -> tuple[str, ...]:
    """Text columns whose whole name fits the role."""
    return tuple(c.name for c in columns if c.type in TEXTS and fits(role, c.name))


def ending(role: str, columns: Sequence[SchemaColumn]) -> str:
    """The first text column that fits the role or ends with it; "" for none."""
    for column in columns:
        if column.type in TEXTS and (fits(role, column.name) or ends(role, column.name)):
            return column.name
    return ""


def date(columns: Sequence[SchemaColumn]) -> str:
    """The column that dates a row: one that is never empty rather than the first, its entry in the database last."""
    all_times = [c for c in columns if c.type in TIMES]
    times = [c for c in all_times if not _dates_something_else(c.name)]
    if not times:  # a table of deaths
        times = [c for c in all_times if holds("death", c.name)]
    ranked = sorted(times, key=lambda c: (fits("created", c.name), c.nullable))
    return ranked[0].name if ranked else ending("written_date", columns)


def _dates_something_else(name: str) -> bool:
    return fits("changed", name) or _is_end(name) or holds("not_its_date", name)


def _is_end(name: str) -> bool:
    return fits("end_date", name) or ends("end_date", name)


def end_date(columns: Sequence[SchemaColumn]) -> str:
    """The column that says when what the row states ended; "" for none."""
    return next((c.name for c in columns if c.type in TIMES and _is_end(c.name)), "")


def in_error(columns: Sequence[SchemaColumn]) -> tuple[Test, ...]:
    """Which rows were entered in error, by the first column that marks them."""
    for column in columns:
        if column.type in (ColumnType.BOOLEAN, ColumnType.WHOLE) and fits("in_error", column.name):
            return (Test(column.name, Comparison.EQUAL, "1"),)
        if column.type in TIMES and fits("in_error_at", column.name):
            return (Test(column.name, Comparison.IS_NOT_NULL),)
    return ()


def lookups(
    links: Sequence[Link], codes_of: Mapping[str, SchemaTable], but: Collection[str]
) -> dict[str, Lookup]:
    """Columns that name a row of a code table, with the label there, in the order of `links`."""
    found = {}
    for link in links:
        table = codes_of.get(link.table)
        label = table and label_of_codes(table)
        if table and label and len(link.joins) == 1 and link.columns[0] not in but:
            key = link.joins[0].right.column
            only = table.primary_key == (key,)
            found[link.columns[0]] = Lookup(
                table.name, label, "" if only else key, schema=table.schema
            )
    return found


def label_of_codes(table: SchemaTable) -> str:
    """The column of a code table that people read; "" where it has none."""
    readable = [c for c in table.columns if c.type in TEXTS and not sensitive(c.name)]
    return best("label", [c for c in readable if c.type is ColumnType.TEXT] or readable)


def row_label(columns: Sequence[SchemaColumn], known: Sequence[str]) -> tuple[str, ...]:
    """What names the row in a list: a code, a name or a number, two of them at most; no long text."""
    short = [c for c in columns if c.type is ColumnType.TEXT]
    telling = best("name_of_row", short)
    coded = next((name for name, system in codes(short).items() if system in _DIAGNOSES), "")
    fitting = [name for name in known if name in {c.name for c in short}]
    return tuple(dict.fromkeys(filter(None, (coded, telling, *fitting))))[:2]
