from __future__ import annotations

import platform
import subprocess
import sys

import pytest

ALLOCATE = """
import re, threading
from proband.adapters.allocator import bound_arenas
if {bounded}:
    assert bound_arenas()
hold = threading.Barrier(9)
def allocate():
    blocks = [bytearray(2000) for _ in range(2000)]
    hold.wait()
    hold.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads: thread.start()
hold.wait()
import ctypes
print(len(re.findall(r"^[0-9a-f]+000000-", open("/proc/self/maps").read(), re.M)))
hold.wait()
for thread in threads: thread.join()
"""


def arenas(*, bounded: bool) -> int:
    """How many areas of the process begin where glibc puts arenas, while eight threads hold memory."""
    code = ALLOCATE.format(bounded=bounded)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(run.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")
def test_threads_share_two_arenas() -> None:
    assert arenas(bounded=True) < arenas(bounded=False)
