"""The command `proband`: which commands there are, and how errors reach the user.

Exit codes: 0 ok, 1 error, 2 usage, 3 refused.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from importlib import import_module

import click

from proband import __version__
from proband.errors import ProbandError

INTERRUPTED = 130
TRACE = "PROBAND_TRACE"
"""Set in the environment, an unexpected error shows its traceback."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, not when the group is.

    Args:
        name: the group's name.
        lazy: command name -> ("module:attribute", one line of help).
        help: the group's help text.
    """

    def __init__(self, name: str, lazy: Mapping[str, tuple[str, str]], help: str) -> None:
        super().__init__(name=name, help=help, no_args_is_help=True)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order in which they were given."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command, None for an unknown name."""
        if cmd_name not in self.lazy:
            return None
        module, _, attribute = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands from the table alone, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.lazy.items()])


trials = LazyGroup(
    "trials",
    {
        "import": (
            "proband.cli.trials_import:import_studies",
            "Import studies from files and folders, then index them.",
        ),
        "sync": (
            "proband.cli.trials_sync:sync",
            "Fetch new and changed studies from ClinicalTrials.gov.",
        ),
        "show": ("proband.cli.trials_show:show", "Show one study with its criteria."),
        "criteria": ("proband.cli.criteria:criteria", "Split eligibility text into criteria."),
    },
    help="Studies: import, fetch, show, split into criteria.",
)

cli = LazyGroup(
    "proband",
    {
        "demo": ("proband.cli.demo:demo", "Import the sample studies and run three searches."),
        "init": (
            "proband.cli.init:init",
            "Make the home folder, catalogue, index, and pull the model.",
        ),
        "search": (
            "proband.cli.search:search",
            "Find the passages that answer a question, each cited.",
        ),
        "evaluate": (
            "proband.cli.evaluate:evaluate",
            "Score search on judged collections, stage by stage.",
        ),
        "trials": ("proband.cli.main:trials", "Studies: import, sync, show, criteria."),
        "gate": ("proband.cli.gate:gate", "Calibrate when a search is refused for being weak."),
        "models": ("proband.cli.models:models", "List, pull and verify models."),
        "index": ("proband.cli.index:index", "Index what was stored but not yet indexed."),
        "doctor": (
            "proband.cli.doctor:doctor",
            "Check that everything fits together; changes nothing.",
        ),
        "reconcile": (
            "proband.cli.reconcile:reconcile",
            "Compare catalogue and index both ways, and repair.",
        ),
        "vacuum": ("proband.cli.vacuum:vacuum", "Remove what no kept generation can see."),
    },
    help="Find the clinical trials that a person could join, on this machine, "
    "each line cited to the published text.\n\n"
    "A research prototype: not clinical guidance, and no score is a probability.",
)
cli = click.version_option(__version__, prog_name="proband")(cli)


def leave(code: int = 0) -> None:
    """Ends the process without taking anything down, after its output is written.

    A command that has only read calls it last: closing an index drops what the system has cached of its files, which
    the next search would read again (0.35 s), and OpenVINO takes 0.25 s to go.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    """Runs the command line and exits; what proband raises becomes one sentence on stderr."""
    _prepare_streams()
    try:
        code = cli.main(standalone_mode=False, obj=leave)
    except click.exceptions.Abort:
        click.echo(
            "Interrupted; what was finished is kept, and the same command resumes.", err=True
        )
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ProbandError as error:
        click.echo(f"proband: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        click.echo(f"proband: {error.strerror or error}{where}.", err=True)
        sys.exit(1)
    except Exception as error:
        if any(_is_undecoded(argument) for argument in sys.argv):
            click.echo(
                "proband: An argument is not in the terminal's encoding; use UTF-8 (LC_ALL=C.UTF-8).",
                err=True,
            )
            sys.exit(2)
        # A message of an unexpected error may quote a record, so only its kind is shown.
        if os.environ.get(TRACE):
            raise
        click.echo(
            f"proband: unexpected {type(error).__name__}; nothing that was committed is lost. "
            f"Set {TRACE}=1 to see where, and report it.",
            err=True,
        )
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _prepare_streams() -> None:
    """What the terminal's encoding lacks is written as an escape; a closed stream takes nothing."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if not os.environ.get(TRACE):
        os.environ["RUST_BACKTRACE"] = "0"  # the index's engine prints one for a damaged file


def _is_undecoded(argument: str) -> bool:
    return any("\udc80" <= character <= "\udcff" for character in argument)
