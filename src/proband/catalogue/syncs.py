"""What was fetched from the registry: when each query was last asked in full, and which studies it delivered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, and_, delete, insert, select

from proband.catalogue.database import in_lists
from proband.catalogue.schema import registry_study, registry_sync, study


@dataclass(frozen=True, slots=True)
class Synced:
    """A sync that ended. `data_version` is the registry's own time of its data."""

    query: str
    data_version: str


def last(connection: Connection, query: str) -> Synced | None:
    """The last complete sync of this query."""
    row = connection.execute(select(registry_sync).where(registry_sync.c.query == query)).first()
    return Synced(row.query, row.data_version) if row else None


def record(connection: Connection, synced: Synced) -> None:
    """Remembers that a query was asked in full."""
    connection.execute(delete(registry_sync).where(registry_sync.c.query == synced.query))
    connection.execute(
        insert(registry_sync).values(query=synced.query, data_version=synced.data_version)
    )


def deliver(connection: Connection, nct_ids: Iterable[str]) -> None:
    """Remembers that the registry delivered these studies. Only such a study can be found removed later."""
    for ids in in_lists(dict.fromkeys(nct_ids)):
        column = registry_study.c.nct_id
        known = set(connection.scalars(select(column).where(column.in_(ids))))
        new = [{"nct_id": nct_id} for nct_id in ids if nct_id not in known]
        if new:
            connection.execute(insert(registry_study), new)


def delivered(connection: Connection, number: int) -> tuple[str, ...]:
    """The studies of this generation that the registry once delivered, in order of NCT id."""
    mine = registry_study.c.nct_id
    return tuple(
        connection.scalars(
            select(mine)
            .join(
                study, and_(study.c.nct_id == mine, study.c.born <= number, study.c.died > number)
            )
            .order_by(mine)
        )
    )
