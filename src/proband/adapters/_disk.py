"""What the disk under an index allows, asked before Edge finds out: on a full one its mapped files kill the process."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from proband.errors import HomeError

MEGABYTE = 1_000_000


def require_space(folder: Path, megabytes: int) -> None:
    """Raises HomeError when less is free. What others write a moment later is not foreseen."""
    free = shutil.disk_usage(folder).free // MEGABYTE
    if free < megabytes:
        raise HomeError(
            f"Only {free} MB are left on the disk of {folder}, and the index needs {megabytes} MB "
            "to work in; free some and try again."
        )


def cannot_write(path: Path, error: OSError) -> HomeError:
    """The error for a folder that is read-only or full."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return HomeError(f"There is no space left for {path}; free some and try again.")
    return HomeError(f"{path} cannot be written ({error.strerror}); make its folder writable.")
