"""`proband index`: what was stored but not yet indexed, or everything anew."""

from __future__ import annotations

import time

import click

from proband.cli.output import json_option


@click.command()
@click.option(
    "--rebuild", is_flag=True, help="Make every chunk anew, as a new model or splitter needs it."
)
@click.option(
    "--watch", is_flag=True, help="Keep looking for stored studies that wait, until Ctrl-C."
)
@click.option(
    "--every",
    type=click.FloatRange(1),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How often --watch looks.",
)
@json_option
def index(rebuild: bool, watch: bool, every: float, as_json: bool) -> None:
    """Index what was stored but not yet indexed, then make it visible."""
    while True:
        _index_once(rebuild, as_json)
        if not watch:
            return
        time.sleep(every)


def _index_once(rebuild: bool, as_json: bool) -> None:
    from proband.cli.import_report import report
    from proband.cli.progress import StderrProgress
    from proband.wiring import open_engine, open_rebuild

    opened = open_rebuild("proband index") if rebuild else open_engine("proband index")
    with opened as engine, StderrProgress() as progress:
        done = engine.rebuild(progress) if rebuild else engine.index(progress)
    if done:
        report(done, as_json)
    else:
        click.echo("Nothing waits for the index.", err=True)
