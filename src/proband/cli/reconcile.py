"""`proband reconcile`: catalogue and index compared both ways, and brought in step."""

from __future__ import annotations

import sys

import click

from proband.cli.output import echo_json, json_option


@click.command()
@click.option("--dry-run", is_flag=True, help="Compare only.")
@click.option(
    "--roll-back", is_flag=True, help="Give up the unfinished generation, if there is one."
)
@json_option
def reconcile(dry_run: bool, roll_back: bool, as_json: bool) -> None:
    """Compare keys and lifetimes of catalogue and index both ways, and repair the index."""
    from proband.wiring import open_engine

    with open_engine("proband reconcile") as engine:
        given_up = engine.roll_back() if roll_back and not dry_run else None
        differences = engine.reconcile(repair=not dry_run)
    counts = {
        "missing": len(differences.missing),
        "orphaned": len(differences.orphaned),
        "misdated": len(differences.misdated),
    }
    if as_json:
        echo_json({**counts, "repaired": not dry_run, "rolled_back": given_up and given_up.number})
    else:
        _say(counts, dry_run)
        if given_up:
            click.echo(f"Gave up the unfinished generation {given_up.number}.")
    sys.exit(0 if differences.agrees or not dry_run else 1)


def _say(counts: dict[str, int], dry_run: bool) -> None:
    if not any(counts.values()):
        click.echo("Catalogue and index agree.")
        return
    found = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    click.echo(f"{found}: " + ("run `proband reconcile` to repair." if dry_run else "repaired."))
