"""Classic `<clinical_study>` XML, turned into API v2-shaped objects.

Text stays as published: text blocks keep their indentation and line ends. Names, telephone numbers and addresses of
contacts are not carried over. Entity declarations are refused: expat would expand them, and no registry file has any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from proband.errors import ParseError
from proband.trials.fetched import LARGEST_RECORD, Raw
from proband.trials.registry import phase_words, registry_word, yes_or_no

ROOT = "clinical_study"
LAYOUT = "classic_xml"

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DATE = re.compile(rf"({'|'.join(_MONTHS)})(?: (\d{{1,2}}),)? (\d{{4}})")


def iter_classic_xml(chunks: Iterable[bytes]) -> Iterator[Raw]:
    """The studies of an XML stream: one `<clinical_study>`, or several inside any other element.

    Raises:
        ParseError: not well-formed, entities declared, or no `<clinical_study>`; what came before has been delivered.
    """
    reader = _Reader()
    for chunk in chunks:
        try:
            reader.feed(chunk)
        finally:
            yield from reader.taken()
    reader.feed(b"", last=True)
    if not reader.studies:
        raise ParseError(f"XML of another schema: <{reader.root[:40]}> instead of <{ROOT}>")


class _Reader:
    """Feeds expat and keeps the studies that are complete."""

    def __init__(self) -> None:
        self.root = ""
        self.studies = 0
        self._complete: list[Raw] = []
        self._builder: TreeBuilder | None = None
        self._depth = 0
        self._line = 0
        self._unfinished_bytes = 0
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = _refuse_entity
        self._parser = parser

    def feed(self, chunk: bytes, *, last: bool = False) -> None:
        self._unfinished_bytes += len(chunk)
        if self._unfinished_bytes > LARGEST_RECORD + len(chunk):
            raise ParseError(f"a study of more than {LARGEST_RECORD:,} bytes")
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            where = f"line {error.lineno}, column {error.offset + 1}"
            raise ParseError(f"not well-formed XML: {reason} at {where}") from None

    def taken(self) -> list[Raw]:
        complete, self._complete = self._complete, []
        return complete

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.root = self.root or tag
        if self._builder is None:
            if tag != ROOT:
                return
            self._builder, self._line = TreeBuilder(), self._parser.CurrentLineNumber
        self._depth += 1
        self._builder.start(tag, attributes)

    def _data(self, data: str) -> None:
        if self._builder is not None:
            self._builder.data(data)

    def _end(self, tag: str) -> None:
        if self._builder is None:
            return
        self._builder.end(tag)
        self._depth -= 1
        if self._depth == 0:
            study = api_object(self._builder.close())
            self._complete.append(Raw(study, f"line {self._line}"))
            self._builder = None
            self._unfinished_bytes = 0
            self.studies += 1


def _refuse_entity(*_: object) -> None:
    raise ParseError("entity declarations are refused")


def api_object(study: Element) -> dict[str, Any]:
    """The `<clinical_study>` in the shape of an API v2 object; what the element does not state is left out."""
    protocol = {
        "identificationModule": _identification(study),
        "statusModule": _status(study),
        "descriptionModule": {
            "briefSummary": _block(study, "brief_summary"),
            "detailedDescription": _block(study, "detailed_description"),
        },
        "conditionsModule": {
            "conditions": _texts(study, "condition"),
            "keywords": _texts(study, "keyword"),
        },
        "designModule": _design(study),
        "armsInterventionsModule": {
            "armGroups": _each(study, "arm_group", _arm),
            "interventions": _each(study, "intervention", _intervention),
        },
        "outcomesModule": {
            "primaryOutcomes": _each(study, "primary_outcome", _outcome),
            "secondaryOutcomes": _each(study, "secondary_outcome", _outcome),
            "otherOutcomes": _each(study, "other_outcome", _outcome),
        },
        "eligibilityModule": next(iter(_each(study, "eligibility", _eligibility)), {}),
        "contactsLocationsModule": {"locations": _each(study, "location", _location)},
    }
    derived = {
        "conditionBrowseModule": _browse(study, "condition_browse"),
        "interventionBrowseModule": _browse(study, "intervention_browse"),
    }
    raw = {"protocolSection": protocol, "derivedSection": derived}
    return {**stated(raw), "_source": {"layout": LAYOUT}}


def stated(tree: Any) -> Any:
    """The tree without members that are None or empty, at any depth."""
    if isinstance(tree, list):
        return [stated(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    kept = {key: stated(value) for key, value in tree.items()}
    return {key: value for key, value in kept.items() if value not in (None, "", [], {})}


def _identification(study: Element) -> dict[str, Any]:
    return {
        "nctId": _text(study, "id_info/nct_id"),
        "nctIdAliases": _texts(study, "id_info/nct_alias"),
        "orgStudyIdInfo": {"id": _text(study, "id_info/org_study_id")},
        "briefTitle": _text(study, "brief_title"),
        "officialTitle": _text(study, "official_title"),
        "acronym": _text(study, "acronym"),
    }


def _status(study: Element) -> dict[str, Any]:
    return {
        "overallStatus": registry_word(_text(study, "overall_status")),
        "lastKnownStatus": registry_word(_text(study, "last_known_status")),
        "whyStopped": _text(study, "why_stopped"),
        "startDateStruct": {"date": _date(study, "start_date")},
        "primaryCompletionDateStruct": {"date": _date(study, "primary_completion_date")},
        "completionDateStruct": {"date": _date(study, "completion_date")},
        "lastUpdatePostDateStruct": {"date": _last_update(study)},
    }


def _last_update(study: Element) -> str | None:
    return _date(study, "last_update_posted") or _date(study, "lastchanged_date")


def _design(study: Element) -> dict[str, Any]:
    enrollment = _text(study, "enrollment") or ""
    return {
        "studyType": registry_word(_text(study, "study_type")),
        "phases": phase_words(_text(study, "phase")),
        "enrollmentInfo": {"count": int(enrollment) if enrollment.isdecimal() else None},
    }


def _arm(arm: Element) -> dict[str, Any]:
    return {
        "label": _text(arm, "arm_group_label"),
        "type": registry_word(_text(arm, "arm_group_type")),
        "description": _verbatim(arm, "description"),
    }


def _intervention(intervention: Element) -> dict[str, Any]:
    return {
        "type": registry_word(_text(intervention, "intervention_type")),
        "name": _text(intervention, "intervention_name"),
        "description": _verbatim(intervention, "description"),
        "armGroupLabels": _texts(intervention, "arm_group_label"),
        "otherNames": _texts(intervention, "other_name"),
    }


def _outcome(outcome: Element) -> dict[str, Any]:
    return {
        "measure": _text(outcome, "measure"),
        "description": _verbatim(outcome, "description"),
        "timeFrame": _text(outcome, "time_frame"),
    }


def _eligibility(eligibility: Element) -> dict[str, Any]:
    return {
        "eligibilityCriteria": _block(eligibility, "criteria"),
        "healthyVolunteers": yes_or_no(_text(eligibility, "healthy_volunteers")),
        "sex": registry_word(_text(eligibility, "gender")),
        "minimumAge": _text(eligibility, "minimum_age"),
        "maximumAge": _text(eligibility, "maximum_age"),
        "studyPopulation": _block(eligibility, "study_pop"),
        "samplingMethod": registry_word(_text(eligibility, "sampling_method")),
    }


def _location(location: Element) -> dict[str, Any]:
    return {
        "facility": _text(location, "facility/name"),
        "status": registry_word(_text(location, "status")),
        "city": _text(location, "facility/address/city"),
        "state": _text(location, "facility/address/state"),
        "zip": _text(location, "facility/address/zip"),
        "country": _text(location, "facility/address/country"),
    }


def _browse(study: Element, tag: str) -> dict[str, Any]:
    return {"meshes": [{"term": term} for term in _texts(study, f"{tag}/mesh_term")]}


def _each(
    parent: Element, tag: str, convert: Callable[[Element], dict[str, Any]]
) -> list[dict[str, Any]]:
    return [convert(element) for element in parent.findall(tag)]


def _verbatim(parent: Element, path: str) -> str | None:
    found = parent.find(path)
    return None if found is None else "".join(found.itertext())


def _block(parent: Element, path: str) -> str | None:
    """The text of a text block, white space as published; older files put the text directly into the element."""
    return _verbatim(parent, f"{path}/textblock") or _verbatim(parent, path)


def _text(parent: Element, path: str) -> str | None:
    """One line of text: runs of white space, which here only come from the file's layout, become one space."""
    return re.sub(r"\s+", " ", _verbatim(parent, path) or "").strip() or None


def _texts(parent: Element, path: str) -> list[str]:
    texts = (" ".join("".join(element.itertext()).split()) for element in parent.findall(path))
    return [text for text in texts if text]


def _date(parent: Element, path: str) -> str | None:
    """The date as the API writes it: "May 21, 2014" is 2014-05-21, "May 2004" is 2004-05; others as they stand."""
    text = _text(parent, path)
    match = _DATE.fullmatch(text or "")
    if match is None:
        return text
    month, day, year = match.groups()
    iso = f"{year}-{_MONTHS.index(month) + 1:02}"
    return f"{iso}-{int(day):02}" if day else iso
