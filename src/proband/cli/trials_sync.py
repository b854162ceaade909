"""`proband trials sync`: new, changed and removed studies from the registry."""

from __future__ import annotations

from datetime import datetime

import click

from proband.cli.output import echo_json, json_option

WHOLE_REGISTRY = (
    "No --condition and no --query: this syncs the whole registry, the first time all of its studies. "
    "Ctrl-C stops it, and the same command goes on."
)


@click.command()
@click.option(
    "--condition", default="", help="Studies of this condition, by the registry's search."
)
@click.option("--query", "term", default="", help="The registry's query language, or NCT ids.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Updated on this day or later; default: since the last sync of the same query.",
)
@click.option("--sweep/--no-sweep", default=True, help="Also look for removed studies (default).")
@json_option
def sync(condition: str, term: str, since: datetime | None, sweep: bool, as_json: bool) -> None:
    """Fetch new and changed studies from ClinicalTrials.gov, and drop those that it removed.

    One request a second. A sync that was interrupted goes on where it stopped. Without --condition and --query it is
    the whole registry: every study the first time, what has changed since then.
    """
    from proband.cli.import_report import as_object, report
    from proband.cli.progress import StderrProgress
    from proband.trials.sync import StudyQuery
    from proband.wiring import open_engine, open_registry

    query = StudyQuery(condition, term, since.date() if since else None)
    if not (condition or term):
        click.echo(WHOLE_REGISTRY, err=True)
    with (
        open_engine("proband trials sync") as engine,
        open_registry(engine.settings) as registry,
        StderrProgress() as progress,
    ):
        done, gone = engine.sync_studies(query, registry, progress, sweep=sweep)
    if as_json:
        echo_json({**as_object(done), "removals_in_doubt": gone.doubt})
    else:
        report(done, as_json=False)
    if gone.doubt:
        click.echo(f"No removals: {gone.doubt}; the next sync looks again.", err=True)
