"""ClinicalTrials.gov API v2 objects, read into studies.

Reading is lenient inside a study: a field of another type than the API's reads as absent, so one wrong field never
loses the study. Only what has no NCT id is refused.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator
from typing import Any
from unicodedata import normalize

from proband.errors import StudyParseError
from proband.trials.ages import first_day, last_day
from proband.trials.study import Arm, Intervention, Outcome, OutcomeKind, Site, Study

NCT_ID = re.compile(r"NCT\d{8}", re.ASCII)

OUTCOME_LISTS = (
    (OutcomeKind.PRIMARY, "primaryOutcomes"),
    (OutcomeKind.SECONDARY, "secondaryOutcomes"),
    (OutcomeKind.OTHER, "otherOutcomes"),
)

_OTHER_SPELLINGS = {
    "BOTH": "ALL",
    "N_A": "NA",
    "OBSERVATIONAL_PATIENT_REGISTRY": "OBSERVATIONAL",
    "UNKNOWN_STATUS": "UNKNOWN",
}
_YES = {"TRUE", "T", "YES", "ACCEPTS_HEALTHY_VOLUNTEERS"}
_NO = {"FALSE", "F", "NO"}
_NOT_WORD = re.compile(r"[^A-Z0-9]+")
# UTF-8 cannot hold a lone surrogate nor some databases U+0000; one character for one, so that spans stay true.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def parse_study(raw: object, where: str = "study") -> Study:
    """The study in an API v2 object.

    Args:
        raw: the object as fetched; it is kept, not copied.
        where: its place, for the message when it has no NCT id.

    Raises:
        StudyParseError: `raw` is no object, has no NCT id, or is nested too deeply to be written as JSON.
    """
    if not isinstance(raw, dict):
        raise StudyParseError(where, "a study must be a JSON object")
    protocol = _object(raw, "protocolSection")
    identification = _object(protocol, "identificationModule")
    status = _object(protocol, "statusModule")
    design = _object(protocol, "designModule")
    conditions = _object(protocol, "conditionsModule")
    description = _object(protocol, "descriptionModule")
    groups = _object(protocol, "armsInterventionsModule")
    eligibility = _object(protocol, "eligibilityModule")
    browse = _object(_object(raw, "derivedSection"), "conditionBrowseModule")
    nct_id = _nct_id(identification, where)
    min_age, max_age = _text(eligibility, "minimumAge"), _text(eligibility, "maximumAge")
    return Study(
        nct_id=nct_id,
        aliases=_texts(identification, "nctIdAliases"),
        brief_title=_text(identification, "briefTitle"),
        official_title=_text(identification, "officialTitle"),
        acronym=_text(identification, "acronym"),
        status=registry_word(_text(status, "overallStatus")),
        last_update=_text(_object(status, "lastUpdatePostDateStruct"), "date"),
        study_type=registry_word(_text(design, "studyType")),
        phases=tuple(registry_word(phase) or phase for phase in _texts(design, "phases")),
        conditions=_texts(conditions, "conditions"),
        keywords=_texts(conditions, "keywords"),
        mesh_terms=_terms(browse, "meshes"),
        mesh_ancestors=_terms(browse, "ancestors"),
        interventions=tuple(_interventions(groups)),
        arms=tuple(_arms(groups)),
        sites=tuple(_sites(_object(protocol, "contactsLocationsModule"))),
        sex=registry_word(_text(eligibility, "sex")),
        min_age=min_age,
        max_age=max_age,
        min_age_days=first_day(min_age),
        max_age_days=last_day(max_age),
        healthy_volunteers=yes_or_no(eligibility.get("healthyVolunteers")),
        eligibility=_text(eligibility, "eligibilityCriteria") or "",
        brief_summary=_text(description, "briefSummary"),
        detailed_description=_text(description, "detailedDescription"),
        outcomes=tuple(_outcomes(_object(protocol, "outcomesModule"))),
        sponsor_ids=tuple(_sponsor_ids(identification)),
        raw=raw,
        digest=study_digest(raw, nct_id),
    )


def study_digest(raw: dict[str, Any], where: str = "study") -> str:
    """sha256, in hexadecimal, of the canonical JSON (sorted keys, ASCII, no spaces) of what the sponsor can change.

    Left out: `derivedSection.miscInfoModule`, whose versionHolder changes every day, and proband's own `_source`.
    Raises StudyParseError when the object is nested too deeply.
    """
    lasting = {key: value for key, value in raw.items() if key != "_source"}
    derived = raw.get("derivedSection")
    if isinstance(derived, dict):
        lasting["derivedSection"] = {k: v for k, v in derived.items() if k != "miscInfoModule"}
    try:
        canonical = json.dumps(lasting, sort_keys=True, separators=(",", ":"))
    except RecursionError as error:
        raise StudyParseError(where, "the record is nested too deeply") from error
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def registry_word(text: str | None) -> str | None:
    """A word of the registry's enumerations as the API spells it: "Not yet recruiting" is NOT_YET_RECRUITING."""
    if text is None:
        return None
    word = _NOT_WORD.sub("_", text.upper()).strip("_")
    return _OTHER_SPELLINGS.get(word, word) or None


def phase_words(text: str | None) -> list[str]:
    """The phases in one text: "Phase 1/Phase 2" is PHASE1 and PHASE2, "N/A" is NA."""
    word = registry_word(text)
    if text is None or word in (None, "NA"):
        return [word] if word else []
    parts = (registry_word(part) for part in text.split("/"))
    return [part.replace("PHASE_", "PHASE") for part in parts if part]


def yes_or_no(value: object) -> bool | None:
    """A yes or no as the API (true), classic XML ("Accepts Healthy Volunteers") or AACT ("t") write it."""
    if isinstance(value, bool):
        return value
    word = registry_word(value) if isinstance(value, str) else None
    return True if word in _YES else False if word in _NO else None


def _nct_id(identification: dict[str, Any], where: str) -> str:
    nct_id = normalize("NFKC", _text(identification, "nctId") or "").strip().upper()
    if not NCT_ID.fullmatch(nct_id):
        raise StudyParseError(where, "the study has no NCT id")
    return nct_id


def _sponsor_ids(identification: dict[str, Any]) -> Iterator[str]:
    own = _object(identification, "orgStudyIdInfo")
    for item in (own, *_objects(identification, "secondaryIdInfos")):
        if found := _text(item, "id"):
            yield found


def _interventions(groups: dict[str, Any]) -> Iterator[Intervention]:
    for item in _objects(groups, "interventions"):
        name = _text(item, "name")
        if name:
            yield Intervention(
                type=registry_word(_text(item, "type")),
                name=name,
                description=_text(item, "description"),
                arm_labels=_texts(item, "armGroupLabels"),
                other_names=_texts(item, "otherNames"),
            )


def _arms(groups: dict[str, Any]) -> Iterator[Arm]:
    for item in _objects(groups, "armGroups"):
        label = _text(item, "label")
        if label:
            yield Arm(label, registry_word(_text(item, "type")), _text(item, "description"))


def _outcomes(module: dict[str, Any]) -> Iterator[Outcome]:
    for kind, key in OUTCOME_LISTS:
        for item in _objects(module, key):
            measure = _text(item, "measure")
            if measure:
                yield Outcome(kind, measure, _text(item, "description"), _text(item, "timeFrame"))


def _sites(module: dict[str, Any]) -> Iterator[Site]:
    for item in _objects(module, "locations"):
        latitude, longitude = _coordinates(_object(item, "geoPoint"))
        yield Site(
            facility=_text(item, "facility"),
            city=_text(item, "city"),
            state=_text(item, "state"),
            country=_text(item, "country"),
            status=registry_word(_text(item, "status")),
            latitude=latitude,
            longitude=longitude,
        )


def _coordinates(point: dict[str, Any]) -> tuple[float, float] | tuple[None, None]:
    """Latitude and longitude when both are numbers on the globe."""
    latitude, longitude = _number(point.get("lat")), _number(point.get("lon"))
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None, None
    return latitude, longitude


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer beyond what a float holds
        return None


def _object(parent: dict[str, Any], key: str) -> dict[str, Any]:
    value = parent.get(key)
    return value if isinstance(value, dict) else {}


def _objects(parent: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    value = parent.get(key)
    return (
        (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
    )


def _text(parent: dict[str, Any], key: str) -> str | None:
    """The published text, verbatim; blank text is absent."""
    value = parent.get(key)
    if not isinstance(value, str) or not value.strip():
        return None
    return value if value.isascii() and "\x00" not in value else _UNSTORABLE.sub("\ufffd", value)


def _texts(parent: dict[str, Any], key: str) -> tuple[str, ...]:
    value = parent.get(key)
    if not isinstance(value, list):
        return ()
    texts = (_text({key: item}, key) for item in value)
    return tuple(text for text in texts if text)


def _terms(browse: dict[str, Any], key: str) -> tuple[str, ...]:
    terms = (_text(item, "term") for item in _objects(browse, key))
    return tuple(dict.fromkeys(term for term in terms if term))
