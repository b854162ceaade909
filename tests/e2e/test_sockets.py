"""Nothing leaves the machine: once the model is there, no command opens a socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import proband, ready_home
from proband.sample import studies_folder

pytestmark = pytest.mark.model

FORBID = """
import os, sys
def _refuse(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        os.write(2, f"a socket was opened: {event}\\n".encode())
        raise SystemExit(1)
sys.addaudithook(_refuse)
"""
"""Child processes inherit the hook. It writes at once: a library that catches what it raises cannot hide."""


def test_forbidding_works() -> None:
    """Guards the tests below: the hook does stop a socket."""
    ran = proband(Path("unused"), prelude=FORBID + "import socket; socket.socket()")
    assert "a socket was opened: socket.__new__" in ran.err


def test_init_import_search_show_and_demo_open_no_socket(tmp_path: Path) -> None:
    home = ready_home(tmp_path / "home")
    for arguments in (
        ("init",),
        ("trials", "import", studies_folder()),
        ("search", "heart failure", "--near", "Leeds"),
        ("trials", "show", "NCT99000001"),
        ("doctor",),
        ("demo",),
    ):
        ran = proband(home, *arguments, prelude=FORBID)
        assert ran.code == 0, ran.err
        assert "socket" not in ran.err, arguments


def test_openvino_is_loaded_without_what_reports_home(tmp_path: Path) -> None:
    """Importing OpenVINO as it comes sends an event to an analytics service."""
    shown = (
        "from proband.adapters.openvino import OpenVinoEmbedder; import sys;"
        "print([n for n in ('openvino_telemetry', 'openvino.tools.ovc') if sys.modules.get(n)]);"
        "raise SystemExit"
    )
    assert proband(tmp_path, prelude=shown).out == "[]\n"


@pytest.mark.parametrize("arguments", [("trials", "sync"), ("models", "pull", "bge-m3")])
def test_offline_makes_even_asked_for_calls_an_error(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    home = ready_home(tmp_path / "home")
    ran = proband(home, *arguments, prelude=FORBID, PROBAND_OFFLINE="true")
    assert ran.code == 1
    assert "offline" in ran.err
    assert "socket" not in ran.err
