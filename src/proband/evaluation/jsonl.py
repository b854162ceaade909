"""Files of one JSON object a line: judged collections, questions, topics. Every error names file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proband.errors import SourceUnavailable, UsageError


def lines(path: Path) -> list[str]:
    """The lines of a UTF-8 text, whether or not a byte order mark begins it. Raises SourceUnavailable."""
    try:
        return path.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SourceUnavailable(f"{path} is not UTF-8 text (byte {error.start:,}).") from error


def row(line: str, where: str, *names: str) -> dict[str, Any]:
    """The object of a line, which has at least these names. Raises UsageError that begins with `where`."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON.") from error
    if not isinstance(found, dict) or not all(name in found for name in names):
        wanted = " and ".join(f'"{name}"' for name in names)
        raise UsageError(f"{where}: needs an object{f' with {wanted}' if wanted else ''}.")
    return found
