"""Studies, each in as many versions as the kept generations need."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    and_,
    delete,
    func,
    insert,
    select,
    update,
)

from proband.catalogue.database import in_lists
from proband.catalogue.generations import Generation
from proband.catalogue.schema import (
    condition,
    intervention,
    site,
    study,
    study_alias,
    study_condition,
    study_intervention,
)
from proband.catalogue.study_rows import (
    Values,
    condition_rows,
    intervention_rows,
    site_rows,
    study_row,
    unpacked,
)
from proband.trials.study import Site, Study

_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of the studies of one call: the NCT ids of new and changed ones, and how many stayed as before.

    `older` are those among the latter that were offered in an older state than the stored one.
    """

    new: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: int
    older: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyMark:
    """What a sync compares."""

    nct_id: str
    last_update: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class StudyCard:
    """A study as a search result shows it. None: the registry does not state it. Ages are days."""

    nct_id: str
    title: str
    status: str | None
    study_type: str | None
    phases: tuple[str, ...]
    sex: str | None
    min_age_days: int | None
    max_age_days: int | None
    last_update: str | None
    conditions: tuple[str, ...]
    interventions: tuple[str, ...]
    sites: tuple[Site, ...]


_CARD = tuple(column for column in study.c if column.name != "raw")


def visible(number: int) -> ColumnElement[bool]:
    """Versions that a reader of this generation sees."""
    return and_(study.c.born <= number, study.c.died > number)


def store(
    connection: Connection, built: Generation, studies: Iterable[Study], *, keep_newer: bool = False
) -> Stored:
    """Writes the studies that are new or have another digest; of one NCT id the last one counts.

    With `keep_newer` a study that says it was updated later than the offered one stays.
    """
    offered = {found.nct_id: found for found in studies}
    live = {found.nct_id: found for found in _live_marks(connection, built.number, offered)}
    new = tuple(nct_id for nct_id in offered if nct_id not in live)
    other = [mark for mark in live.values() if mark.digest != offered[mark.nct_id].digest]
    older = tuple(
        mark.nct_id
        for mark in other
        if keep_newer and _is_before(offered[mark.nct_id].last_update, mark.last_update)
    )
    changed = tuple(mark.nct_id for mark in other if mark.nct_id not in older)
    end(connection, built, changed)
    _insert(connection, built.number, [offered[nct_id] for nct_id in (*new, *changed)])
    return Stored(new, changed, len(offered) - len(new) - len(changed), older)


def _is_before(one: str | None, other: str | None) -> bool:
    """Whether both are dates and the first is earlier; a month alone is no earlier than its days."""
    dates = [text for text in (one, other) if text and _DATE.fullmatch(text)]
    if len(dates) < 2:
        return False
    length = min(map(len, dates))
    return dates[0][:length] < dates[1][:length]


def end(connection: Connection, built: Generation, nct_ids: Iterable[str]) -> tuple[str, ...]:
    """Ends the live versions of these studies; the ids of those that lived."""
    lived = tuple(mark.nct_id for mark in _live_marks(connection, built.number, nct_ids))
    for ids in in_lists(lived):
        mine = study.c.nct_id.in_(ids)
        # A version that was born in this generation was never seen: it goes without a trace.
        connection.execute(delete(study).where(mine, study.c.born == built.number))
        connection.execute(
            update(study).where(mine, visible(built.number)).values(died=built.number)
        )
    return lived


def cards(connection: Connection, nct_ids: Iterable[str], number: int) -> dict[str, StudyCard]:
    """The studies of this generation among `nct_ids`, one query a table; unknown ids are absent."""
    found: dict[str, StudyCard] = {}
    for ids in in_lists(nct_ids):
        these = and_(study.c.nct_id.in_(ids), visible(number))
        conditions = _grouped(connection, _names(study_condition, condition), these)
        interventions = _grouped(connection, _names(study_intervention, intervention), these)
        sites = _grouped(connection, _places(), these)
        for row in connection.execute(select(*_CARD).where(these)):
            found[row.nct_id] = _card(
                row,
                conditions=tuple(name for (name,) in conditions[row.nct_id]),
                interventions=tuple(name for (name,) in interventions[row.nct_id]),
                sites=tuple(Site(*place) for place in sites[row.nct_id]),
            )
    return found


def raw_records(
    connection: Connection, nct_ids: Iterable[str], number: int
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(NCT id, record as fetched) of the studies of this generation among `nct_ids`, in no order."""
    for ids in in_lists(nct_ids):
        rows = connection.execute(
            select(study.c.nct_id, study.c.raw).where(study.c.nct_id.in_(ids), visible(number))
        )
        for nct_id, raw in rows:
            yield nct_id, unpacked(raw)


def marks(connection: Connection, number: int) -> tuple[StudyMark, ...]:
    """Every study of this generation in order of NCT id."""
    rows = connection.execute(
        select(study.c.nct_id, study.c.last_update, study.c.digest)
        .where(visible(number))
        .order_by(study.c.nct_id)
    )
    return tuple(StudyMark(*row) for row in rows)


def current_ids(connection: Connection, ids: Iterable[str], number: int) -> dict[str, str]:
    """For each id that is an alias in this generation, the NCT id that the study has now."""
    found: dict[str, str] = {}
    for some in in_lists(ids):
        rows = connection.execute(
            select(study_alias.c.alias, study.c.nct_id)
            .join_from(study, study_alias, _same_version(study_alias))
            .where(study_alias.c.alias.in_(some), visible(number))
        )
        found |= {row.alias: row.nct_id for row in rows}
    return found


def count(connection: Connection, number: int) -> int:
    """How many studies live in this generation."""
    counted = select(func.count()).select_from(study).where(visible(number))
    return connection.execute(counted).scalar_one()


def _live_marks(connection: Connection, number: int, nct_ids: Iterable[str]) -> Iterator[StudyMark]:
    for ids in in_lists(nct_ids):
        rows = connection.execute(
            select(study.c.nct_id, study.c.last_update, study.c.digest).where(
                study.c.nct_id.in_(ids), visible(number)
            )
        )
        yield from (StudyMark(*row) for row in rows)


def _insert(connection: Connection, born: int, studies: Sequence[Study]) -> None:
    _insert_rows(connection, study, [study_row(found, born) for found in studies])
    for table, link, column, rows in (
        (condition, study_condition, "condition_id", condition_rows),
        (intervention, study_intervention, "intervention_id", intervention_rows),
    ):
        _insert_absent(connection, table, (row for found in studies for row in rows(found)))
        _insert_children(connection, link, born, studies, _links(column, rows))
    _insert_children(connection, site, born, studies, site_rows)
    aliases = [
        {"nct_id": found.nct_id, "born": born, "alias": alias}
        for found in studies
        for alias in dict.fromkeys(found.aliases)
    ]
    _insert_rows(connection, study_alias, aliases)


def _insert_rows(connection: Connection, table: Table, rows: Sequence[Values]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _insert_absent(connection: Connection, table: Table, rows: Iterable[Values]) -> None:
    """Writes the rows whose id is not there yet."""
    wanted = {row["id"]: row for row in rows}
    for ids in in_lists(wanted):
        present = set(connection.scalars(select(table.c.id).where(table.c.id.in_(ids))))
        _insert_rows(connection, table, [wanted[i] for i in ids if i not in present])


def _insert_children(
    connection: Connection,
    table: Table,
    born: int,
    studies: Iterable[Study],
    rows: Callable[[Study], Iterable[Values]],
) -> None:
    _insert_rows(
        connection,
        table,
        [
            {"nct_id": found.nct_id, "born": born, "ordinal": ordinal, **row}
            for found in studies
            for ordinal, row in enumerate(rows(found), 1)
        ],
    )


def _links(
    column: str, rows: Callable[[Study], Iterable[Values]]
) -> Callable[[Study], Iterable[Values]]:
    return lambda found: ({column: row["id"]} for row in rows(found))


def _same_version(child: Table) -> ColumnElement[bool]:
    return and_(child.c.nct_id == study.c.nct_id, child.c.born == study.c.born)


def _names(link: Table, table: Table) -> Select[tuple[str, str]]:
    return (
        select(study.c.nct_id, table.c.name)
        .join_from(study, link, _same_version(link))
        .join(table)
        .order_by(link.c.ordinal)
    )


def _places() -> Select[Any]:
    columns = (site.c[field.name] for field in fields(Site))
    return (
        select(study.c.nct_id, *columns)
        .join_from(study, site, _same_version(site))
        .order_by(site.c.ordinal)
    )


def _grouped(
    connection: Connection, statement: Select[Any], these: ColumnElement[bool]
) -> Mapping[str, list[Sequence[Any]]]:
    """The rows by their first column, which they lose."""
    groups: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
    for first, *rest in connection.execute(statement.where(these)):
        groups[first].append(rest)
    return groups


def _card(
    row: Row[Any],
    conditions: tuple[str, ...],
    interventions: tuple[str, ...],
    sites: tuple[Site, ...],
) -> StudyCard:
    return StudyCard(
        nct_id=row.nct_id,
        title=row.brief_title or row.official_title or row.nct_id,
        status=row.status,
        study_type=row.study_type,
        phases=tuple(row.phases),
        sex=row.sex,
        min_age_days=row.min_age_days,
        max_age_days=row.max_age_days,
        last_update=row.last_update,
        conditions=conditions,
        interventions=interventions,
        sites=sites,
    )
