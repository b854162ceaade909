"""`proband init`: everything that the other commands expect to be there."""

from __future__ import annotations

import click

from proband.cli.output import echo_json, json_option


@click.command()
@json_option
def init(as_json: bool) -> None:
    """Make the home folder, the catalogue and the index, and pull the model when it is absent.

    Doing it again changes nothing that is there.
    """
    from proband.cli.progress import StderrProgress
    from proband.wiring import create_home

    with StderrProgress() as progress:
        home = create_home(progress)
    if as_json:
        echo_json({"home": str(home.folder), "model": home.settings.model.dense})
    else:
        click.echo(f"Ready in {home.folder}, model {home.settings.model.dense}.")
