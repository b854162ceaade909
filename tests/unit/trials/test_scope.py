from __future__ import annotations

import pytest

from proband.trials.scope import EVERYBODY, names, of_front, of_header, of_item, of_line, stages


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Cohort A", ("Cohort A",)),
        ("Cohorts 2-4", ("Cohort 2", "Cohort 3", "Cohort 4")),
        ("Arms A to C", ("Arm A", "Arm B", "Arm C")),
        ("Arm A and C", ("Arm A", "Arm C")),
        ("Cohorts 1, 2 and 4", ("Cohort 1", "Cohort 2", "Cohort 4")),
        ("Phase 1b/2", ("Phase 1b/2",)),
        ("Part 1 or Part 3", ("Part 1", "Part 3")),
        ("PHASE 1B AND PHASE 2", ("PHASE 1B", "PHASE 2")),
        ("Strata 1 and 2", ("Stratum 1", "Stratum 2")),
        ("part of a study, group at risk", ()),
        ("Arm circumference", ()),
    ],
)
def test_numbered_parts_are_named_one_by_one(text: str, found: tuple[str, ...]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Cohort A:", ("Cohort A",)),
        ("Cohort A (closed to enrollment):", ("Cohort A",)),
        ("For participants in Arm 2 only:", ("Arm 2",)),
        ("[Expansion Part]", ("Expansion Part",)),
        ("Cohort B: melanoma", ("Cohort B",)),
        ("Healthy Subjects (Cohort 2)", ("Cohort 2",)),
        ("Registration:", ("Registration",)),
        ("Dose expansion only:", ("Dose expansion",)),
        ("Household Contacts", ("Household Contacts",)),
        ("Patients with asthma:", ("Patients with asthma",)),
        ("PET sub-study:", ("PET sub-study",)),
        ("Stage 2:", ("Stage 2",)),
        ("All cohorts:", EVERYBODY),
        ("All 3 parts of Study:", EVERYBODY),
        ("Patients with:", None),
        ("Patients aged 18 or over:", None),
        ("For Phase 2, patients must have", None),
        ("Hepatic:", None),
        ("Target Population:", None),
        ("No patients", None),
    ],
)
def test_line_of_its_own_names_a_scope(text: str, found: tuple[str, ...] | None) -> None:
    assert of_line(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Part 2 (patients with asthma):", ("Part 2",)),
        ("Male participants:", ("Male participants",)),
        ("AZT patients only:", ("AZT patients",)),
        ("Patients with cirrhosis:", None),
        ("Pregnant women:", None),
        ("Chronic phase", None),
        ("Females of childbearing potential must:", None),
    ],
)
def test_in_a_list_only_a_plain_role_is_a_scope(text: str, found: tuple[str, ...] | None) -> None:
    assert of_item(text) == found


@pytest.mark.parametrize(
    ("text", "loose", "found"),
    [
        ("for Cohort A (dose escalation)", True, ("Cohort A",)),
        ("for all participants", True, ()),
        ("for this study", True, ()),
        ("for patients with T2D", True, ("patients with T2D",)),
        ("for MRI", True, ("MRI",)),
        ("for MRI", False, None),
        ("of the registry", True, None),
        ("that were met", True, None),
    ],
)
def test_header_takes_its_scope_from_the_words_beside_the_side(
    text: str, loose: bool, found: tuple[str, ...] | None
) -> None:
    assert of_header(text, loose) == found


def test_words_before_the_side_are_a_scope_without_description() -> None:
    assert of_front("Psoriatic Patient") == ("Psoriatic Patient",)
    assert of_front("Patients with a diagnosis of lymphoma") == ()


def test_stages_are_named_without_only() -> None:
    assert stages("ABC123 dose finding and safety run-in only") == ("dose finding", "safety run-in")
