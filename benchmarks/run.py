"""`make bench`: every benchmark in turn, each with its own heading. What needs development data is skipped without it.

The home that is searched is `.proband/bench`; it is made and filled with the 17,877 studies when it is empty.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("PROBAND_TEST_SHARED") or ROOT.parent / "shared") / "data"
STUDIES = SHARED / "trials" / "studies.jsonl.gz"
HOME = ROOT / ".proband" / "bench"


def main() -> int:
    """The number of benchmarks that failed."""
    if not STUDIES.exists():
        print(f"No development data at {SHARED}: only the benchmarks of the sample run.")
        return run("speed/embedding.py") + run("speed/peers.py")
    failed = _import()
    failed += run("speed/embedding.py", str(STUDIES))
    failed += run("speed/search.py")
    failed += run("speed/peers.py", str(STUDIES))
    failed += run("quality/criteria.py", str(STUDIES))
    judged = (str(SHARED / "bench" / name) for name in ("trec-ct-2021", "scifact", "medlars"))
    return failed + run("quality/baseline.py", *judged)


def _import() -> int:
    """Fills the home: the time and memory of the first import, then of the same import again."""
    first = not (HOME / "catalogue.sqlite").exists()
    failed = _proband("init")
    for name in ("import from nothing", "import again") if first else ("import again",):
        print(f"\n## {name}\n", flush=True)
        started = time.perf_counter()
        failed += _proband("trials", "import", str(STUDIES))
        print(f"{time.perf_counter() - started:.1f} s", flush=True)
    return failed


def _proband(*arguments: str) -> int:
    return _call([sys.executable, "-m", "proband", *arguments])


def run(script: str, *arguments: str) -> int:
    """Runs one benchmark; 1 when it failed."""
    print(f"\n## {script}\n", flush=True)
    return _call([sys.executable, str(ROOT / "benchmarks" / script), *arguments])


def _call(command: list[str]) -> int:
    environment = {**os.environ, "PROBAND_HOME": str(HOME)}
    return int(subprocess.run(command, env=environment, check=False).returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
