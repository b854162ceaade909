"""The peers bench on a few studies of the sample: that every comparison runs, not what it measures."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from commands import ready_home

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "speed" / "peers.py"
NEEDED = ("bm25s", "fastembed", "llama_index", "onnx", "onnxruntime")
ABSENT = [name for name in NEEDED if find_spec(name) is None]

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(bool(ABSENT), reason=f"the extra `bench` is not installed: {ABSENT}"),
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    home = ready_home(tmp_path_factory.mktemp("peers"))
    command = [sys.executable, str(SCRIPT), "--studies", "12", "--texts", "20", "--repeats", "1"]
    environment = {**os.environ, "PROBAND_HOME": str(home)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_every_comparison_gives_figures_of_both_and_their_ratio(printed: str) -> None:
    rows = [line for line in printed.splitlines() if line.startswith("| ")][1:]
    for peer in ("fastembed", "bm25s", "LlamaIndex", "ONNX Runtime"):
        assert any(f"against {peer}" in row for row in rows), peer
    for row in rows:
        assert re.fullmatch(r"\| [^|]+ \| [\d,.]+ [^|]+ \| [\d,.]+ [^|]+ \| [\d.]+ \|", row), row


def test_the_vectors_of_both_embedders_agree(printed: str) -> None:
    (cosine,) = re.findall(r"least cosine of the two vectors of a text (\d\.\d+)", printed)
    assert float(cosine) > 0.999


def test_processor_versions_and_sizes_are_said_with_the_figures(printed: str) -> None:
    assert re.search(r"\d+ threads, load [\d.]+ at the start; fastembed \d", printed)
    assert "12 studies" in printed
