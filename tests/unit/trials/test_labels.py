from __future__ import annotations

import pytest

from proband.trials.headers import Side
from proband.trials.labels import (
    MAJOR,
    TOPIC,
    TURN,
    is_older_layout,
    is_topic,
    looks_like_heading,
    read_fixed,
    running_labels,
)


@pytest.mark.parametrize(
    ("text", "label", "level", "side"),
    [
        ("DISEASE CHARACTERISTICS:", "DISEASE CHARACTERISTICS", MAJOR, Side.INCLUSION),
        ("--Prior/Concurrent Therapy-- None", "Prior/Concurrent Therapy", MAJOR, Side.INCLUSION),
        ("Concurrent Medication: Allowed:", "Concurrent Medication", TOPIC, None),
        (
            "Excluded within 30 days of study entry:",
            "Excluded within 30 days of study entry",
            TURN,
            Side.EXCLUSION,
        ),
        ("Required:", "Required", TURN, Side.INCLUSION),
        ("Hepatic: Bilirubin normal", "Hepatic", TOPIC, None),
    ],
)
def test_label_of_an_older_layout_is_read_up_to_its_colon(
    text: str, label: str, level: int, side: Side | None
) -> None:
    found = read_fixed(text, older=True)
    assert found is not None
    assert (found.text, found.level, found.side) == (label, level, side)


def test_sub_labels_count_only_in_the_older_layout() -> None:
    assert read_fixed("Hepatic: Bilirubin normal", older=False) is None
    assert read_fixed("Prohibited medications:", older=False) is None


def test_running_labels_begin_with_a_capital() -> None:
    text = "Age: 18 and over Renal: Not specified, other: none"
    assert [text[at:][:5] for at in running_labels(text)] == ["Renal"]


def test_older_layout_is_known_by_its_headings() -> None:
    assert is_older_layout("\n        PATIENT CHARACTERISTICS:\n")
    assert is_older_layout("--Disease Characteristics-- Gout")
    assert not is_older_layout("Patients with characteristics of gout")


@pytest.mark.parametrize(
    "text", ["Hepatic", "Laboratory values", "Prior/Concomitant Therapy", "Obesity-related"]
)
def test_topic_is_made_of_topic_words(text: str) -> None:
    assert is_topic(text, listed=True)


def test_ailment_is_a_topic_as_a_heading_and_a_condition_in_a_list() -> None:
    assert is_topic("Renal disease", listed=False)
    assert not is_topic("Renal disease", listed=True)
    assert not is_topic("Decompensated liver disease", listed=False)
    assert not is_topic("Prior treatment with", listed=True)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Medical Conditions", True),
        ("Cardiac:", True),
        ("Regimen:", True),
        ("Sex and Contraceptive/Barrier Requirements", True),
        ("Age 18 or older", False),
        ("therapy", False),
        ("Pregnant or breastfeeding women", False),
        ("Must be well:", False),
        ("Cardiac.", False),
    ],
)
def test_heading_is_short_and_says_nothing(text: str, heading: bool) -> None:
    assert looks_like_heading(text) is heading
