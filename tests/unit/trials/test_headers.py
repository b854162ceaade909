from __future__ import annotations

import pytest

from proband.trials.headers import Side, find_header, opens_list, read_header


@pytest.mark.parametrize(
    ("text", "side", "arms"),
    [
        ("Inclusion Criteria:", Side.INCLUSION, ()),
        ("EXCLUSION CRITERIA", Side.EXCLUSION, ()),
        ("Non-inclusion criteria :", Side.EXCLUSION, ()),
        ("Ineligibility:", Side.EXCLUSION, ()),
        ("Eligibility Criteria:", Side.ELIGIBILITY, ()),
        ("Inclusion/Exclusion Criteria", Side.MIXED, ()),
        ("Critères de non-inclusion :", Side.EXCLUSION, ()),
        ("Einschlusskriterien", Side.INCLUSION, ()),
        ("Criterios de exclusión:", Side.EXCLUSION, ()),
        ("Criteri di esclusione:", Side.EXCLUSION, ()),
        ("Critérios de inclusão", Side.INCLUSION, ()),
        ("排除标准：", Side.EXCLUSION, ()),
        ("Inclusion Criteria for Cohort A (dose escalation):", Side.INCLUSION, ("Cohort A",)),
        ("Exclusion Criteria (Part 1 and Part 2):", Side.EXCLUSION, ("Part 1", "Part 2")),
        ("Donor Inclusion Criteria", Side.INCLUSION, ("Donor",)),
        ("Inclusion Criteria - Control Group:", Side.INCLUSION, ("Control Group",)),
        (
            "Additional inclusion criteria for the PET sub-study:",
            Side.INCLUSION,
            ("PET sub-study",),
        ),
        ("Exclusion Criteria (all cohorts):", Side.EXCLUSION, ()),
        ("Inclusion criteria for this study:", Side.INCLUSION, ()),
        ("Exclusion Criteria Related to Medications:", Side.EXCLUSION, ()),
        ("Inclusioin Criteria:", Side.INCLUSION, ()),
        ("Reasons for exclusion:", Side.EXCLUSION, ()),
    ],
)
def test_phrase_opens_its_list(text: str, side: Side, arms: tuple[str, ...]) -> None:
    header = read_header(text)
    assert header is not None
    assert (header.side, header.arms, header.length) == (side, arms, len(text))


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("You may be eligible for this study if you:", Side.INCLUSION),
        ("Your baby will not be eligible for this study if he/she:", Side.EXCLUSION),
        ("You cannot take part if you:", Side.EXCLUSION),
        ("Patients must have:", Side.INCLUSION),
        ("Patients may not have:", Side.EXCLUSION),
        ("Patients with the following prior conditions are excluded:", Side.EXCLUSION),
        ("Patients are not eligible if:", Side.EXCLUSION),
        (
            "Participants will be included if they meet all of the following criteria:",
            Side.INCLUSION,
        ),
        ("Patients will be enrolled if none of the following apply:", Side.EXCLUSION),
    ],
)
def test_sentence_that_only_gives_a_verdict_opens_its_list(text: str, side: Side) -> None:
    header = read_header(text)
    assert header is not None
    assert header.sentence
    assert header.side is side


@pytest.mark.parametrize(
    "text",
    [
        "Meets none of the exclusion criteria listed below",
        "Patients who fulfil the inclusion criteria of the parent study",
        "Exclusion of pregnancy by ultrasound",
        "Admission for hip fracture",
        "One of the following:",
        "Patients must meet one of the following:",
        "A female is eligible if she is of:",
        "Patients with diabetes are excluded if:",
        "Inclusion of Women and Minorities:",
        "Weeks preceding inclusion;",
    ],
)
def test_line_that_says_more_is_no_header(text: str) -> None:
    assert not opens_list(text)


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("INCLUSION CRITERIA:", True),
        ("Exclusion Criteria for MRI (pacemaker, clips) are present", False),
        ("Patient must:", False),
        ("Exclusion Criteria", True),
        ("Other exclusion criteria", True),
        ("Exclusion Criteria (abbreviated)", True),
        ("Inclusion criteria of the parent study are met", False),
        ("None of the exclusion criteria", False),
        ("Previous inclusion in the study", False),
        ("Patients are excluded if any of the following apply:", True),
    ],
)
def test_item_opens_a_list_only_when_it_is_a_header_and_nothing_else(
    text: str, opens: bool
) -> None:
    assert (read_header(text, listed=True) is not None) is opens


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ("Key Inclusion Criteria:", True),
        ("主要入选标准：", True),
        ("Exclusion Criteria (abbreviated):", True),
        ("Inclusion Criteria:", False),
    ],
)
def test_key_header_says_that_the_list_is_partial(text: str, partial: bool) -> None:
    header = read_header(text)
    assert header is not None
    assert header.partial is partial


def test_header_ends_at_its_colon() -> None:
    text = "Inclusion Criteria: Age 18"
    header = read_header(text)
    assert header is not None
    assert text[header.length :] == "Age 18"


def test_header_inside_a_line_is_found_by_its_capital_and_colon() -> None:
    text = "Age >= 18 Exclusion Criteria: Pregnancy"
    assert text[find_header(text) :] == "Exclusion Criteria: Pregnancy"
    assert find_header("年龄≥18岁。排除标准：妊娠") == 7
    assert find_header("符合排除标准：妊娠") == 0
    assert find_header("Meets the Exclusion Criteria: all") == 0
    assert find_header("Fits the exclusion criteria: all") == 0


@pytest.mark.parametrize(("text", "weak"), [("Other exclusions", True), ("Exclusions:", False)])
def test_bare_plural_with_a_word_before_it_is_weak(text: str, weak: bool) -> None:
    header = read_header(text)
    assert header is not None
    assert header.weak is weak
