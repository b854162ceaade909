"""What a sync says before it asks."""

from __future__ import annotations

from typing import Never

import pytest
from click.testing import CliRunner

from proband import wiring
from proband.cli.trials_sync import WHOLE_REGISTRY, sync
from proband.errors import CollectionMissing


@pytest.mark.parametrize(
    ("arguments", "warned"),
    [((), True), (("--condition", "asthma"), False), (("--query", "NCT99000001"), False)],
)
def test_only_a_sync_of_the_whole_registry_is_announced(
    arguments: tuple[str, ...], warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(command: str) -> Never:
        raise CollectionMissing("There is no index.")

    monkeypatch.setattr(wiring, "open_engine", refused)
    ran = CliRunner().invoke(sync, arguments)
    assert isinstance(ran.exception, CollectionMissing)
    assert (WHOLE_REGISTRY in ran.stderr) is warned
