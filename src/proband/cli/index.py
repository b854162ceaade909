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
    "--watch",
    is_flag=True,
    help="Keep looking for stored studies that wait, until Ctrl-C; quiet while none do.",
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
    """Index what was stored but not yet indexed, then make it visible.

    With --watch the index is held only while something waits, so that searches and imports run in between.
    """
    if rebuild and watch:
        raise click.UsageError("--rebuild makes every chunk once; use --watch without it.")
    if watch:
        _watch(every, as_json)
    elif not _index_once(rebuild, as_json):
        click.echo("Nothing waits for the index.", err=True)


def _watch(every: float, as_json: bool) -> None:
    """Looks every so many seconds. Who holds the index is at work on what waits; what a person must do is said once."""
    from proband.errors import GenerationIncomplete, IndexHeld

    said = ""
    while True:
        try:
            if _something_waits():
                _index_once(rebuild=False, as_json=as_json)
        except IndexHeld:
            pass
        except GenerationIncomplete as error:
            if str(error) != said:
                said = str(error)
                click.echo(f"{said} Looking again every {every:g} s.", err=True)
        time.sleep(every)


def _something_waits() -> bool:
    """Asks the catalogue alone, which any number of processes may read."""
    from proband.model import Corpus
    from proband.wiring import open_catalogue

    with open_catalogue() as catalogue:
        return catalogue.building(Corpus.TRIALS) is not None


def _index_once(rebuild: bool, as_json: bool) -> bool:
    """Whether there was something to do."""
    from proband.cli.import_report import report
    from proband.cli.progress import StderrProgress
    from proband.wiring import open_engine, open_rebuild

    opened = open_rebuild("proband index") if rebuild else open_engine("proband index")
    with opened as engine, StderrProgress() as progress:
        done = engine.rebuild(progress) if rebuild else engine.index(progress)
    if done:
        report(done, as_json)
    return done is not None
