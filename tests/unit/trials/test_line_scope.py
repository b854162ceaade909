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


@pytest.mark.parametrize(
    "text",
    [
        "not applicable to arm 2",
        "Does not apply to Cohort B",
        "Doesn't apply to Arm 2",
        "Stroke, except in Cohort A",
        "Biopsy is not required in Arm A and Arm B",
        "Biopsy, not for Arm 2 only",
        "Biopsy for Cohort A, not for Cohort B",
        "HbA1c below 7 (N/A for Cohort B)",
        "Measurable disease for patients not in Cohort A",
        "Gout in cohorts other than Cohort A",
        "Patients in Arm 2 are exempt from this",
        "Arm A, not Arm B only: biopsy",
        "(excluding PET cohort) biopsy",
    ],
)
def test_part_that_is_left_out_is_no_scope(text: str) -> None:
    assert of_text(text) == ()


@pytest.mark.parametrize(
    ("text", "arms"),
    [
        ("Must not be pregnant in Cohort B", ("Cohort B",)),
        ("Patients with stroke are not eligible for Cohort B", ("Cohort B",)),
        ("No cancer other than skin cancer (Cohort A)", ("Cohort A",)),
    ],
)
def test_negation_of_the_condition_leaves_its_scope(text: str, arms: tuple[str, ...]) -> None:
    assert of_text(text) == arms
