from __future__ import annotations

import re
import tomllib
from importlib import resources

import pytest

from proband.trials.headers import Side
from proband.trials.lexicon import alternatives, entries, lowered, whole

ROWS = [
    (file.name, name, row)
    for file in resources.files("proband.trials").joinpath("data").iterdir()
    if file.name.endswith(".toml")
    for name, rows in tomllib.loads(file.read_text(encoding="utf-8")).items()
    for row in rows
]


@pytest.mark.parametrize(("file", "name", "row"), ROWS, ids=lambda value: str(value)[:40])
def test_each_pattern_compiles_and_says_where_it_was_seen(
    file: str, name: str, row: dict[str, object]
) -> None:
    re.compile(str(row["pattern"]).replace("\n", ""))
    assert isinstance(row["seen"], int)
    assert row.get("language") or row.get("where")


def test_sides_are_the_sides_of_headers() -> None:
    assert {
        entry.side for name in ("side", "header", "verdict", "turn") for entry in entries(name)
    } == set(Side) - {Side.NONE}


def test_mixed_header_comes_before_the_side_that_it_holds() -> None:
    assert [entry.side for entry in entries("side")][:2] == [Side.MIXED, Side.EXCLUSION]


def test_class_matches_whole_words() -> None:
    assert whole("people").match("patients")
    assert not whole("people").match("patients with")
    assert "patients?" in alternatives("people")


def test_lower_case_keeps_offsets() -> None:
    assert lowered("İSTANBUL Ωmega") == "İstanbul ωmega"
