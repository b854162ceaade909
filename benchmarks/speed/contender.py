"""A contender of the peers bench: a process of its own that does what it is told step by step, and says what it took.

The parent asks contenders in turn, so that they share whatever else the machine does, and each has its own peak memory.
A step's reply is one line of JSON on the child's output; whatever its libraries print goes to the error stream.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Steps = Mapping[str, Callable[[], Any]]
"""What a contender can do, by name; what a step returns goes to the parent as JSON."""

READY = "ready"
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "LLAMA_INDEX_DISABLE_TELEMETRY": "1",
    "PROBAND_OFFLINE": "true",
    "TOKENIZERS_PARALLELISM": "true",
}


class ContenderFailed(Exception):
    """What went wrong, in one sentence."""


@dataclass(frozen=True, slots=True)
class Took:
    """One step: its seconds in the child, the child's peak memory so far in MB, and what it returned."""

    seconds: float
    peak_mb: int
    value: Any


class Contender:
    """The parent's end. `cold_s` is from the start of the process to its first reply."""

    def __init__(self, name: str, folder: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("peers.py")), "--as", name, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **OFFLINE, **environment},
        )
        self.opened = self._read()
        self.cold_s = time.perf_counter() - started

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def do(self, step: str) -> Took:
        """Runs one step. Raises ContenderFailed."""
        assert self._process.stdin
        self._process.stdin.write(step + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> Took:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise ContenderFailed(f"{self.name} ended without a reply.")
        reply = json.loads(line)
        if "error" in reply:
            raise ContenderFailed(f"{self.name} failed: {reply['error']}.")
        return Took(**reply)


def serve(make: Callable[[], Steps]) -> None:
    """The child's end: makes the contender, then runs the steps that the parent names until it hangs up."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    steps = dict(_reply(out, make) or {})
    for line in sys.stdin:
        _reply(out, steps[line.strip()])
    out.close()
    os._exit(0)  # what libraries keep running in the background is nobody's business


def _reply(out: Any, call: Callable[[], Any]) -> Any:
    """Sends what the call took and returns what it returned; steps are not sent."""
    started = time.perf_counter()
    try:
        value = call()
        reply = {
            "seconds": time.perf_counter() - started,
            "peak_mb": peak_mb(),
            "value": READY if isinstance(value, Mapping) and callable(_first(value)) else value,
        }
    except Exception as error:  # one contender's failure is a sentence, not the end of the bench
        value = None
        reply = {"error": f"{type(error).__name__}, {str(error).splitlines()[:1]}"}
    print(json.dumps(reply), file=out, flush=True)
    return value


def peak_mb() -> int:
    """Peak resident memory of this process, mapped files included.

    Not `ru_maxrss` where the kernel says better: a child inherits that of the process that started it.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    for line in lines:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _first(values: Mapping[str, Any]) -> Any:
    return next(iter(values.values()), None)
