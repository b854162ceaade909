from __future__ import annotations

import pytest

from proband.text.stem import stem


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("cancers", "cancer"),
        ("biopsies", "biopsy"),
        ("diseases", "disease"),
        ("doses", "dose"),
        ("diagnoses", "diagnosis"),
        ("metastases", "metastasis"),
        ("diagnosis", "diagnosis"),
        ("arthritis", "arthritis"),
        ("virus", "virus"),
        ("abscess", "abscess"),
        ("anaemia", "anemia"),
        ("haemorrhage", "hemorrhage"),
        ("diarrhoea", "diarrhea"),
        ("tumours", "tumor"),
        ("hours", "hour"),
        ("randomised", "randomized"),
        ("hospitalisation", "hospitalization"),
        ("aids", "aid"),
        ("gas", "gas"),
        ("il6", "il6"),
    ],
)
def test_stem(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed
