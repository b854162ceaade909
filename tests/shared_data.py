"""Where the development data lies: beside the checkout, or where PROBAND_TEST_SHARED says.

Absent data skips the test.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("PROBAND_TEST_SHARED") or Path(__file__).parents[2] / "shared")


def shared(path: str) -> Path:
    """The development file or folder at `path`; skips the calling test when it is not there."""
    found = FOLDER / path
    if not found.exists():
        pytest.skip(f"development data {path} is not beside this checkout")
    return found
