"""What is read of each FHIR R4 resource: `docs/fhir.md` says the same in words.

A reader gives the rows of one resource by table. References stay as they are written until all files are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from proband.adapters.fhir_attachments import attached
from proband.adapters.fhir_drugs import read_medication, read_request, read_statement
from proband.adapters.fhir_patients import read_binary, read_organization, read_patient
from proband.adapters.fhir_references import encounter_reference
from proband.adapters.fhir_rows import (
    Reader,
    Reading,
    Row,
    Rows,
    codes_of,
    of_patient,
    place_of,
    reason_of,
)
from proband.adapters.fhir_values import (
    Json,
    Value,
    child,
    children,
    code_of,
    concept,
    concept_text,
    concept_texts,
    joined,
    moment,
    period,
    quantity,
    range_text,
    span_of,
    text,
    texts,
    value_of,
    with_unit,
)

# --- conditions, allergies, procedures --------------------------------------------------------------------------------


def read_condition(resource: Json, _: Reading) -> Rows:
    """Condition."""
    onset_date, onset_end, onset = span_of(resource, "onset")
    end_date, until, ended = span_of(resource, "abatement")
    recorded = moment(resource.get("recordedDate"))
    yield (
        "conditions",
        {
            **of_patient(resource),
            **codes_of(resource.get("code"), "name"),
            "clinical_status": code_of(resource.get("clinicalStatus")),
            "verification_status": code_of(resource.get("verificationStatus")),
            "category": concept_texts(resource, "category"),
            "severity": concept_text(resource.get("severity")),
            "body_site": concept_texts(resource, "bodySite"),
            "dated": onset_date or recorded,
            "onset_date": onset_date,
            "onset": onset,
            "end_date": end_date or until or onset_end,
            "ended": ended,
            "recorded_at": recorded,
        },
    )


NONE_KNOWN = "none known"
"""The `kind` of an allergy row that says that there is none."""
_NONE_CODES = {
    *("716186003", "160244002", "409137002", "429625007", "428607008", "428197003", "1003774007"),
    *("no-known-allergies", "no-known-medication-allergies", "no-known-food-allergies"),
    "no-known-environmental-allergies",
}
_NONE_WORDS = re.compile(
    r"(?:no|nil) (?:known|recorded) (?:[a-z]+ ){0,2}(?:allerg(?:y|ies)|intolerances?)"
    r"(?: (?:and|or) .*)?|no allergies|nkda|nka|nil known",
    re.IGNORECASE,
)


def read_allergy(resource: Json, _: Reading) -> Rows:
    """AllergyIntolerance. A row that says that nothing is known keeps its wording and is of the kind NONE_KNOWN."""
    substance = concept(resource.get("code"))
    onset_date, _end, onset = span_of(resource, "onset")
    recorded = moment(resource.get("recordedDate"))
    yield (
        "allergies",
        {
            **of_patient(resource, "patient"),
            **codes_of(resource.get("code"), "substance"),
            "substance": substance.text or _reaction_substances(resource),
            "kind": NONE_KNOWN if _says_none(resource) else text(resource.get("type")),
            "category": joined(texts(resource, "category"), ", "),
            "criticality": text(resource.get("criticality")),
            "clinical_status": code_of(resource.get("clinicalStatus")),
            "verification_status": code_of(resource.get("verificationStatus")),
            "reactions": joined(map(_reaction, children(resource, "reaction"))),
            "dated": recorded or onset_date,
            "onset_date": onset_date,
            "onset": onset,
            "recorded_at": recorded,
            "last_occurred": moment(resource.get("lastOccurrence")),
        },
    )


def _says_none(resource: Json) -> bool:
    code = child(resource, "code")
    said = [text(coding.get("code")) for coding in children(code, "coding")]
    named = [text(coding.get("display")) for coding in children(code, "coding")]
    wordings = (text(code.get("text")), *named)
    return any(code in _NONE_CODES for code in said) or any(
        _NONE_WORDS.fullmatch(wording.rstrip(" .")) for wording in wordings if wording
    )


def _reaction(reaction: Json) -> str | None:
    """`Hives, swelling (severe)`."""
    signs = joined((concept_texts(reaction, "manifestation"), text(reaction.get("description"))))
    severity = text(reaction.get("severity"))
    return f"{signs} ({severity})" if signs and severity else signs


def _reaction_substances(resource: Json) -> str | None:
    return joined(
        concept_text(reaction.get("substance")) for reaction in children(resource, "reaction")
    )


def read_procedure(resource: Json, _: Reading) -> Rows:
    """Procedure."""
    performed_at, until, performed = span_of(resource, "performed")
    yield (
        "procedures",
        {
            **of_patient(resource),
            **codes_of(resource.get("code"), "name"),
            "category": concept_text(resource.get("category")),
            "status_reason": concept_text(resource.get("statusReason")),
            "performed_at": performed_at,
            "performed_until": until,
            "performed": performed,
            **reason_of(resource),
            "body_site": concept_texts(resource, "bodySite"),
            "outcome": concept_text(resource.get("outcome")),
            "complication": concept_texts(resource, "complication"),
        },
    )


# --- observations and reports -----------------------------------------------------------------------------------------


def read_observation(resource: Json, reading: Reading) -> Rows:
    """Observation, and each of its components."""
    taken_at, until, _wording = span_of(resource, "effective")
    issued = moment(resource.get("issued"))
    row = {
        **of_patient(resource),
        **codes_of(resource.get("code"), "name"),
        **_measured(resource, reading),
        "category": concept_texts(resource, "category"),
        "dated": taken_at or issued,
        "taken_until": until,
        "issued_at": issued,
        "body_site": concept_text(resource.get("bodySite")),
        "method": concept_text(resource.get("method")),
    }
    components = [
        {**codes_of(part.get("code"), "name"), **_measured(part, reading)}
        for part in children(resource, "component")
    ]
    row["components"] = joined(map(_component_text, components))
    yield "observations", row
    for number, component in enumerate(components, 1):
        shared = ("patient_id", "encounter_id", "status", "dated", "confidentiality")
        parts = {"observation_id": row["id"], "part": str(number), "panel": row["name"]}
        yield "observation_components", {**component, **parts, **{n: row[n] for n in shared}}


def _measured(element: Json, reading: Reading) -> Row:
    value = value_of(element)
    if "valueSampledData" in element:
        reading.values["SampledData"] += 1
    absent = concept_text(element.get("dataAbsentReason"))
    return {
        "value": value.text,
        "unit": value.unit,
        "value_snomed": value.snomed,
        "interpretation": concept_texts(element, "interpretation"),
        "reference_range": joined(map(_range, children(element, "referenceRange"))),
        "absent_reason": absent,
    }


def _range(reference: Json) -> str | None:
    said = text(reference.get("text")) or range_text(reference)
    of = joined((concept_text(reference.get("type")), concept_texts(reference, "appliesTo")), ", ")
    return f"{said} ({of})" if said and of else said


def _component_text(component: Row) -> str | None:
    value = with_unit(Value(component["value"], component["unit"])) or component["absent_reason"]
    return f"{component['name']} {value}" if component["name"] and value else component["name"]


def read_report(resource: Json, reading: Reading) -> Rows:
    """DiagnosticReport. Its results are Observations of their own."""
    taken_at, until, _wording = span_of(resource, "effective")
    issued = moment(resource.get("issued"))
    form = attached(children(resource, "presentedForm"), reading.attachments)
    yield (
        "diagnostic_reports",
        {
            **of_patient(resource),
            **codes_of(resource.get("code"), "name"),
            "category": concept_texts(resource, "category"),
            "dated": taken_at or issued,
            "taken_until": until,
            "issued_at": issued,
            "conclusion": text(resource.get("conclusion")),
            "conclusion_codes": concept_texts(resource, "conclusionCode"),
            "body": form.body,
            "body_format": form.format,
            "_binary": form.link,
        },
    )


def read_document(resource: Json, reading: Reading) -> Rows:
    """DocumentReference with the text of its attachments."""
    context = child(resource, "context")
    files = [child(content, "attachment") for content in children(resource, "content")]
    form = attached(files, reading.attachments)
    titles = joined((text(file.get("title")) for file in files), ", ")
    written = (resource.get("date"), child(context, "period").get("start"))
    created = (file.get("creation") for file in files)
    yield (
        "documents",
        {
            **of_patient(resource),
            **codes_of(resource.get("type"), "type"),
            "encounter_id": encounter_reference(context.get("encounter")),
            "doc_status": text(resource.get("docStatus")),
            "title": titles or text(resource.get("description")),
            "category": concept_texts(resource, "category"),
            "written_at": next(filter(None, map(moment, (*written, *created))), None),
            "description": text(resource.get("description")) if titles else None,
            "body": form.body,
            "body_format": form.format,
            "_binary": form.link,
            **place_of(resource.get("custodian")),
        },
    )


# --- visits and vaccinations ------------------------------------------------------------------------------------------


def read_encounter(resource: Json, _: Reading) -> Rows:
    """Encounter."""
    start, end = period(resource.get("period"))
    kind = child(resource, "class")
    types = children(resource, "type")
    where = (child(place, "location").get("display") for place in children(resource, "location"))
    stay = child(resource, "hospitalization")
    yield (
        "encounters",
        {
            **of_patient(resource),
            **codes_of(types[0] if types else {}, "type"),
            "class": text(kind.get("display")) or text(kind.get("code")),
            "type": concept_texts(resource, "type"),
            "service": concept_text(resource.get("serviceType")),
            "start_date": start,
            "end_date": end,
            **reason_of(resource),
            "location": joined(map(text, where)),
            "discharged_to": concept_text(stay.get("dischargeDisposition")),
            **place_of(resource.get("serviceProvider")),
        },
    )


def read_immunization(resource: Json, _: Reading) -> Rows:
    """Immunization; one that was not given has the status `not-done`."""
    given_at, _end, given = span_of(resource, "occurrence")
    doses = children(resource, "protocolApplied")
    yield (
        "immunizations",
        {
            **of_patient(resource, "patient"),
            **codes_of(resource.get("vaccineCode"), "vaccine"),
            "status_reason": concept_text(resource.get("statusReason")),
            "given_at": given_at,
            "given": given,
            "dose": with_unit(quantity(resource.get("doseQuantity"))),
            "dose_number": joined(value_of(dose, "doseNumber").text for dose in doses),
            "route": concept_text(resource.get("route")),
            "site": concept_text(resource.get("site")),
            "lot_number": text(resource.get("lotNumber")),
            **reason_of(resource),
        },
    )


READERS: Mapping[str, Reader] = {
    "Patient": read_patient,
    "Encounter": read_encounter,
    "Condition": read_condition,
    "Observation": read_observation,
    "MedicationRequest": read_request,
    "MedicationStatement": read_statement,
    "AllergyIntolerance": read_allergy,
    "Procedure": read_procedure,
    "DiagnosticReport": read_report,
    "DocumentReference": read_document,
    "Immunization": read_immunization,
    "Medication": read_medication,
    "Organization": read_organization,
    "Binary": read_binary,
}
