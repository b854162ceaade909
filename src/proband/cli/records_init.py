"""`proband records init`: the first draft of a mapping, from the schema of a source or a ready one."""

from __future__ import annotations

from pathlib import Path

import click

from proband.errors import UsageError


@click.command("init")
@click.argument("url", required=False)
@click.option("--ready", help="Write this ready mapping (omop) instead of a draft.")
@click.option(
    "--name", default="", help="What the source is called. Default: its database or file."
)
@click.option("--schema", default="", help="Whose tables. Default: those of the default schema.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this new file. Default: the terminal.",
)
def init(url: str | None, ready: str | None, name: str, schema: str, output: Path | None) -> None:
    """Write a first mapping of the database at URL.

    Only the schema is read, no row. Columns that look sensitive are left out and marked with the reason. Read the draft
    before you import with it. URL is postgresql://user@host/database, mysql://..., mssql://..., sqlite:///file; the
    password may come from PROBAND_SOURCE_PASSWORD.
    """
    if output is not None and output.exists():
        raise UsageError(f"{output} exists already and is left as it is; give another --output.")
    text = _text(url, ready, name, schema)
    if output is None:
        click.echo(text, nl=False)
        return
    _write(output, text)
    click.echo(
        f"Wrote {output}. Read it, then: proband records import --mapping {output}", err=True
    )


def _text(url: str | None, ready: str | None, name: str, schema: str) -> str:
    if ready is not None:
        from proband.records.ready import ready_text

        return ready_text(ready)
    if url is None:
        raise UsageError("Give the URL of the database, or --ready omop.")
    from proband.records.draft import draft_mapping
    from proband.wiring import read_schema

    return draft_mapping(read_schema(url, schema), url, name)


def _write(output: Path, text: str) -> None:
    """A new file; never over an old one, even one that appeared meanwhile."""
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{output} exists already and is left as it is.") from None
    except OSError as wrong:
        raise UsageError(f"{output} cannot be written: {wrong.strerror or wrong}.") from None
