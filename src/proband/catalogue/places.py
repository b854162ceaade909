"""Cities as the sites name them, so that a place can be given without a map service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from proband.catalogue.schema import site, study
from proband.errors import UsageError
from proband.model import GeoPoint


@dataclass(frozen=True, slots=True)
class Place:
    """A city with sites: how many, and the mean of their coordinates."""

    name: str
    point: GeoPoint
    sites: int


def unplaced(connection: Connection, text: str, number: int) -> int:
    """How many sites of this generation in the city that `text` names have no coordinates."""
    counted = (
        select(func.count())
        .select_from(site)
        .join(study, and_(site.c.nct_id == study.c.nct_id, site.c.born == study.c.born))
        .where(*_named(text), site.c.latitude.is_(None))
        .where(study.c.born <= number, study.c.died > number)
    )
    return int(connection.execute(counted).scalar_one())


def places(connection: Connection, text: str, number: int) -> tuple[Place, ...]:
    """The cities of this generation that `text` ("Boston", "Boston, Massachusetts") names, most sites first."""
    where = (site.c.city, site.c.state, site.c.country)
    count = func.count()
    rows = connection.execute(
        select(*where, func.avg(site.c.latitude), func.avg(site.c.longitude), count)
        .join_from(site, study, and_(site.c.nct_id == study.c.nct_id, site.c.born == study.c.born))
        .where(*_named(text), site.c.latitude.is_not(None), site.c.longitude.is_not(None))
        .where(study.c.born <= number, study.c.died > number)
        .group_by(*where)
        .order_by(count.desc(), *where)
    )
    return tuple(
        Place(", ".join(filter(None, names)), GeoPoint(latitude, longitude), sites)
        for *names, latitude, longitude, sites in rows
    )


def _lower(name: str) -> tuple[str, str]:
    """As databases write it in lower case: SQLite knows only the letters of ASCII."""
    ascii_only = "".join(letter.lower() if letter.isascii() else letter for letter in name)
    return ascii_only, name.lower()


def _named(text: str) -> tuple[ColumnElement[bool], ...]:
    """The conditions that a site is in the city, and in each region, that `text` names."""
    city, *regions = (_lower(part.strip()) for part in text.split(","))
    return (
        func.lower(site.c.city).in_(city),
        *(
            or_(func.lower(site.c.state).in_(region), func.lower(site.c.country).in_(region))
            for region in regions
        ),
    )


def one_place(text: str, found: Sequence[Place], unplaced_sites: Callable[[], int]) -> GeoPoint:
    """The point that `text` names. Raises UsageError when no city does, or several far apart do."""
    if not found:
        raise UsageError(_no_place(text, unplaced_sites()))
    if any(_far_apart(found[0].point, other.point) for other in found[1:]):
        names = "; ".join(f"{place.name} ({place.sites} sites)" for place in found[:5])
        raise UsageError(f"Several places are called {text!r}: {names}. Name one of these.")
    return found[0].point


def _no_place(text: str, unplaced: int) -> str:
    if unplaced:
        return (
            f"{unplaced:,} sites in {text!r} have no coordinates in the imported records, so no distance "
            "to them is known; without --near they are found."
        )
    return f"No site is in a city called {text!r}; write it as sites do (city, state or country) or as LAT,LON."


def _far_apart(one: GeoPoint, other: GeoPoint) -> bool:
    """Whether two places are more than about 50 km apart: half a degree in either direction."""
    return max(abs(one.latitude - other.latitude), abs(one.longitude - other.longitude)) > 0.5
