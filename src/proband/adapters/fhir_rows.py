"""Rows of staged tables: what all resources have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from proband.adapters.fhir_references import encounter_reference, patient_reference, reference
from proband.adapters.fhir_values import (
    Json,
    child,
    children,
    concept,
    concept_texts,
    joined,
    notes,
    text,
)

Row = Mapping[str, str | None]
"""Values by column; a column that is missing is NULL."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading counts beside the rows: attachments that were left out, by kind; values that were."""

    attachments: Counter[str]
    values: Counter[str]


Rows = Iterator[tuple[str, Row]]
Reader = Callable[[Json, Reading], Rows]


def of_patient(resource: Json, subject: str = "subject", encounter: str = "encounter") -> Row:
    """The columns that most tables begin and end with."""
    return {
        "id": text(resource.get("id")),
        "patient_id": patient_reference(resource, resource.get(subject)),
        "encounter_id": encounter_reference(resource.get(encounter)),
        "status": text(resource.get("status")),
        "note": notes(resource),
        "confidentiality": confidentiality(resource),
    }


def confidentiality(resource: Json) -> str | None:
    """The code of `meta.security` that says how confidential it is: `N`, `R`, `V`."""
    for label in children(child(resource, "meta"), "security"):
        if (text(label.get("system")) or "").rstrip("/").endswith("Confidentiality"):
            return text(label.get("code"))
    return None


def codes_of(value: object, name: str) -> Row:
    """A concept as its wording, in the column `name`, and its codes."""
    found = concept(value)
    return {name: found.text, **found.codes, "other_codes": found.others}


def reason_of(resource: Json) -> Row:
    """Why, as it is worded here, else a reference to the condition that is the reason."""
    pointers = children(resource, "reasonReference")
    named = concept_texts(resource, "reasonCode")
    shown = joined(text(pointer.get("display")) for pointer in pointers)
    conditions = (reference(pointer, "Condition") for pointer in pointers)
    return {"reason": named or shown, "_reason": next(filter(None, conditions), None)}


def place_of(organisation: object) -> Row:
    """The name of an organisation as it stands here, else a reference to look up."""
    named = text(child(organisation).get("display"))
    return {"facility": named, "_facility": reference(child(organisation), "Organization")}
