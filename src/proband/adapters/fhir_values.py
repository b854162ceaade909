"""FHIR R4 data types as flat text. Nothing here raises on any JSON: what has the wrong shape is read as absent.

Numbers come as they are written, because `DECODER` keeps their digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

Json = Mapping[str, Any]

_SYSTEMS = {
    "snomed": ("http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"),
    "loinc": ("http://loinc.org", "urn:oid:2.16.840.1.113883.6.1"),
    "rxnorm": (
        "http://www.nlm.nih.gov/research/umls/rxnorm",
        "urn:oid:2.16.840.1.113883.6.88",
    ),
    "atc": (
        "http://www.whocc.no/atc",
        "http://fhir.de/CodeSystem/bfarm/atc",
        "http://fhir.de/CodeSystem/dimdi/atc",
        "urn:oid:2.16.840.1.113883.6.73",
    ),
    "icd10": (
        "http://hl7.org/fhir/sid/icd-10",
        "http://hl7.org/fhir/sid/icd-10-cm",
        "http://hl7.org/fhir/sid/icd-10-am",
        "http://hl7.org/fhir/sid/icd-10-ca",
        "http://hl7.org/fhir/sid/icd-10-de",
        "http://hl7.org/fhir/sid/icd-10-gm",
        "http://hl7.org/fhir/sid/icd-10-uk",
        "http://fhir.de/CodeSystem/bfarm/icd-10-gm",
        "http://fhir.de/CodeSystem/dimdi/icd-10-gm",
        "http://id.who.int/icd/release/10",
        "urn:oid:2.16.840.1.113883.6.3",
        "urn:oid:2.16.840.1.113883.6.90",
    ),
    "icd9": (
        "http://hl7.org/fhir/sid/icd-9-cm",
        "http://hl7.org/fhir/sid/icd-9-cm/diagnosis",
        "urn:oid:2.16.840.1.113883.6.103",
    ),
}
_SYSTEM = {url: name for name, urls in _SYSTEMS.items() for url in urls}
CODES = tuple(_SYSTEMS)
"""The code systems that have a column of their own."""

_TITLES = {
    "snomed": "SNOMED CT",
    "loinc": "LOINC",
    "rxnorm": "RxNorm",
    "atc": "ATC",
    "icd10": "ICD-10",
    "icd9": "ICD-9",
}
_UNITS = {"s": "second", "min": "minute", "h": "hour", "d": "day", "wk": "week", "mo": "month"}
_UNITS |= {"a": "year"}
_LONGEST_NUMBER = 40  # digits that a number with an exponent may grow to


def _number(written: str) -> str:
    """A decimal as written; with an exponent, its digits."""
    if "e" not in written.lower():
        return written
    try:
        number = Decimal(written)
    except ArithmeticError:
        return written
    return format(number, "f") if abs(number.adjusted()) < _LONGEST_NUMBER else written


DECODER = json.JSONDecoder(parse_float=_number, parse_int=str, parse_constant=str)


def text(value: object) -> str | None:
    """A string or number without blanks around it; None when there is nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return storable(value).strip() or None if isinstance(value, str) else None


def storable(written: str) -> str:
    """A text without half surrogates, which JSON can spell and no store takes."""
    return written if written.isascii() else _HALF.sub("\N{REPLACEMENT CHARACTER}", written)


_HALF = re.compile("[\ud800-\udfff]")


def child(value: object, *names: str) -> Json:
    """The object under these names; an empty one where there is none. The first of a list stands for it."""
    found = _first(value)
    for name in names:
        found = _first(found.get(name))
    return found


def _first(value: object) -> Json:
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, Mapping) else {}


def children(value: object, name: str) -> list[Json]:
    """The objects of a list under this name."""
    found = value.get(name) if isinstance(value, Mapping) else None
    items = found if isinstance(found, list) else [found]
    return [item for item in items if isinstance(item, Mapping)]


def texts(value: object, name: str) -> list[str]:
    """The strings of a list under this name."""
    found = value.get(name) if isinstance(value, Mapping) else None
    items = found if isinstance(found, list) else [found]
    return [written for item in items if (written := text(item))]


def joined(parts: Iterable[str | None], separator: str = "; ") -> str | None:
    """What there is of the parts, each once."""
    return separator.join(dict.fromkeys(part for part in parts if part)) or None


# --- codes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Concept:
    """A CodeableConcept.

    Args:
        text: as the source worded it, else what its codes are called, else a code.
        codes: one code of each system that has a column.
        others: all further codes, with the name of the system where it is a known one.
    """

    text: str | None = None
    codes: Mapping[str, str] = field(default_factory=dict)
    others: str | None = None


def concept(value: object) -> Concept:
    """The concept in a CodeableConcept; of two codes of one system, the one that a user selected comes first."""
    whole = child(value)
    codings = children(whole, "coding")
    codings.sort(key=lambda coding: coding.get("userSelected") is not True)
    codes: dict[str, str] = {}
    others: list[str] = []
    for coding in codings:
        code = text(coding.get("code"))
        system = _SYSTEM.get((text(coding.get("system")) or "").rstrip("/"), "")
        if not code:
            continue
        if system and system not in codes:
            codes[system] = code
        elif codes.get(system) != code:
            others.append(f"{_TITLES[system]} {code}" if system else code)
    names = [text(coding.get("display")) for coding in codings]
    plain = [text(coding.get("code")) for coding in codings]
    said = text(whole.get("text")) or next(filter(None, (*names, *plain)), None)
    return Concept(said, codes, joined(others, ", "))


def concept_text(value: object) -> str | None:
    """What a CodeableConcept says."""
    return concept(value).text


def concept_texts(value: object, name: str) -> str | None:
    """What the concepts of a list say."""
    return joined(concept_text(item) for item in children(value, name))


def code_of(value: object) -> str | None:
    """The first code of a CodeableConcept, such as a status; its text where there is none."""
    for coding in children(value, "coding"):
        if code := text(coding.get("code")):
            return code
    return text(child(value).get("text"))


# --- quantities and values --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Value:
    """A value as text; `unit` apart, `snomed` where the value itself is coded."""

    text: str | None = None
    unit: str | None = None
    snomed: str | None = None


def value_of(element: object, stem: str = "value") -> Value:
    """The `value[x]` of an element, whatever its type; SampledData and attachments are not read."""
    whole = child(element)
    for name, found in whole.items():
        if name.startswith(stem) and (read := _VALUES.get(name[len(stem) :])):
            return read(found)
    return Value()


def quantity(value: object) -> Value:
    """A Quantity: the comparator stays before the number, so that `<0.5` is no 0.5."""
    whole = child(value)
    number = text(whole.get("value"))
    if number is None:
        return Value()
    unit = text(whole.get("unit")) or text(whole.get("code"))
    return Value(f"{text(whole.get('comparator')) or ''}{number}", None if unit == "1" else unit)


def quantity_text(value: object) -> str | None:
    """A Quantity with its unit: `500 mg`."""
    return with_unit(quantity(value))


def with_unit(value: Value) -> str | None:
    """Number and unit in one text."""
    return f"{value.text} {value.unit}" if value.text and value.unit else value.text


def range_text(value: object) -> str | None:
    """`1 to 2 tablets`, `up to 5 mg`, `at least 5 mg`."""
    low, high = (quantity(child(value).get(name)) for name in ("low", "high"))
    if low.text and high.text:
        shared = low.unit == high.unit or not low.unit
        return f"{low.text if shared else with_unit(low)} to {with_unit(high)}"
    if high.text:
        return f"up to {with_unit(high)}"
    return f"at least {with_unit(low)}" if low.text else None


def ratio_text(value: object) -> str | None:
    """`1:128`, or with units `5 mg / 10 mL`."""
    above, below = (quantity(child(value).get(name)) for name in ("numerator", "denominator"))
    if not above.text or not below.text:
        return with_unit(above)
    if above.unit or below.unit:
        return f"{with_unit(above)} / {with_unit(below)}"
    return f"{above.text}:{below.text}"


def _coded(value: object) -> Value:
    found = concept(value)
    return Value(found.text, snomed=found.codes.get("snomed"))


def _period_text(value: object) -> str | None:
    start, end = period(value)
    if start and end:
        return f"{start} to {end}"
    return f"from {start}" if start else f"until {end}" if end else None


_VALUES: Mapping[str, Callable[[object], Value]] = {
    "Quantity": quantity,
    "Age": quantity,
    "Duration": quantity,
    "CodeableConcept": _coded,
    "String": lambda value: Value(text(value)),
    "Boolean": lambda value: Value(text(value)),
    "Integer": lambda value: Value(text(value)),
    "PositiveInt": lambda value: Value(text(value)),
    "Decimal": lambda value: Value(text(value)),
    "Time": lambda value: Value(text(value)),
    "DateTime": lambda value: Value(moment(value)),
    "Date": lambda value: Value(moment(value)),
    "Range": lambda value: Value(range_text(value)),
    "Ratio": lambda value: Value(ratio_text(value)),
    "Period": lambda value: Value(_period_text(value)),
}


# --- time -------------------------------------------------------------------------------------------------------------


def moment(value: object) -> str | None:
    """A date with the precision that it has (`2019`, `2019-03`), or an instant in UTC; what is neither, as written."""
    written = text(value)
    if not written or not _INSTANT.fullmatch(written):
        return written
    try:
        read = datetime.fromisoformat(_FRACTION.sub(_microseconds, written))
        return read.astimezone(UTC).isoformat() if read.tzinfo else read.isoformat()
    except (ValueError, OverflowError):
        return written


def _microseconds(found: re.Match[str]) -> str:
    """A fraction of a second in the digits that datetime holds."""
    return f".{found[1][:6]:0<6}"


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*")
_FRACTION = re.compile(r"\.(\d+)")


def period(value: object) -> tuple[str | None, str | None]:
    """Start and end of a Period."""
    whole = child(value)
    return moment(whole.get("start")), moment(whole.get("end"))


def span_of(element: object, stem: str) -> tuple[str | None, str | None, str | None]:
    """Start, end and wording of an `onset[x]`, `performed[x]` and the like: an age or a range has only a wording."""
    whole = child(element)
    for name in ("DateTime", "Date", "Instant"):
        if when := moment(whole.get(f"{stem}{name}")):
            return when, None, None
    start, end = period(whole.get(f"{stem}Period"))
    if start or end:
        return start, end, None
    wording = value_of({name: whole[name] for name in whole if name.startswith(stem)}, stem)
    return None, None, with_unit(wording)


def timing_text(value: object) -> str | None:
    """How often: as the source worded it, else from its numbers: `twice a day`, `every 8 hours`."""
    repeat = child(value, "repeat")
    said = concept_text(child(value).get("code"))
    bounds = quantity(repeat.get("boundsDuration"))
    length = f"for {bounds.text} {_unit(bounds.unit, bounds.text)}" if bounds.text else None
    return joined((said or _frequency(repeat), joined(texts(repeat, "when"), ", "), length), ", ")


def _frequency(repeat: Json) -> str | None:
    times, every = text(repeat.get("frequency")) or "1", text(repeat.get("period"))
    if not every:
        return None
    unit = text(repeat.get("periodUnit"))
    if most := text(repeat.get("frequencyMax")):
        times = f"{times} to {most}"
    if times == "1" and every != "1":
        return f"every {every} {_unit(unit, every)}"
    often = {"1": "once", "2": "twice"}.get(times, f"{times} times")
    return f"{often} {'a' if every == '1' else f'every {every}'} {_unit(unit, every)}"


def _unit(code: str | None, number: str | None) -> str:
    word = _UNITS.get(code or "", code or "")
    return word if number == "1" or word not in _UNITS.values() else f"{word}s"


# --- texts ------------------------------------------------------------------------------------------------------------


def notes(resource: object, name: str = "note") -> str | None:
    """The texts of annotations, a paragraph each."""
    return joined((text(note.get("text")) for note in children(resource, name)), "\n\n")
