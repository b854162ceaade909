"""`proband vacuum`: remove what no kept generation can see."""

from __future__ import annotations

import click

from proband.cli.output import echo_json, json_option


@click.command()
@click.option("--keep", type=click.IntRange(1), help="Generations to keep; default: the setting.")
@json_option
def vacuum(keep: int | None, as_json: bool) -> None:
    """Remove studies, chunks and vectors that no kept generation can see."""
    from dataclasses import asdict

    from proband.wiring import open_engine

    with open_engine("proband vacuum") as engine:
        gone = asdict(engine.vacuum(keep))
    if as_json:
        echo_json(gone)
    else:
        click.echo(
            "Removed: " + ", ".join(f"{count:,} {name}" for name, count in gone.items()) + "."
        )
