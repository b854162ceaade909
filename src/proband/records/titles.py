"""What tables and columns are called for people, where a mapping does not say it: their own names, made readable."""

from __future__ import annotations

import re

from proband.records.mapping import TableMapping
from proband.text.codes import CodeSystem

SYSTEM_NAMES = {
    CodeSystem.ICD10: "ICD-10",
    CodeSystem.ICD9: "ICD-9",
    CodeSystem.SNOMED: "SNOMED CT",
    CodeSystem.LOINC: "LOINC",
    CodeSystem.ATC: "ATC",
    CodeSystem.RXNORM: "RxNorm",
}
_UNITS = {
    "kg": "kg",
    "g": "g",
    "mg": "mg",
    "cm": "cm",
    "mm": "mm",
    "ml": "mL",
    "mmhg": "mmHg",
    "bpm": "/min",
    "pct": "%",
    "percent": "%",
}
_WORDS = {
    "no": "number",
    "num": "number",
    "nr": "number",
    "dept": "department",
    "ref": "reference",
    "temp": "temperature",
    "tz": "time zone",
    "dob": "date of birth",
    "dod": "date of death",
    "qty": "quantity",
    "freq": "frequency",
    "dx": "diagnosis",
    "rx": "prescription",
}
_CAPITALS = {
    word.lower(): word
    for word in (
        *(
            "MRN",
            "GCS",
            "BMI",
            "BP",
            "HR",
            "RR",
            "HIV",
            "ECG",
            "CT",
            "MRI",
            "ICU",
            "ID",
            "MIME",
            "URL",
        ),
        *("SpO2", "UTC", "ICD", "ICD-10", "SNOMED", "LOINC", "ATC", "RxNorm", "HbA1c", "CD4", "TB"),
    )
}
_PLURALS = {
    "staff": "staff member",
    "people": "person",
    "persons": "person",
    "vitals": "vital signs",
    "children": "child",
    "diagnoses": "diagnosis",
    "analyses": "analysis",
    "anamneses": "anamnesis",
    "prognoses": "prognosis",
    "series": "series",
    "news": "news",
}
_HUMP = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])")


def title_of(table: TableMapping) -> str:
    """What one row of the table is: its `title`, else its name in the singular, such as "Lab result"."""
    words = words_of(table.name)
    if table.title or not words:
        return table.title or table.name
    return _sentence([*words[:-1], singular(words[-1])])


def label_of(table: TableMapping, column: str) -> str:
    """What a column is called in a sentence: its label, its code system, or its own name, such as "Admitted at"."""
    if column in table.labels:
        return table.labels[column]
    if column in table.codes:
        return SYSTEM_NAMES[table.codes[column]]
    words = words_of(column)
    if len(words) > 1 and (words[-1] in ("id", "fk") or _unit(words)):
        words = words[:-1]
    return _sentence(words) or column


def unit_of(table: TableMapping, column: str) -> str:
    """The unit of a column's values: as the mapping says, or as its name ends (`weight_kg`); "" where it has none."""
    return table.units.get(column, "") or _unit(words_of(column))


def _unit(words: list[str]) -> str:
    if len(words) < 2:
        return ""
    if words[-1] in ("c", "f") and words[-2] in ("temp", "temperature"):
        return f"°{words[-1].upper()}"
    return _UNITS.get(words[-1], "")


def words_of(name: str) -> list[str]:
    """The words of a name in lower case: `patient_id`, `PatientId` and `patient id` have the same two."""
    return [word.lower() for word in re.split(r"[\W_]+", _HUMP.sub("_", name)) if word]


def _sentence(words: list[str]) -> str:
    written = " ".join(_CAPITALS.get(word) or _WORDS.get(word, word) for word in words)
    return written[:1].upper() + written[1:]


def singular(word: str) -> str:
    """An English plural in the singular, as part of a title; other words as they are."""
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
