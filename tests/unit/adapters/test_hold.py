"""The lock that says who holds a folder."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proband.adapters import _hold
from proband.adapters._hold import Hold
from proband.errors import HomeError, IndexHeld

TAKES_AND_WAITS = """
import sys
from pathlib import Path
from proband.adapters._hold import Hold
hold = Hold.take(Path(sys.argv[1]), "proband trials import")
print("taken", flush=True)
sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that holds the folder until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", TAKES_AND_WAITS, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def test_another_process_is_named_with_its_command_number_and_time(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        since = json.loads((tmp_path / "holder.json").read_text())["since"]
        with pytest.raises(IndexHeld) as refused:
            Hold.take(tmp_path, "proband search")
        process.kill()
    assert str(refused.value) == (
        f"The index in {tmp_path} is held by `proband trials import`, process {process.pid}, "
        f"since {since[11:16]}; wait for it to end or stop it."
    )


def test_what_a_killed_process_left_means_nothing(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
    assert "trials import" in (tmp_path / "holder.json").read_text()
    Hold.take(tmp_path, "proband search").release()


def test_a_second_taker_in_the_same_process_is_refused_until_release(tmp_path: Path) -> None:
    first = Hold.take(tmp_path, "proband serve")
    with pytest.raises(IndexHeld, match=f"`proband serve`, process {os.getpid()}, since"):
        Hold.take(tmp_path, "proband search")
    first.release()
    first.release()
    Hold.take(tmp_path, "proband search").release()


def test_a_holder_of_yesterday_is_told_with_its_date(tmp_path: Path) -> None:
    held = Hold.take(tmp_path, "proband serve")
    (tmp_path / "holder.json").write_text(
        json.dumps({"command": "proband serve", "pid": 7, "since": "2020-02-03T14:02"})
    )
    with pytest.raises(IndexHeld, match="since 2020-02-03 14:02;"):
        Hold.take(tmp_path, "proband search")
    held.release()


@pytest.mark.parametrize("left", ["", "{", "[]", '{"command": "x"}', '"text"'])
def test_a_holder_that_is_just_writing_its_name_is_another_process(
    tmp_path: Path, left: str
) -> None:
    held = Hold.take(tmp_path, "proband serve")
    (tmp_path / "holder.json").write_text(left)
    with pytest.raises(IndexHeld, match="held by another process;"):
        Hold.take(tmp_path, "proband search")
    held.release()


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.EROFS, "cannot be written (Read-only file system); make its folder writable."),
        (errno.EACCES, "cannot be written (Permission denied); make its folder writable."),
        (errno.ENOSPC, "There is no space left"),
        (errno.EDQUOT, "There is no space left"),
    ],
)
def test_a_disk_that_takes_no_lock_file_is_an_error_of_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(os, "open", refuse)
        with pytest.raises(HomeError) as refused:
            Hold.take(tmp_path, "proband search")
    assert sentence in str(refused.value)


def test_a_disk_that_fills_while_the_name_is_written_leaves_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "pwrite", refuse)
        with pytest.raises(HomeError, match="no space left"):
            Hold.take(tmp_path, "proband search")
    Hold.take(tmp_path, "proband search").release()


def test_a_child_process_does_not_inherit_the_lock(tmp_path: Path) -> None:
    held = Hold.take(tmp_path, "proband serve")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        held.release()
        Hold.take(tmp_path, "proband search").release()
        child.kill()


def test_times_are_told_in_local_minutes() -> None:
    now = time.strftime("%Y-%m-%dT%H:%M")
    assert _hold._time(now) == now[11:]
