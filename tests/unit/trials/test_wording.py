from __future__ import annotations

import pytest

from proband.trials import wording
from proband.trials.headers import Side


@pytest.mark.parametrize(
    "text",
    [
        "None",
        "N/A.",
        "Nil",
        "Not specified",
        "See Disease Characteristics",
        "No exclusion criteria",
        "There are no exclusion criteria.",
        "-",
        "<!-- -->",
        "Néant",
        "无",
    ],
)
def test_filler_asks_nothing(text: str) -> None:
    assert wording.is_filler(text)


@pytest.mark.parametrize(
    "text", ["No prior therapy", "None of the following", "See a dentist before entry", "Nilotinib"]
)
def test_line_that_asks_is_no_filler(text: str) -> None:
    assert not wording.is_filler(text)


@pytest.mark.parametrize(
    "text",
    [
        "NOTE: the taper starts",
        "Note - soap is enough",
        "N.B. Repeat once",
        "AMENDED: 04/11/91 The target was raised",
        "AS PER AMENDMENT 7/5/00:",
        "Amended 12/01/92: steroids allowed",
        "CrCl = (140 - age) x weight / 72",
        "BMI = weight (kg) / height (m)^2",
    ],
)
def test_comments_amendments_and_formulas_are_notes(text: str) -> None:
    assert wording.is_note(text)


@pytest.mark.parametrize(
    "text",
    [
        "Notable weight loss",
        "WBC = 4 - 10 x 10^9/L",
        "Creatinine = 1.5 x upper limit of normal",
        "ANC = 1.5 to 10 x 10^9/L",
        "Amended surgery within 3 months",
    ],
)
def test_requirement_is_no_note(text: str) -> None:
    assert not wording.is_note(text)


@pytest.mark.parametrize(
    "text",
    [
        "Other protocol-defined inclusion/exclusion criteria may apply.",
        "Please contact site for information.",
        "Additional criteria exist",
        "Further exclusion criteria apply",
        "No eligibility criteria",
        "For a complete list of criteria, please refer to the protocol",
        "Weitere Kriterien laut Protokoll",
    ],
)
def test_text_says_that_criteria_stand_elsewhere(text: str) -> None:
    assert wording.is_incomplete(text)


@pytest.mark.parametrize(
    "text",
    [
        "Contact lens wear within 30 minutes of the study medication",
        "Other malignancy within 5 years",
        "Additional malignancies or other conditions listed in the exclusion part",
        "See the eye doctor before study entry",
    ],
)
def test_criterion_does_not_announce_others(text: str) -> None:
    assert not wording.is_incomplete(text)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Must be 18 or older", Side.INCLUSION),
        ("No prior chemotherapy", Side.INCLUSION),
        ("Prior radiotherapy is allowed", Side.INCLUSION),
        ("Patients with asthma are excluded", Side.EXCLUSION),
        ("Not eligible if pregnant", Side.EXCLUSION),
        ("Patients on insulin are not excluded", Side.INCLUSION),
        (
            "Adults in hospital with confirmed pneumonia who need oxygen to keep a saturation of 92%. "
            "Patients who need immediate intubation cannot take part.",
            None,
        ),
        (
            "Patients with active tuberculosis or another infection that needs treatment are excluded. "
            "A healed infection must be documented.",
            Side.EXCLUSION,
        ),
        ("Adults with psoriasis. Smokers are excluded.", None),
        ("Patients must be 18 or older. No gout. Patients with stroke are not eligible.", None),
        ("Smokers are excluded. Pipes must be named.", Side.EXCLUSION),
        ("Selective IgA deficiency", None),
    ],
)
def test_line_says_its_own_side(text: str, side: Side | None) -> None:
    assert wording.side_of(text) is side


@pytest.mark.parametrize(
    ("text", "alone"), [("OR", True), ("and/or", True), ("ou", True), ("or more", False)]
)
def test_connective_stands_alone(text: str, alone: bool) -> None:
    assert wording.is_connective(text) is alone


def test_footnote_mark_is_read_from_words() -> None:
    assert wording.footnote_marks(["hepatitis* or", "dose†.", "2 * 3", "IgE*1"]) == {"*", "†", "*1"}
