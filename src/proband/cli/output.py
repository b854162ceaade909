"""How results look: one JSON object, or text for a person. Results go to stdout, everything else to stderr."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.text import Text

MARGIN = "   "

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Adds `--json` to a command, passed on as `as_json`."""
    option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
    return option(command)


def echo_json(value: object) -> None:
    """Prints one JSON value on one line, non-ASCII as it is."""
    click.echo(json.dumps(value, ensure_ascii=False))


def console() -> Console:
    """The console for results: plain text when stdout is not a terminal."""
    return Console(highlight=False, soft_wrap=False)


def wrapped(out: Console, markup: str, margin: str = MARGIN) -> None:
    """Wrapped to the width with a margin, no line filled up with blanks: output may go into a pipe."""
    for line in Text.from_markup(markup).wrap(out, out.width - len(margin)):
        line.rstrip()
        out.print(Text.assemble(margin, line), soft_wrap=True)
