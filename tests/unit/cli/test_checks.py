"""What `proband doctor` says of a model that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.cli.checks import Check, examine


def model_check(home: Path, monkeypatch: pytest.MonkeyPatch, offline: str) -> Check:
    monkeypatch.setenv("PROBAND_HOME", str(home))
    monkeypatch.setenv("PROBAND_OFFLINE", offline)
    (check,) = [check for check in examine() if check.name == "model"]
    return check


def test_missing_model_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = model_check(tmp_path, monkeypatch, "false")
    assert not check.ok
    assert "model.safetensors missing" in check.says
    assert "`proband models pull all-minilm-l6-v2`" in check.says


def test_while_offline_only_a_folder_can_bring_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = model_check(tmp_path, monkeypatch, "true")
    assert "`proband models pull all-minilm-l6-v2 --from DIRECTORY`" in check.says
