"""The filters of a search as options, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from proband.errors import UsageError

if TYPE_CHECKING:
    from proband.engine import Engine
    from proband.model import Filter, GeoPoint

PHASES = {
    "early1": "EARLY_PHASE1",
    "1": "PHASE1",
    "2": "PHASE2",
    "3": "PHASE3",
    "4": "PHASE4",
    "na": "NA",
}
STUDY_TYPES = ("interventional", "observational", "expanded_access")

OPTIONS = (
    click.option("--recruiting", is_flag=True, help="Only studies that recruit now."),
    click.option(
        "--near", metavar="PLACE", help="Only with an enrolling site near: a city, or LAT,LON."
    ),
    click.option(
        "--within",
        type=click.FloatRange(0, 20_000, min_open=True),
        default=80.0,
        show_default=True,
        metavar="KM",
        help="How near.",
    ),
    click.option("--phase", multiple=True, type=click.Choice(list(PHASES)), help="Repeatable."),
    click.option("--study-type", type=click.Choice(STUDY_TYPES), help="Only studies of this type."),
    click.option("--age", metavar="AGE", help="The person's age: 54, '6 months', '10 days'."),
    click.option("--sex", type=click.Choice(["female", "male"]), help="The person's sex."),
    click.option(
        "--condition", multiple=True, metavar="NAME", help="A listed condition or keyword."
    ),
    click.option("--criteria-only", is_flag=True, help="Search eligibility criteria only."),
    click.option("--no-exclusions", is_flag=True, help="Leave exclusion criteria out."),
)

FILTERS = (
    "recruiting",
    "near",
    "within",
    "phase",
    "study_type",
    "age",
    "sex",
    "condition",
    "criteria_only",
    "no_exclusions",
)
"""The names of the options as parameters."""


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the filters of a search to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def wanted_filter(options: Mapping[str, Any], engine: Engine, generation: int) -> Filter:
    """The filter of these options. Raises UsageError for an age, place or condition that cannot be read."""
    from proband.trials.filters import Phase, Sex, StudyType, Wanted, study_filter

    if any("\ud800" <= letter <= "\udfff" for name in options["condition"] for letter in name):
        raise UsageError(
            "A condition is not in the terminal's encoding; use UTF-8 (LC_ALL=C.UTF-8)."
        )
    kind, sex = options["study_type"], options["sex"]
    wanted = Wanted(
        recruiting=options["recruiting"],
        phases=tuple(Phase(PHASES[phase]) for phase in options["phase"]),
        study_types=(StudyType(kind.upper()),) if kind else (),
        conditions=options["condition"],
        age_days=_age_days(options["age"]),
        sex=Sex(sex.upper()) if sex else None,
        place=_place(options["near"], engine, generation),
        radius_km=options["within"],
        criteria_only=options["criteria_only"],
        no_exclusions=options["no_exclusions"],
    )
    return study_filter(wanted)


def _age_days(text: str | None) -> int | None:
    from proband.trials.ages import reached

    if text is None:
        return None
    days = reached(f"{text} years" if text.strip().replace(".", "", 1).isdigit() else text)
    if days is None:
        raise UsageError(f"--age {text!r} is not an age; write 54, '6 months', '10 days'.")
    return days


def _place(text: str | None, engine: Engine, generation: int) -> GeoPoint | None:
    if text is None:
        return None
    return _coordinates(text) or engine.place(text, generation)


def _coordinates(text: str) -> GeoPoint | None:
    from proband.model import GeoPoint

    try:
        latitude, longitude = (float(part) for part in text.split(","))
    except ValueError:
        return None
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise UsageError(f"--near {text}: latitude is -90 to 90, longitude -180 to 180.")
    return GeoPoint(latitude, longitude)


def options_of(chosen: Mapping[str, Any], question: str) -> dict[str, Any]:
    """The filters of a search with these chosen for a question. Raises UsageError for one that does not exist."""
    unknown = set(chosen) - set(FILTERS)
    if unknown:
        raise UsageError(f"Question {question}: {unknown.pop()} is no filter of `proband search`.")
    from proband.cli.search import search

    given = search.make_context("search", ["?"]).params
    return {name: given[name] for name in FILTERS} | dict(chosen)
