"""Makes one whole of the staged resources: the newest version of each, and every reference an id of a row."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from proband.adapters.fhir_references import local_id
from proband.adapters.fhir_tables import DRUG_CODES, LOOKUPS, TABLES, Table

_LEADS_TO = {
    "patient_id": "Patient",
    "encounter_id": "Encounter",
    "old_id": "Patient",
    "new_id": "Patient",
    "_medication": "Medication",
    "_facility": "Organization",
    "_binary": "Binary",
    "_reason": "Condition",
}
"""The columns that hold references, and to what."""


@dataclass(frozen=True, slots=True)
class Links:
    """What was found.

    Args:
        rows: rows of the resources' tables, without those of parts.
        deleted: rows that a bundle says were deleted.
        strays: rows whose patient is not there, by table.
        unread_links: attachments that lead to no text in the files.
    """

    rows: int
    deleted: int
    strays: Mapping[str, int]
    unread_links: int


def link(db: sqlite3.Connection) -> Links:
    """Resolves, fills and drops what served it."""
    db.create_function("local_id", 2, _local_id, deterministic=True)
    deleted = sum(_delete(db, table) for table in TABLES if not table.parent)
    _forget_old_identifiers(db)
    for table in TABLES:
        if table.parent:
            _keep_newest(db, table)
        for column in table.columns:
            if column in _LEADS_TO:
                _resolve(db, table.name, column)
    _fill_drugs(db)
    _fill_facilities(db)
    _fill_reasons(db)
    unread = _fill_bodies(db)
    db.execute(
        "DELETE FROM patient_merges WHERE old_id IS NULL OR new_id IS NULL OR old_id = new_id"
    )
    rows = sum(_count(db, f'"{table.name}"') for table in TABLES if not table.parent)
    strays = {table.name: number for table in TABLES if (number := _strays(db, table))}
    for lookup in LOOKUPS:
        db.execute(f'DROP TABLE "{lookup.name}"')
    return Links(rows, deleted, strays, unread)


def _delete(db: sqlite3.Connection, table: Table) -> int:
    return db.execute(
        f'DELETE FROM "{table.name}" AS t WHERE EXISTS (SELECT 1 FROM _deleted AS d '
        "WHERE d.type = ? AND d.id = t.id AND (d.at = '' OR d.at >= t._updated))",
        (table.resource,),
    ).rowcount


def _keep_newest(db: sqlite3.Connection, table: Table) -> None:
    """Removes parts of older versions, whose resource has another serial number by now."""
    db.execute(
        f'DELETE FROM "{table.name}" AS part WHERE NOT EXISTS (SELECT 1 FROM "{table.parent}" AS p '
        f"WHERE p.id = part.{table.key[0]} AND p._serial = part._serial)"
    )


def _forget_old_identifiers(db: sqlite3.Connection) -> None:
    """An identifier that only an older version of a patient had leads to nobody."""
    db.execute(
        "DELETE FROM _urls WHERE url GLOB 'Patient[?]*' AND NOT EXISTS (SELECT 1 FROM patients AS p "
        "WHERE p.id = _urls.id AND p._serial = _urls._serial)"
    )


def _resolve(db: sqlite3.Connection, table: str, column: str) -> None:
    """Makes ids of references; one that fits two resources leads to none."""
    kind = _LEADS_TO[column]
    db.execute(
        f'UPDATE "{table}" SET {column} = COALESCE((SELECT CASE count(*) WHEN 1 THEN min(u.id) END '
        f"FROM _urls AS u WHERE u.url = {column} AND u.type = ?), local_id({column}, ?)) "
        f"WHERE {column} GLOB '*[:?]*'",
        (kind, kind),
    )


def _local_id(written: str, kind: str) -> str | None:
    """The id in a URL that no bundle names; a UUID may be an id as well."""
    if written.startswith("urn:uuid:"):
        return written.removeprefix("urn:uuid:")
    return local_id(written, kind) if "?" not in written else None


def _fill_drugs(db: sqlite3.Connection) -> None:
    codes = ", ".join(DRUG_CODES)
    for table in ("medication_requests", "medication_statements"):
        db.execute(
            f"UPDATE {table} SET (drug, {codes}) = (SELECT COALESCE(m.drug, {table}.drug), "
            f"{', '.join(f'm.{code}' for code in DRUG_CODES)} FROM _medications AS m "
            "WHERE m.id = _medication) WHERE _medication IN (SELECT id FROM _medications)"
        )


def _fill_facilities(db: sqlite3.Connection) -> None:
    """The name of the organisation; where a row names none, that of its visit."""
    for table in TABLES:
        if "_facility" in table.columns:
            db.execute(
                f"UPDATE {table.name} SET facility = (SELECT o.name FROM _organizations AS o "
                "WHERE o.id = _facility) WHERE facility IS NULL AND _facility IS NOT NULL"
            )
    for table in TABLES:
        if {"encounter_id", "facility"} <= set(table.columns):
            db.execute(
                f"UPDATE {table.name} SET facility = (SELECT e.facility FROM encounters AS e "
                "WHERE e.id = encounter_id) WHERE facility IS NULL AND encounter_id IS NOT NULL"
            )


def _fill_reasons(db: sqlite3.Connection) -> None:
    """The name of the condition that is the reason, unless it was entered in error."""
    for table in TABLES:
        if "_reason" in table.columns:
            db.execute(
                f"UPDATE {table.name} SET reason = (SELECT c.name FROM conditions AS c "
                "WHERE c.id = _reason AND c.verification_status IS NOT 'entered-in-error') "
                "WHERE reason IS NULL AND _reason IS NOT NULL"
            )


def _fill_bodies(db: sqlite3.Connection) -> int:
    """The text of Binary resources; gives how many links lead to none."""
    unread = 0
    for table in ("diagnostic_reports", "documents"):
        db.execute(
            f"UPDATE {table} SET (body, body_format) = (SELECT b.body, b.body_format "
            "FROM _binaries AS b WHERE b.id = _binary) WHERE _binary IS NOT NULL"
        )
        unread += _count(db, f"{table} WHERE _binary IS NOT NULL AND body IS NULL")
    return unread


def _strays(db: sqlite3.Connection, table: Table) -> int:
    if "patient_id" not in table.columns or table.parent:
        return 0
    return _count(
        db,
        f"{table.name} WHERE patient_id IS NULL OR patient_id NOT IN (SELECT id FROM patients)",
    )


def _count(db: sqlite3.Connection, rows: str) -> int:
    (number,) = db.execute(f"SELECT count(*) FROM {rows}").fetchone()
    return int(number)
