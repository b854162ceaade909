"""`proband trials import`: studies from files and folders."""

from __future__ import annotations

from pathlib import Path

import click

from proband.cli.output import json_option


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def import_studies(paths: tuple[Path, ...], as_json: bool) -> None:
    """Import studies from PATHS and make them visible at once.

    API v2 JSON (one study, a list, pages), JSON lines, classic XML, AACT dumps; plain, .gz, .zip, or folders of them.
    An import that was interrupted goes on where it stopped. Exit code 1 when no study could be read.
    """
    from proband.cli.import_report import report, require_studies
    from proband.cli.progress import StderrProgress
    from proband.wiring import open_engine, read_files

    read = read_files(paths)
    with open_engine("proband trials import") as engine, StderrProgress() as progress:
        done = engine.import_studies(read.name, read, progress, read.digest)
    report(done, as_json)
    require_studies(done, paths)
