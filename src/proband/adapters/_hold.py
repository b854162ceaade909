"""An advisory lock on a folder that tells others who holds it."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from proband.adapters._disk import cannot_write
from proband.errors import IndexHeld

FILE_NAME = "holder.json"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a folder: the command without its arguments (a question is private), and since when."""

    command: str
    pid: int
    since: str


class Hold:
    """The lock while it is held. The kernel drops it with the process, so a left file means nothing."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, folder: Path, command: str) -> Hold:
        """The lock on this folder. Raises IndexHeld at once when it is taken, HomeError when it cannot be."""
        path = folder / FILE_NAME
        descriptor = _opened(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _write(
                descriptor, Holder(command, os.getpid(), datetime.now().isoformat("T", "minutes"))
            )
        except BlockingIOError as error:
            os.close(descriptor)
            raise IndexHeld(_refusal(folder)) from error
        except OSError as error:
            os.close(descriptor)
            raise cannot_write(path, error) from error
        return cls(descriptor)

    def release(self) -> None:
        """Gives the lock back; once is enough."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise cannot_write(path, error) from error


def _write(descriptor: int, holder: Holder) -> None:
    os.truncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(asdict(holder)).encode(), 0)


def _refusal(folder: Path) -> str:
    holder = _read(folder / FILE_NAME)
    who = "another process"
    if holder:
        who = f"`{holder.command}`, process {holder.pid}, since {_time(holder.since)}"
    return f"The index in {folder} is held by {who}; wait for it to end or stop it."


def _read(path: Path) -> Holder | None:
    """Who holds the lock, unless the file is just being written."""
    try:
        return Holder(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _time(since: str) -> str:
    moment = datetime.fromisoformat(since)
    today = moment.date() == datetime.now().date()
    return moment.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
