"""References between resources: at once where they name an id, when all files are read where they name a URL.

What is still to be resolved has a character that no id has: the colon of a URL or the `?` of a search.
"""

from __future__ import annotations

import re

from proband.adapters.fhir_values import Json, child, children, text

_RELATIVE = re.compile(r"(?:.*/)?([A-Z][A-Za-z]+)/([A-Za-z0-9\-.]{1,64})(?:/_history/[^/]*)?")


def reference(value: object, kind: str) -> str | None:
    """The id of a resource of this kind, or what leads to it; None for a reference to something else, or to nothing."""
    whole = child(value)
    written = text(whole.get("reference"))
    if not written:
        return searched(kind, child(whole, "identifier"))
    if ":" in written or (written.startswith(f"{kind}?") and "|" in written):
        return written
    return local_id(written, kind)


def local_id(written: str, kind: str) -> str | None:
    """The id at the end of `Patient/x`, `Patient/x/_history/2` or a URL that ends so."""
    found = _RELATIVE.fullmatch(written)
    return found[2] if found and found[1] == kind else None


def patient_reference(resource: Json, subject: object) -> str | None:
    """Whom a resource is about; a contained patient is looked up by its identifier."""
    written = text(child(subject).get("reference")) or ""
    if not written.startswith("#"):
        return reference(subject, "Patient")
    for inside in children(resource, "contained"):
        if text(inside.get("id")) == written[1:] and inside.get("resourceType") == "Patient":
            return searched("Patient", child(inside, "identifier"))
    return None


def encounter_reference(encounter: object) -> str | None:
    """The visit that a resource belongs to."""
    return reference(encounter, "Encounter")


def searched(kind: str, identifier: Json) -> str | None:
    """The search that finds a resource by an identifier, as conditional references write it."""
    value = text(identifier.get("value"))
    return f"{kind}?identifier={text(identifier.get('system')) or ''}|{value}" if value else None
