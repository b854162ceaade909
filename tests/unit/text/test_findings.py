from __future__ import annotations

import pytest

from proband.text.findings import findings


@pytest.mark.parametrize(
    ("narrative", "expected"),
    [
        ("She has asthma. She denies chest pain.", "She has asthma. She"),
        ("He has cough, no fever or chills", "He has cough,"),
        ("Prior CVA (no residual deficits), HTN", "Prior CVA , HTN"),
        ("Pain without nausea but vomiting twice", "Pain vomiting twice"),
        ("Biopsy showed cancer; lungs were normal", "Biopsy showed cancer;"),
        ("The culture was negative. HER2-negative cancer", "HER2-negative cancer"),
        ("Glc: 100 Nitrite: negative Ketone: none Platelets: low", "Glc: Platelets: low"),
        (
            "diagnosis: glaucoma; prior surgery: no; cataract: yes",
            "diagnosis: glaucoma; ; cataract: yes",
        ),
        ("Her mother had diabetes. She has gout.", "She has gout."),
        ("She didn't smoke. She drinks.", "She She drinks."),
        ("A 45-year-old man, BMI 31 kg/m2", "A -old man, BMI"),
        ("type 2 diabetes, stage 3 disease", "type 2 diabetes, stage 3 disease"),
        ("Hgb: 13.5 g/dl", "Hgb:"),
        ("CD20 and T790M stay", "CD20 and T790M stay"),
    ],
)
def test_findings(narrative: str, expected: str) -> None:
    assert findings(narrative) == expected


def test_a_narrative_of_denials_is_kept_whole() -> None:
    assert findings("No pain.") == "No pain."
