"""The sample's raw studies, for tests: by NCT id, with the parts that several tests look at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from proband.sample import studies_folder

Raw = dict[str, Any]


@cache
def raw_studies() -> dict[str, Raw]:
    """Every study of the sample by the name of its file."""
    paths = sorted(studies_folder().glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def module(study: Raw, name: str) -> Raw:
    """A module of the protocol section, empty when the study has none."""
    found: Raw = study["protocolSection"].get(name, {})
    return found


def eligibility(study: Raw) -> str:
    """The eligibility text as published."""
    text: str = module(study, "eligibilityModule")["eligibilityCriteria"]
    return text


def status(study: Raw) -> str:
    """The overall recruitment status."""
    text: str = module(study, "statusModule")["overallStatus"]
    return text


def sites(study: Raw) -> list[Raw]:
    """The sites; a withdrawn study may have none."""
    found: list[Raw] = module(study, "contactsLocationsModule").get("locations", [])
    return found


def strings(value: Any) -> Iterator[str]:
    """Every text inside a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


def paths(value: Any, path: str = "") -> Iterator[str]:
    """The path of every field inside a JSON value, `[]` for the items of a list."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield f"{path}.{name}"
            yield from paths(item, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, f"{path}[]")
