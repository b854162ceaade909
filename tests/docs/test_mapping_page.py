"""docs/mapping.md: its example can be read, and no key is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proband.records.mapping import Comparison, Test
from proband.records.mapping_file import PATIENT_KEYS, SOURCE_KEYS, TABLE_KEYS, read_mapping
from proband.text.codes import CodeSystem

PAGE = (Path(__file__).parents[2] / "docs" / "mapping.md").read_text(encoding="utf-8")


def test_worked_example_can_be_read() -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert example
    mapping = read_mapping(example[1])
    assert [table.name for table in mapping.tables] == [
        *("patients", "diagnoses", "lab_results", "vitals", "departments"),
    ]
    assert mapping.table("diagnoses").leave_out_when == (
        Test("status", Comparison.EQUAL, "entered_in_error"),
    )
    assert mapping.table("lab_results").codes == {"loinc": CodeSystem.LOINC}


@pytest.mark.parametrize("key", sorted({*SOURCE_KEYS, *PATIENT_KEYS, *TABLE_KEYS} - {"merged"}))
def test_every_key_is_described(key: str) -> None:
    assert re.search(rf"^\| (?:`\w+`, )*`{key}`", PAGE, re.MULTILINE)
