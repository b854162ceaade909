"""One study as JSON or for a person to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape

from proband.cli.criteria import as_object, show
from proband.errors import UsageError
from proband.trials.criteria import split_criteria
from proband.trials.criterion import Split
from proband.trials.study import Site, Study

SITES = 10
"""Sites that are shown; enrolling ones come first, the rest are counted."""


def imported_study(nct_id: str, generation: int | None = None) -> Study:
    """The study of this id, or that had it before. Raises UsageError when the generation has none."""
    from proband.engine import seen, study
    from proband.wiring import open_catalogue

    with open_catalogue() as catalogue:
        number = seen(catalogue, generation)
        found = study(catalogue, nct_id, number)
    if found is None:
        raise UsageError(f"No study {nct_id} in generation {number}; import or sync it first.")
    return found


def split_imported(nct_id: str) -> Split:
    """The eligibility text of an imported study, split."""
    return split(imported_study(nct_id))


def split(study: Study) -> Split:
    """The study's eligibility text, split, with its own arm names."""
    return split_criteria(study.eligibility, tuple(arm.label for arm in study.arms))


def study_object(study: Study) -> dict[str, Any]:
    """The study as one JSON object; `--raw` gives the record itself."""
    return {
        "nct_id": study.nct_id,
        "document": str(study.key),
        "title": study.title,
        "status": study.status,
        "last_update": study.last_update,
        "study_type": study.study_type,
        "phases": list(study.phases),
        "conditions": list(study.conditions),
        "interventions": [intervention.name for intervention in study.interventions],
        "arms": [arm.label for arm in study.arms],
        "sex": study.sex,
        "min_age": study.min_age,
        "max_age": study.max_age,
        "healthy_volunteers": study.healthy_volunteers,
        "sites": len(study.sites),
        "enrolling_sites": len(study.enrolling_sites()),
        "eligibility": as_object(study.nct_id, split(study)),
    }


def show_study(out: Console, study: Study) -> None:
    """Prints head, sites and criteria."""
    out.print(f"[bold]{escape(study.nct_id)}  {escape(study.title)}[/bold]")
    for name, value in _facts(study):
        out.print(f"[dim]{name}:[/dim] {escape(value)}")
    for line in _sites(study):
        out.print(f"  {escape(line)}")
    out.print()
    show(split(study))


def _facts(study: Study) -> Iterator[tuple[str, str]]:
    yield "status", study.status or "not stated"
    if study.last_update:
        yield "as of", study.last_update
    yield "type", ", ".join((study.study_type or "not stated", *study.phases))
    yield "conditions", "; ".join(study.conditions) or "not stated"
    if study.interventions:
        yield "interventions", "; ".join(one.name for one in study.interventions)
    if study.arms:
        yield "arms", "; ".join(arm.label for arm in study.arms)
    ages = f"{study.min_age or 'no lower'} to {study.max_age or 'no upper'} age limit"
    yield "for", f"{study.sex or 'sex not stated'}, {ages}"
    yield "sites", f"{len(study.sites)}, of which {len(study.enrolling_sites())} enrol now"


def _sites(study: Study) -> Iterator[str]:
    enrolling = study.enrolling_sites()
    ordered = (*enrolling, *(site for site in study.sites if site not in enrolling))
    yield from (_site(site) for site in ordered[:SITES])
    if len(ordered) > SITES:
        yield f"and {len(ordered) - SITES} more"


def _site(site: Site) -> str:
    place = ", ".join(filter(None, (site.facility, site.city, site.state, site.country)))
    return f"{place}: {site.status or 'status not stated'}"
