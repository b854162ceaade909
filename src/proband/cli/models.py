"""`proband models`: which models there are, bringing them, checking their bytes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proband.cli.output import echo_json, json_option

if TYPE_CHECKING:
    from proband.adapters.model_card import ModelCard

MEGABYTE = 1_000_000


@click.group()
def models() -> None:
    """List, pull and verify models."""


@models.command("list")
@json_option
def list_models(as_json: bool) -> None:
    """The known models, and which of them are on this machine."""
    from proband.wiring import model_store, read_home

    home = read_home()
    store = model_store(home)
    rows = [
        _row(card, present=store.present(card), default=card.name == home.settings.model.dense)
        for card in store.cards
    ]
    if as_json:
        echo_json({"models": rows})
        return
    for row in rows:
        click.echo(_line(row))


def _row(card: ModelCard, *, present: bool, default: bool) -> dict[str, Any]:
    return {
        "name": card.name,
        "kind": card.kind,
        "architecture": card.architecture,
        "dimensions": card.dimensions,
        "window": card.window,
        "licence": card.licence,
        "bytes": card.size,
        "present": present,
        "default": default,
    }


def _line(row: dict[str, Any]) -> str:
    state = "present" if row["present"] else "absent"
    mark = "*" if row["default"] else " "
    megabytes = row["bytes"] / MEGABYTE
    return (
        f"{mark} {row['name']:<20} {state:<8} {row['kind']:<9} "
        f"{row['dimensions']:>5}-d {row['window']:>5} tokens {megabytes:>7,.0f} MB  {row['licence']}"
    )


@models.command()
@click.argument("name")
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Take the files from this folder and nowhere else.",
)
@json_option
def pull(name: str, folder: Path | None, as_json: bool) -> None:
    """Bring the files of model NAME, each checked by its published digest.

    An interrupted pull resumes; a complete model is left alone.
    """
    from proband.cli.progress import StderrProgress
    from proband.wiring import model_puller, model_store, read_home

    home = read_home()
    store = model_store(home)
    card = store.card(name)
    with StderrProgress() as progress:
        brought = model_puller(home, store, progress).pull(card, folder)
    if as_json:
        names = [file.name for file in brought]
        echo_json({"name": name, "folder": str(store.path(card)), "pulled": names})
    elif brought:
        click.echo(f"{name} is in {store.path(card)}, every byte as published.")
    else:
        click.echo(f"{name} was already complete in {store.path(card)}.")


@models.command()
@click.argument("name", required=False)
@json_option
def verify(name: str | None, as_json: bool) -> None:
    """Check every byte of model NAME, or of the default model; changes nothing.

    Exit code 1 when a file is missing or wrong.
    """
    from proband.wiring import model_store, read_home

    home = read_home()
    store = model_store(home)
    checks = store.verify(store.card(name or home.settings.model.dense))
    if as_json:
        files = [{"name": check.file.name, "state": check.state} for check in checks]
        echo_json({"name": name or home.settings.model.dense, "files": files})
    else:
        for check in checks:
            click.echo(f"{check.state:<8} {check.file.name}")
    sys.exit(0 if all(check.state == "present" for check in checks) else 1)
