"""Patients, the records that went up in others, and the resources to which others only refer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proband.adapters.fhir_attachments import attached
from proband.adapters.fhir_references import reference, searched
from proband.adapters.fhir_rows import Reading, Rows, confidentiality, place_of
from proband.adapters.fhir_values import (
    Json,
    child,
    children,
    concept_text,
    joined,
    moment,
    text,
    texts,
)

_NAME_USES = ("official", "usual", "", "nickname", "maiden", "old", "temp", "anonymous")
_NUMBER_TYPES = ("MR", "PI", "PT", "")
"""Types of identifier that may be a record number, best first; others, such as SS, PPN and DL, are never copied."""
_NUMBER_WORDS = re.compile(
    r"\bmrn\b|\buhid\b|\b(?:record|hospital|patient|folder|file|chart) (?:number|no|id)\b",
    re.IGNORECASE,
)
_NEVER_SYSTEMS = ("ssn", "passport", "driver", "2.16.840.1.113883.4.1", "2.16.840.1.113883.4.3")


def read_patient(resource: Json, _: Reading) -> Rows:
    """Patient: never telecom, address, photo, contacts or numbers of the state."""
    id = text(resource.get("id"))
    names = sorted(children(resource, "name"), key=_name_rank)
    given, family = _name(names[0]) if names else (None, None)
    yield (
        "patients",
        {
            "id": id,
            "record_number": _record_number(children(resource, "identifier")) or id,
            "given_name": given,
            "family_name": family,
            "other_names": joined(map(_whole_name, names[1:])),
            "birth_date": moment(resource.get("birthDate")),
            "sex": text(resource.get("gender")),
            "deceased": _deceased(resource),
            "deceased_at": moment(resource.get("deceasedDateTime")),
            "language": _language(resource),
            "active": text(resource.get("active")),
            "confidentiality": confidentiality(resource),
            **place_of(resource.get("managingOrganization")),
        },
    )
    for identifier in children(resource, "identifier"):
        if url := searched("Patient", identifier):
            yield "_urls", {"url": url, "type": "Patient", "id": id}
    yield from _merges(resource, id)


def _merges(resource: Json, id: str | None) -> Rows:
    for part, link in enumerate(children(resource, "link"), 1):
        other = reference(link.get("other"), "Patient")
        ends = {"replaced-by": (id, other), "replaces": (other, id)}.get(
            text(link.get("type")) or ""
        )
        if ends:
            row = {"id": id, "part": str(part), "old_id": ends[0], "new_id": ends[1]}
            yield "patient_merges", row


def _name_rank(name: Json) -> tuple[bool, int]:
    """Names that hold come before those that ended, official ones first."""
    use = text(name.get("use")) or ""
    ended = text(child(name, "period").get("end")) is not None
    return ended, _NAME_USES.index(use) if use in _NAME_USES else len(_NAME_USES)


def _name(name: Json) -> tuple[str | None, str | None]:
    """Given and family name; a name that is only written whole stands as the family name."""
    given, family = joined(texts(name, "given"), " "), text(name.get("family"))
    return (given, family) if given or family else (None, text(name.get("text")))


def _whole_name(name: Json) -> str | None:
    return joined(_name(name), " ")


def _record_number(identifiers: Sequence[Json]) -> str | None:
    """The identifier that people use for the patient, when there is one that may be shown."""
    ranked = sorted(
        (rank, place, value)
        for place, identifier in enumerate(identifiers)
        if (rank := _number_rank(identifier)) and (value := text(identifier.get("value")))
    )
    return ranked[0][2] if ranked else None


def _number_rank(identifier: Json) -> tuple[bool, int] | None:
    """How well an identifier does as record number; None when it may not be one."""
    codes = [text(coding.get("code")) for coding in children(child(identifier, "type"), "coding")]
    known = [_NUMBER_TYPES.index(code) for code in codes if code in _NUMBER_TYPES]
    system = (text(identifier.get("system")) or "").lower()
    if (codes and not known) or any(word in system for word in _NEVER_SYSTEMS):
        return None
    said = text(child(identifier, "type").get("text"))
    if not codes and said:
        if not _NUMBER_WORDS.search(said):
            return None
        known = [0]
    ended = text(identifier.get("use")) == "old" or bool(child(identifier, "period").get("end"))
    return ended, min(known, default=len(_NUMBER_TYPES))


def _deceased(resource: Json) -> str | None:
    return "yes" if resource.get("deceasedDateTime") else text(resource.get("deceasedBoolean"))


def _language(resource: Json) -> str | None:
    spoken = sorted(
        children(resource, "communication"), key=lambda one: one.get("preferred") is not True
    )
    return concept_text(spoken[0].get("language")) if spoken else None


def read_organization(resource: Json, _: Reading) -> Rows:
    """Organization: its name, as the facility of visits."""
    yield "_organizations", {"id": text(resource.get("id")), "name": text(resource.get("name"))}


def read_binary(resource: Json, reading: Reading) -> Rows:
    """Binary: its text, for the documents that refer to it."""
    form = attached([resource], reading.attachments)
    if form.body:
        row = {"id": text(resource.get("id")), "body": form.body, "body_format": form.format}
        yield "_binaries", row
