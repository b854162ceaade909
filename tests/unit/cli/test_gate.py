from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from proband.cli.gate import gate


@pytest.mark.parametrize("option", ["--risk", "--confidence"])
@pytest.mark.parametrize("value", ["nan", "0", "1", "2"])
def test_a_share_that_bounds_nothing_is_refused_before_any_work(
    tmp_path: Path, option: str, value: str
) -> None:
    ran = CliRunner().invoke(
        gate, ["calibrate", "--questions", str(tmp_path / "none.jsonl"), option, value]
    )
    assert ran.exit_code == 2
    assert option in ran.output
