from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from proband.cli.main import cli, main
from proband.errors import CatalogueError, UnknownModel


def test_help_lists_every_command_without_importing_one() -> None:
    shown = CliRunner().invoke(cli, ["--help"]).output
    for name in ("demo", "init", "search", "trials", "models", "doctor", "reconcile", "vacuum"):
        assert f"\n  {name} " in shown


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from proband.cli.main import cli;"
        "CliRunner().invoke(cli, ['--help']); print(sorted(set(sys.modules) & "
        "{'openvino', 'sqlalchemy', 'qdrant_edge', 'httpx', 'rich', 'numpy', 'pydantic'}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_unknown_command_is_a_usage_error() -> None:
    assert CliRunner().invoke(cli, ["trails"]).exit_code == 2


@pytest.mark.parametrize(
    ("error", "code"), [(CatalogueError("There is none."), 1), (UnknownModel("No model."), 2)]
)
def test_error_is_one_sentence_on_stderr_with_its_exit_code(
    error: Exception,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(**_: object) -> None:
        raise error

    monkeypatch.setattr(cli, "main", failing)
    with pytest.raises(SystemExit) as exited:
        main()
    assert exited.value.code == code
    assert capsys.readouterr().err == f"proband: {error}\n"


def test_interrupt_says_that_the_work_resumes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from click.exceptions import Abort

    def interrupted(**_: object) -> None:
        raise Abort

    monkeypatch.setattr(cli, "main", interrupted)
    with pytest.raises(SystemExit) as exited:
        main()
    assert exited.value.code == 130
    assert "resumes" in capsys.readouterr().err
