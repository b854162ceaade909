"""Writes the pages that come from the code (`docs/settings.md`, `docs/cli.md`), or checks that they are current.

Usage: python -m proband.cli.documentation [--check] FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from pydantic import BaseModel

from proband.cli.main import cli
from proband.settings import Settings

NOTICE = "<!-- Made from the code by `make docs`; change the code instead. -->\n\n"


def settings_page() -> str:
    """Every setting with default, unit, whether it calls for a rebuild, and the observation that set it."""
    head = (
        "# Settings\n\n"
        + NOTICE
        + "`proband.toml` in the home folder (`PROBAND_HOME`, else `~/.proband`), or the environment:\n"
        "`PROBAND_<SECTION>__<KEY>`, which wins. An unknown key is an error. **Rebuild**: changing it calls for\n"
        "`proband index --rebuild`, and `proband doctor` says so.\n"
    )
    return head + "".join(_sections(Settings, "top level"))


def _sections(section: type[BaseModel], title: str) -> Iterator[str]:
    rows, below = [], []
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            below.append((name, kind))
            continue
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        default = f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default!r}`"
        rebuild = "yes" if extra.get("rebuild") else ""
        rows.append(
            f"| `{name}` | {default} | {extra.get('unit', '')} | {rebuild} | {field.description} |\n"
        )
    doc = (section.__doc__ or "").strip().splitlines()[0]
    yield f"\n## {title}\n\n{doc}\n\n| key | default | unit | rebuild | why this value |\n|---|---|---|---|---|\n"
    yield from rows
    for name, kind in below:
        yield from _sections(kind, f"[{name}]")


def cli_page() -> str:
    """The help text of every command."""
    return (
        "# Command line\n\n"
        + NOTICE
        + "\n".join(_help(cli, click.Context(cli, info_name="proband")))
    )


def _help(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from _help(below, click.Context(below, info_name=name, parent=context))


PAGES = {"settings.md": settings_page, "cli.md": cli_page}


def main(arguments: list[str]) -> int:
    """0 when the pages are written or current, 1 when `--check` finds one that is not."""
    check, folder = "--check" in arguments, Path(arguments[-1])
    stale = [
        name
        for name, page in PAGES.items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != page()
    ]
    if not check:
        for name in stale:
            (folder / name).write_text(PAGES[name](), encoding="utf-8")
        return 0
    for name in stale:
        click.echo(f"docs/{name} is not what the code says; run `make docs`.", err=True)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
