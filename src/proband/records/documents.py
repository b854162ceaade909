"""A row as a document: its sentences, and the paragraphs of its free text, each cited to the column it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from proband.model import Document, Facets, Section, SectionKind
from proband.records.cleaning import clean
from proband.records.dates import days_of
from proband.records.mapping import SourceMapping, TableMapping
from proband.records.paragraphs import paragraphs
from proband.records.record import Record
from proband.records.sentences import long_texts, sentence
from proband.records.terms import column_terms, own_row_terms
from proband.text.reading import read

ROW_FIELD = "row"
"""The field of a row's sentences; a free text's field is its column."""


def document(record: Record, table: TableMapping, mapping: SourceMapping) -> Document:
    """The document of a row: the same for the same record and mapping, byte for byte."""
    return Document(
        record.key,
        (_row(record, table, mapping), *_texts(record, table)),
        facets_of(record, table, mapping),
        own_row_terms(record, table),
    )


def facets_of(record: Record, table: TableMapping, mapping: SourceMapping) -> Facets:
    """Whose the row is, where it stands, when it was, and how sensitive it is."""
    value = record.values.get(table.date, "")
    first_day, last_day = days_of(value, mapping.source, table, record.values)
    return Facets(
        patient=record.patient,
        table=table_facet(record.source, record.table),
        first_day=first_day,
        last_day=last_day,
        facility=_said(record, table.facility_column) or table.facility,
        sensitivity=_said(record, table.sensitivity_column) or table.sensitivity,
    )


def table_facet(source: str, table: str) -> str:
    """How a table is named in facets and filters."""
    return f"{quote(source, safe='')}/{quote(table, safe='')}"


def _row(record: Record, table: TableMapping, mapping: SourceMapping) -> Section:
    text = sentence(record, table, mapping.source).text
    return Section(
        kind=SectionKind.ROW,
        ordinal=1,
        field=ROW_FIELD,
        reading=read(text, 0, len(text)),
        embed_text=text,
        exact=column_terms(record, table),
    )


def _texts(record: Record, table: TableMapping) -> Iterator[Section]:
    form = record.values.get(table.text_format_column, "")
    ordinal = 0
    for column in long_texts(record, table):
        for paragraph in paragraphs(clean(record.values[column], form).reading):
            ordinal += 1
            yield Section(
                kind=SectionKind.TEXT,
                ordinal=ordinal,
                field=column,
                reading=paragraph.reading,
                embed_text=paragraph.reading.text,
                labels=(paragraph.heading,) if paragraph.heading else (),
            )


def _said(record: Record, column: str) -> str:
    return (record.labels.get(column) or record.values.get(column, "")) if column else ""
