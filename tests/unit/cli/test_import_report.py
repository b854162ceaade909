"""An import that read no study is an error; one that read some is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from proband.cli.import_report import require_studies
from proband.engine import Imported
from proband.errors import SourceUnavailable
from proband.ingest.pipeline import Indexed
from proband.trials.fetched import Rejected

EMPTY = Imported(1, 0, 0, 0, 0, 0, (), Indexed(), resumed=False)
BAD = Rejected("a.json", "is cut off")


def test_nothing_in_it_names_the_path() -> None:
    with pytest.raises(SourceUnavailable, match=r"No study was read from some/a\.json \(none"):
        require_studies(EMPTY, [Path("some/a.json")])


def test_rejects_alone_are_counted() -> None:
    with pytest.raises(SourceUnavailable, match="2 not readable"):
        require_studies(replace(EMPTY, rejected=(BAD, BAD)), [Path("a.json")])


@pytest.mark.parametrize("read", [{"new": 1}, {"changed": 1}, {"unchanged": 1}, {"resumed": True}])
def test_rejects_beside_a_study_are_no_error(read: dict[str, int]) -> None:
    require_studies(replace(EMPTY, rejected=(BAD,), **read), [Path("a.json")])
