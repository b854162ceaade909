"""Runs `proband` as a process of its own, as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model_files import default_model


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.out)


def proband(home: Path, *arguments: str | Path, prelude: str = "", **environment: str) -> Ran:
    """Runs a command in this home; `prelude` is Python that runs before it in its process."""
    code = f"{prelude}\nfrom proband.cli.main import main\nmain()"
    clean = {name: text for name, text in os.environ.items() if not name.startswith("PROBAND_")}
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**clean, "PROBAND_HOME": str(home), **environment},
        check=False,
    )
    return Ran(run.returncode, run.stdout, run.stderr)


def ready_home(folder: Path) -> Path:
    """A home that `proband init` has made, with the default model; skips the test where it cannot be had."""
    _, model = default_model()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models").symlink_to(model.parent, target_is_directory=True)
    ran = proband(folder, "init")
    assert ran.code == 0, ran.err
    return folder
