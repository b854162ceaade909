"""`proband demo`: the sample studies and three searches, from nothing."""

from __future__ import annotations

import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proband.cli.search import Asked, answer, search
from proband.cli.wanted import FILTERS
from proband.errors import ManifestMismatch
from proband.sample import demo_file

if TYPE_CHECKING:
    from proband.engine import Engine


@click.command()
def demo() -> None:
    """Import the invented sample studies and run three searches that show what proband does.

    The sample lives in its own folder below the home folder, so that it never mixes with your studies.
    """
    from proband.settings import home_folder

    home = home_folder() / "demo"
    studies = import_sample(home)
    click.echo(f"{studies} invented studies are imported.")
    for shown in tomllib.loads(demo_file().read_text(encoding="utf-8"))["search"]:
        _show(shown, home)
    command = shutil.which("proband") or str(Path(sys.executable).with_name("proband"))
    click.echo(f"Your own question: PROBAND_HOME={home} {command} search '...'")


def import_sample(home: Path) -> int:
    """Makes the home of the sample, or brings it up to date; how many studies it has."""
    try:
        return _import(home)
    except ManifestMismatch:  # an earlier version made it; the sample is quickly made again
        shutil.rmtree(home)
        return _import(home)


def _import(home: Path) -> int:
    """Makes the demo's home and imports the sample; how many studies it has."""
    from proband.cli.progress import StderrProgress
    from proband.sample import studies_folder
    from proband.wiring import create_home, open_engine, read_files

    read = read_files([studies_folder()])
    with StderrProgress() as progress:
        create_home(progress, home)
        with open_engine("proband demo", home) as engine:
            done = engine.import_studies(read.name, read, progress)
            _certify(engine, home)
    return done.new + done.changed + done.unchanged


def _certify(engine: Engine, home: Path) -> None:
    """Puts the sample's calibration into a home that holds exactly the sample, unless it has one that fits."""
    from proband.certificates import corpus_digest, read_certificate, write_certificate
    from proband.sample import gate_file
    from proband.wiring import gates, read_home

    mine, shipped = read_home(home), read_certificate(gate_file())
    seen, catalogue = engine.seen(None), engine.catalogue
    fits = gates(mine, catalogue, engine.manifest).of(seen)
    if shipped and fits.uncertified and shipped.made_with.corpus == corpus_digest(catalogue, seen):
        write_certificate(mine.gate_file, shipped)


def _show(found: dict[str, Any], home: Path) -> None:
    """One search as a person would type it, its result, and what to notice."""
    typed = [found["question"], *found["options"]]
    click.secho(f"\n$ proband search {shlex.join(typed)}\n", bold=True)
    given = search.make_context("search", typed).params
    filters = {name: value for name, value in given.items() if name in FILTERS}
    answer(
        Asked(found["question"], given["top_k"], None, filters),
        explain=False,
        as_json=False,
        folder=home,
    )
    click.secho(f"\n{found['notice']}", fg="yellow")
