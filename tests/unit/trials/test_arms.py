from __future__ import annotations

import pytest

from proband.trials.arms import ArmNames

NAMES = ArmNames(
    ("Cohort A: low dose", "Experimental: Cohort B", "C: HRO761 + irinotecan", "Control")
)


@pytest.mark.parametrize(
    ("arm", "label"),
    [
        ("Cohort A", "Cohort A: low dose"),
        ("cohort b", "Experimental: Cohort B"),
        ("Arm C", "C: HRO761 + irinotecan"),
        ("control", "Control"),
        ("Cohort AB", "Cohort AB"),
        ("Part 1", "Part 1"),
    ],
)
def test_name_links_to_the_one_label_that_begins_with_it(arm: str, label: str) -> None:
    assert NAMES.linked(arm) == label


def test_name_that_fits_two_labels_stays_as_it_is() -> None:
    assert ArmNames(("Part 1: fed", "Part 1: fasted")).linked("Part 1") == "Part 1"


def test_line_is_a_label_only_when_it_has_two_words() -> None:
    assert NAMES.named("COHORT A: low dose:") == "Cohort A: low dose"
    assert NAMES.named("Control") is None
    assert NAMES.named("Cohort A") is None
