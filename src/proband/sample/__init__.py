"""The sample: fictional studies in API v2 shape, one a file, that `proband demo` imports.

README.md beside this file says how to tell that they are fictional; `docs/sample.md` says what they show.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

VERSION = 1
"""Raised whenever a study or its text changes, so that figures measured on the sample say which one they mean."""


def studies_folder() -> Path:
    """The folder of the sample's studies, `NCT99000001.json` and so on; `proband trials import` reads it as it is."""
    return _here() / "studies"


def demo_file() -> Path:
    """The searches that the demo ends with, in TOML."""
    return _here() / "demo.toml"


def questions_file() -> Path:
    """The judged questions over the sample, in the package or, in a checkout, among the benchmarks."""
    packaged = _here() / "questions.jsonl"
    checkout = _here().parents[2] / "benchmarks" / "quality" / "sample" / "questions.jsonl"
    return packaged if packaged.exists() else checkout


def gate_file() -> Path:
    """The calibration of the gate on the sample with the default model, as `proband gate calibrate` wrote it."""
    return _here() / "gate.json"


def _here() -> Path:
    return Path(str(resources.files(__name__)))
