from __future__ import annotations

import pytest

from proband.trials.line_scope import of_text


@pytest.mark.parametrize(
    ("text", "arms"),
    [
        ("Cohort 2 only：T790M positive", ("Cohort 2",)),
        ("[Expansion Part] Patients with melanoma", ("Expansion Part",)),
        ("(Cohort 2) HPV positive", ("Cohort 2",)),
        ("Group A - Age 18 to 40", ("Group A",)),
        ("For participants in Arm 2, prednisone", ("Arm 2",)),
        ("Patients in Part B must have PD-L1", ("Part B",)),
        ("XYZ (Arm A) dose finding only: biopsy", ("Arm A", "dose finding")),
        ("Measurable disease (Phase 2 only)", ("Phase 2",)),
        ("Retinal disease (Cohorts 1-3).", ("Cohort 1", "Cohort 2", "Cohort 3")),
        ("Prior PD-1 is inadmissible to Cohort 2 and Cohort 4.", ("Cohort 2", "Cohort 4")),
        ("Biopsy is required for patients enrolled in Arm 2", ("Arm 2",)),
        ("Normal ECG, for healthy participants only.", ("healthy participants",)),
        ("Age 12 to 17 years for Cohort 3 only", ("Cohort 3",)),
        ("Caregivers: lives with the patient", ("Caregivers",)),
    ],
)
def test_prefix_or_end_names_the_arms(text: str, arms: tuple[str, ...]) -> None:
    assert of_text(text) == arms


@pytest.mark.parametrize(
    "text",
    [
        "Prior enrollment in Cohort 1",
        "Treated in Part 1",
        "Blood group B",
        "HbA1c: 7 to 9%",
        "Age 18 - 65 years",
        "Phase 3 trial of aspirin",
        "Patients with asthma: none",
        "Tumor board of the study group",
        "Child-Pugh A (adults)",
        "Steroids for asthma only",
    ],
)
def test_what_is_only_mentioned_is_no_scope(text: str) -> None:
    assert of_text(text) == ()


def test_prefix_wins_over_what_the_line_mentions() -> None:
    assert of_text("Cohort 3: meets the criteria for Cohort 1") == ("Cohort 3",)
