from __future__ import annotations

import pytest

from proband.trials.lead import names_measurement, says_nothing


@pytest.mark.parametrize(
    "text",
    [
        "One of the following:",
        "At least two of the following risk factors:",
        "Diagnosis of one of the following:",
        "Positive urine test for:",
        "Adequate organ function, defined as:",
        "Adequate organ function within 14 days, defined as follows:",
        "Prior treatment must be one of the following:",
        "Inadequate response to at least one of the following:",
        "Treated with any of the following:",
        "Patients who have:",
        "Any of the following within 6 months:",
        "Diagnosis confirmed by one of the following:",
        "Organ function that meets the following:",
        "Au moins un des éléments suivants dans l'année :",
        "One of the following",
    ],
)
def test_line_without_its_children_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "Recent surgery, with one of these signs of poor healing:",
        "Progressive disease, shown by one of the following:",
        "Peripheral artery disease, shown by:",
        "Decompensated liver disease:",
        "Acute heart failure with both signs below:",
        "Stable dose of metformin for 90 days, with or without one of the following:",
        "No malignancy in the past 5 years, except:",
        "Heart disease, including:",
        "Must have a negative test, by fulfilling one of the following criteria:",
        "Adequate renal function, creatinine below 1.5 mg/dL:",
        "Age 16 and over:",
        "Tumor that meets both criteria below",
    ],
)
def test_condition_stands_by_itself(text: str) -> None:
    assert not says_nothing(text)


@pytest.mark.parametrize(
    ("text", "below", "measured"),
    [
        ("Platelet count", [">= 100 x 10^9/L"], True),
        ("Hemoglobin:", ["At least 10 g/dL"], True),
        ("Left ventricular ejection fraction:", ["50% or higher"], True),
        ("Absolute neutrophil count (ANC)", [">= 1.5 x 10^9/L"], True),
        ("Hemoglobin:", ["Women: 11 g/dL", "Men: 12 g/dL"], True),
        ("A taxane", ["at least two cycles"], False),
        ("Measurable disease", [">= 20 mm"], False),
        ("Stroke", ["within 6 months"], False),
        ("Stroke:", ["more than 6 months ago"], False),
        ("Platelet count", [], False),
        ("Platelets above 50:", [">= 100"], False),
    ],
)
def test_measurement_name_stands_above_its_value(
    text: str, below: list[str], measured: bool
) -> None:
    assert names_measurement(text, below) is measured
