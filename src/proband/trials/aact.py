"""AACT dumps: the registry as pipe-delimited tables, joined into API v2-shaped objects.

The tables of a full dump are larger than memory and not in the order of the studies, so their rows go through a
temporary SQLite database on disk, which sorts them by study. Columns are found by name; of each table only those used
here are kept, and no table of contacts is read.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from proband.errors import ParseError
from proband.trials.classic_xml import stated
from proband.trials.fetched import Raw, Rejected
from proband.trials.registry import NCT_ID, phase_words, registry_word, yes_or_no

LAYOUT = "aact"
REQUIRED = ("studies", "eligibilities")

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "studies": (
        *("brief_title", "official_title", "acronym", "overall_status", "last_known_status"),
        *("why_stopped", "study_type", "phase", "enrollment", "last_update_posted_date"),
    ),
    "eligibilities": (
        *("criteria", "gender", "minimum_age", "maximum_age", "healthy_volunteers", "population"),
    ),
    "brief_summaries": ("description",),
    "detailed_descriptions": ("description",),
    "conditions": ("name",),
    "keywords": ("name",),
    "browse_conditions": ("mesh_term", "mesh_type"),
    "browse_interventions": ("mesh_term", "mesh_type"),
    "id_information": ("id_source", "id_value"),
    "design_groups": ("id", "group_type", "title", "description"),
    "interventions": ("id", "intervention_type", "name", "description"),
    "intervention_other_names": ("intervention_id", "name"),
    "design_group_interventions": ("design_group_id", "intervention_id"),
    "design_outcomes": ("outcome_type", "measure", "time_frame", "description"),
    "facilities": (
        *("status", "name", "city", "state", "zip", "country", "latitude", "longitude"),
    ),
}

# The exporter writes line ends inside a text as "~"; the registry's markdown writes a real tilde as "\~".
_LINE_END = re.compile(r"(?<!\\)~")
_BATCH = 10_000  # rows a write

Row = dict[str, str]
Tables = dict[str, list[Row]]


def iter_aact(tables: Mapping[str, Iterable[bytes]]) -> Iterator[Raw | Rejected]:
    """The studies of a dump in order of NCT id; first, the rows that could not be read.

    Args:
        tables: the bytes of each table by its name ("studies"); tables that are not used are not opened.

    Raises:
        ParseError: a table that is needed is missing, or one cannot be read to its end. No study is delivered then,
            because half a table would look like studies whose criteria were deleted.
    """
    missing = [f"{table}.txt" for table in REQUIRED if table not in tables]
    if missing:
        raise ParseError(f"an AACT dump without {' and '.join(missing)}")
    try:
        with closing(sqlite3.connect("")) as store:  # no name: a temporary file that SQLite deletes
            store.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            store.execute("CREATE TABLE field (nct_id TEXT, source TEXT, row TEXT)")
            for table in COLUMNS:
                if table in tables:
                    yield from _load(store, table, tables[table])
            yield from _joined(store)
    except sqlite3.Error as error:
        raise ParseError(f"the dump could not be sorted in a temporary file: {error}") from error


def _load(store: sqlite3.Connection, table: str, chunks: Iterable[bytes]) -> Iterator[Rejected]:
    rows = _rows(table, chunks)
    while batch := list(islice(rows, _BATCH)):
        good = (row for row in batch if not isinstance(row, Rejected))
        store.executemany("INSERT INTO field VALUES (?, ?, ?)", good)
        yield from (row for row in batch if isinstance(row, Rejected))


def _rows(table: str, chunks: Iterable[bytes]) -> Iterator[tuple[str, str, str] | Rejected]:
    """(NCT id, table, the used columns as a JSON list) of each row that has an NCT id and all columns."""
    reader = csv.reader(_lines(chunks), delimiter="|")
    header = next(reader, [])
    if "nct_id" not in header:
        raise ParseError(f"{table}.txt has no column nct_id")
    id_column = header.index("nct_id")
    used = [header.index(name) if name in header else None for name in COLUMNS[table]]
    for at, row in _numbered(reader, table):
        if len(row) != len(header):
            yield Rejected(at, f"{len(row)} columns instead of {len(header)}")
        elif not NCT_ID.fullmatch(row[id_column]):
            yield Rejected(at, "the row has no NCT id")
        else:
            fields = ["" if column is None else row[column] for column in used]
            yield row[id_column], table, json.dumps(fields)


def _numbered(reader: Any, table: str) -> Iterator[tuple[str, list[str]]]:
    """Each row with its place; what csv cannot read is an empty row."""
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            row = []
        yield f"{table}.txt, line {reader.line_num}", row


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines with their ends; bytes that are not UTF-8 read as U+FFFD."""
    rest = ""
    for text in codecs.iterdecode(chunks, "utf-8-sig", errors="replace"):
        *lines, rest = (rest + text).split("\n")
        yield from (line + "\n" for line in lines)
    if rest:
        yield rest


def _joined(store: sqlite3.Connection) -> Iterator[Raw]:
    fields = store.execute("SELECT nct_id, source, row FROM field ORDER BY nct_id, rowid")
    for nct_id, group in groupby(fields, key=itemgetter(0)):
        tables: Tables = {table: [] for table in COLUMNS}
        for _, table, row in group:
            tables[table].append(dict(zip(COLUMNS[table], json.loads(row), strict=True)))
        if tables["studies"]:
            yield Raw(_api_object(nct_id, tables), "")


def _api_object(nct_id: str, tables: Tables) -> dict[str, Any]:
    """The rows of one study in the shape of an API v2 object."""
    study = tables["studies"][-1]
    protocol = {
        "identificationModule": _identification(nct_id, study, tables["id_information"]),
        "statusModule": _status(study),
        "descriptionModule": {
            "briefSummary": _description(tables["brief_summaries"]),
            "detailedDescription": _description(tables["detailed_descriptions"]),
        },
        "conditionsModule": {
            "conditions": [row["name"] for row in tables["conditions"]],
            "keywords": [row["name"] for row in tables["keywords"]],
        },
        "designModule": _design(study),
        "armsInterventionsModule": {
            "armGroups": [_arm(row) for row in tables["design_groups"]],
            "interventions": [_intervention(row, tables) for row in tables["interventions"]],
        },
        "outcomesModule": _outcomes(tables["design_outcomes"]),
        "eligibilityModule": _eligibility(tables["eligibilities"]),
        "contactsLocationsModule": {"locations": [_site(row) for row in tables["facilities"]]},
    }
    derived = {
        "conditionBrowseModule": _browse(tables["browse_conditions"]),
        "interventionBrowseModule": _browse(tables["browse_interventions"]),
    }
    raw = {"protocolSection": protocol, "derivedSection": derived}
    return {**stated(raw), "_source": {"layout": LAYOUT}}


def _identification(nct_id: str, study: Row, ids: list[Row]) -> dict[str, Any]:
    return {
        "nctId": nct_id,
        "nctIdAliases": [row["id_value"] for row in ids if row["id_source"] == "nct_alias"],
        "briefTitle": study["brief_title"],
        "officialTitle": study["official_title"],
        "acronym": study["acronym"],
    }


def _status(study: Row) -> dict[str, Any]:
    return {
        "overallStatus": registry_word(study["overall_status"]),
        "lastKnownStatus": registry_word(study["last_known_status"]),
        "whyStopped": study["why_stopped"],
        "lastUpdatePostDateStruct": {"date": study["last_update_posted_date"]},
    }


def _design(study: Row) -> dict[str, Any]:
    return {
        "studyType": registry_word(study["study_type"]),
        "phases": phase_words(study["phase"]),
        "enrollmentInfo": {"count": _number(study["enrollment"], int)},
    }


def _arm(row: Row) -> dict[str, Any]:
    return {
        "label": row["title"],
        "type": registry_word(row["group_type"]),
        "description": _with_line_ends(row["description"]),
    }


def _intervention(row: Row, tables: Tables) -> dict[str, Any]:
    labels = {arm["id"]: arm["title"] for arm in tables["design_groups"]}
    joins = tables["design_group_interventions"]
    arms = [join["design_group_id"] for join in joins if join["intervention_id"] == row["id"]]
    others = tables["intervention_other_names"]
    return {
        "type": registry_word(row["intervention_type"]),
        "name": row["name"],
        "description": _with_line_ends(row["description"]),
        "armGroupLabels": [labels[arm] for arm in arms if arm in labels],
        "otherNames": [other["name"] for other in others if other["intervention_id"] == row["id"]],
    }


def _outcomes(rows: list[Row]) -> dict[str, Any]:
    lists: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        outcome = {
            "measure": row["measure"],
            "description": _with_line_ends(row["description"]),
            "timeFrame": row["time_frame"],
        }
        lists.setdefault(f"{row['outcome_type'].lower()}Outcomes", []).append(outcome)
    return lists


def _eligibility(rows: list[Row]) -> dict[str, Any]:
    if not rows:
        return {}
    row = rows[-1]
    return {
        "eligibilityCriteria": _with_line_ends(row["criteria"]),
        "healthyVolunteers": yes_or_no(row["healthy_volunteers"]),
        "sex": registry_word(row["gender"]),
        "minimumAge": row["minimum_age"],
        "maximumAge": row["maximum_age"],
        "studyPopulation": _with_line_ends(row["population"]),
    }


def _site(row: Row) -> dict[str, Any]:
    latitude, longitude = _number(row["latitude"], float), _number(row["longitude"], float)
    point = {} if latitude is None or longitude is None else {"lat": latitude, "lon": longitude}
    place = {name: row[name] for name in ("city", "state", "zip", "country")}
    status = registry_word(row["status"])
    return {"facility": row["name"], "status": status, **place, "geoPoint": point}


def _browse(rows: list[Row]) -> dict[str, Any]:
    """Older dumps have no mesh_type: all their terms are the study's own."""
    return {
        "meshes": [
            {"term": row["mesh_term"]} for row in rows if row["mesh_type"] in ("", "mesh-list")
        ],
        "ancestors": [
            {"term": row["mesh_term"]} for row in rows if row["mesh_type"] == "mesh-ancestor"
        ],
    }


def _description(rows: list[Row]) -> str:
    return _with_line_ends(rows[-1]["description"]) if rows else ""


def _with_line_ends(text: str) -> str:
    """The text with the line ends that the exporter replaced; a text that still has line ends is left alone."""
    return text if "\n" in text else _LINE_END.sub("\n", text)


def _number(text: str, kind: type[int] | type[float]) -> int | float | None:
    try:
        return kind(text)
    except ValueError:
        return None
