"""Drugs that were ordered, and drugs that are taken."""

from __future__ import annotations

from proband.adapters.fhir_references import reference
from proband.adapters.fhir_rows import Reading, Row, Rows, codes_of, of_patient, reason_of
from proband.adapters.fhir_values import (
    Json,
    child,
    children,
    concept_text,
    concept_texts,
    joined,
    moment,
    period,
    quantity_text,
    range_text,
    ratio_text,
    span_of,
    text,
    timing_text,
)


def read_request(resource: Json, _: Reading) -> Rows:
    """MedicationRequest."""
    validity = period(child(resource, "dispenseRequest").get("validityPeriod"))
    forbidden = resource.get("doNotPerform") is True
    yield (
        "medication_requests",
        {
            **of_patient(resource),
            **_drug(resource, "dosageInstruction"),
            "intent": text(resource.get("intent")),
            "do_not_give": "do not give" if forbidden else None,
            "start_date": validity[0] or moment(resource.get("authoredOn")),
            "end_date": validity[1],
            "recorded_at": moment(resource.get("authoredOn")),
        },
    )


def read_statement(resource: Json, _: Reading) -> Rows:
    """MedicationStatement."""
    start, end, _wording = span_of(resource, "effective")
    yield (
        "medication_statements",
        {
            **of_patient(resource, encounter="context"),
            **_drug(resource, "dosage"),
            "start_date": start,
            "end_date": end,
            "recorded_at": moment(resource.get("dateAsserted")),
        },
    )


def _drug(resource: Json, dosage: str) -> Row:
    doses = children(resource, dosage)
    return {
        **_medication(resource),
        "category": concept_texts(resource, "category"),
        "dosage": joined(map(_dosage, doses)),
        "dose": joined(map(_dose, doses)),
        "route": joined(concept_text(dose.get("route")) for dose in doses),
        "frequency": joined(timing_text(dose.get("timing")) for dose in doses),
        "as_needed": joined(map(_as_needed, doses)),
        **reason_of(resource),
    }


def _medication(resource: Json) -> Row:
    """The drug as it is named here or in a contained Medication, else a reference to look up."""
    named = resource.get("medicationCodeableConcept")
    if named is not None:
        return codes_of(named, "drug")
    pointer = child(resource, "medicationReference")
    for inside in children(resource, "contained"):
        if f"#{text(inside.get('id'))}" == text(pointer.get("reference")):
            return medication_row(inside)
    return {"drug": text(pointer.get("display")), "_medication": reference(pointer, "Medication")}


def medication_row(resource: Json) -> Row:
    """What a Medication resource says: its code, else what it is made of."""
    named = codes_of(resource.get("code"), "drug")
    parts = (
        joined(
            (concept_text(part.get("itemCodeableConcept")), ratio_text(part.get("strength"))), " "
        )
        for part in children(resource, "ingredient")
    )
    return named if named["drug"] else {**named, "drug": joined(parts, " + ")}


def _dose(dosage: Json) -> str | None:
    """`500 mg`, `1 to 2 tablets`."""
    amounts = children(dosage, "doseAndRate")
    return joined(
        quantity_text(amount.get("doseQuantity")) or range_text(amount.get("doseRange"))
        for amount in amounts
    )


def _dosage(dosage: Json) -> str | None:
    """The instruction as the source worded it, else from its parts."""
    said = joined((text(dosage.get("text")), text(dosage.get("patientInstruction"))))
    if said:
        return said
    rates = (
        joined((quantity_text(a.get("rateQuantity")), ratio_text(a.get("rateRatio"))))
        for a in children(dosage, "doseAndRate")
    )
    route, site = concept_text(dosage.get("route")), concept_text(dosage.get("site"))
    parts = (_dose(dosage), joined(rates), route, site, timing_text(dosage.get("timing")))
    return joined((*parts, _as_needed(dosage)), ", ")


def _as_needed(dosage: Json) -> str | None:
    """`as needed`, `as needed for pain`."""
    reason = concept_text(dosage.get("asNeededCodeableConcept"))
    if reason:
        return f"as needed for {reason}"
    return "as needed" if dosage.get("asNeededBoolean") is True else None


def read_medication(resource: Json, _: Reading) -> Rows:
    """Medication, to which requests and statements refer."""
    yield "_medications", {"id": text(resource.get("id")), **medication_row(resource)}
