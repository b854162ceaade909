"""Whole eligibility blocks against what a reader wrote down: `criteria/WHY.md`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proband.trials.criteria import split_criteria

FOLDER = Path(__file__).with_name("criteria")
BLOCKS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.stem)
def test_block_reads_as_written_down(block: Path) -> None:
    published = block.read_bytes().decode("utf-8")
    expected = json.loads(block.with_suffix(".expected.json").read_text(encoding="utf-8"))
    split = split_criteria(published)
    assert [
        {
            "kind": one.kind.value,
            "text": one.text,
            "span": [one.span.start, one.span.end],
            "parents": list(one.parents),
            "labels": list(one.labels),
            "arms": list(one.arms),
        }
        for one in split.criteria
    ] == expected["criteria"]
    assert split.incomplete is expected["incomplete"]
    assert split.account.unaccounted == 0


def test_each_block_says_why_it_is_here() -> None:
    why = (FOLDER / "WHY.md").read_text(encoding="utf-8")
    assert [block.stem for block in BLOCKS if f"| {block.stem} |" not in why] == []
    assert len(BLOCKS) == 30
