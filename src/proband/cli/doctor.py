"""`proband doctor`: does everything fit together?"""

from __future__ import annotations

import sys

import click

from proband.cli.output import console, echo_json, json_option


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Check settings, model, catalogue, index and that they agree; changes nothing.

    Exit code 1 when something is wrong; each line says what to do.
    """
    from proband.cli.checks import examine

    checks = list(examine())
    if as_json:
        echo_json({"checks": [{"name": c.name, "ok": c.ok, "says": c.says} for c in checks]})
    else:
        out = console()
        for check in checks:
            mark = "[green]ok[/green]   " if check.ok else "[red]wrong[/red]"
            out.print(f"{mark} [bold]{check.name}[/bold]: ", end="")
            out.print(check.says, markup=False)
    sys.exit(0 if all(check.ok for check in checks) else 1)
