from __future__ import annotations

import pytest

from proband.trials.lines import scan
from proband.trials.parts import take_apart


def parts(published: str, older: bool = False) -> list[str]:
    return [part.text for part in take_apart(scan(published), older)]


@pytest.mark.parametrize(
    ("published", "texts"),
    [
        ("Inclusion Criteria: Age 18", ["Inclusion Criteria:", "Age 18"]),
        (
            "Inclusion Criteria: Gout Exclusion Criteria: Stones",
            ["Inclusion Criteria:", "Gout", "Exclusion Criteria:", "Stones"],
        ),
        ("Inclusion Criteria: 1. A 2. B", ["Inclusion Criteria:", "A", "B"]),
        ("(1) Fever (2) Cough (3) Rash", ["Fever", "Cough", "Rash"]),
        ("①Fever；②Cough", ["Fever；", "Cough"]),
        (
            "Inclusion Criteria：（1）Age 18；（2）Gout",
            ["Inclusion Criteria：", "Age 18；", "Gout"],
        ),
        ("1.Age 18;2.gout;3.Stones.", ["Age 18;", "gout;", "Stones."]),
        ("1、评分0、1、2分；2、妊娠", ["评分0、1、2分；", "妊娠"]),
        ("（1）年龄（2）妊娠", ["年龄", "妊娠"]),
        (
            "入选标准：1、年龄；2、胃癌。排除标准：1、妊娠；2、感染。",
            ["入选标准：", "年龄；", "胃癌。", "排除标准：", "妊娠；", "感染。"],
        ),
        ("1、年龄；2、胃癌。排除标准：1、妊娠", ["年龄；", "胃癌。", "排除标准：", "妊娠"]),
        ("* Gout. Exclusion Criteria: Stones", ["Gout. Exclusion Criteria: Stones"]),
        ("* Gout. Exclusion Criteria: 1. Stones", ["Gout.", "Exclusion Criteria:", "Stones"]),
        ("1. By RECIST 1.1 or grade 2. or lower", ["By RECIST 1.1 or grade 2. or lower"]),
        ("1. Grade 2. Disease\n2. Fever", ["Grade 2. Disease", "Fever"]),
        ("* Fever (1) high (2) low", ["Fever (1) high (2) low"]),
        (
            "Prior Medication: Excluded: Ibuprofen",
            ["Prior Medication:", "Excluded:", "Ibuprofen"],
        ),
        (
            "Siblings: Participants are excluded if any of the following apply:",
            ["Siblings:", "Participants are excluded if any of the following apply:"],
        ),
        ("", []),
    ],
)
def test_line_is_taken_apart(published: str, texts: list[str]) -> None:
    assert parts(published) == texts


def test_running_labels_are_cut_only_in_the_older_layout() -> None:
    published = "PATIENT CHARACTERISTICS: Age: 18 to 70 Renal: Creatinine normal"
    assert parts(published, older=True) == [
        "PATIENT CHARACTERISTICS:",
        "Age:",
        "18 to 70",
        "Renal:",
        "Creatinine normal",
    ]
    assert parts("Age: 18 to 70 Renal: normal") == ["Age: 18 to 70 Renal: normal"]


def test_parts_share_the_characters_of_their_line() -> None:
    published = (
        "Inclusion Criteria: 1. Type 1 diabetes 2. Age 12 Exclusion Criteria: 1. Insulin pump"
    )
    found = list(take_apart(scan(published), older=False))
    assert [found[0].start, *(part.end for part in found)] == [
        *(part.start for part in found),
        len(published),
    ]
