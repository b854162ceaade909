"""Builders with defaults, so that a test states only what matters to it."""

from __future__ import annotations

from typing import Any

from proband.trials.registry import parse_study
from proband.trials.study import Study

CRITERIA = "Inclusion Criteria:\n\n* Age 18 or older\n\nExclusion Criteria:\n\n* Pregnancy"


def raw_study(nct_id: str = "NCT99000001", **modules: dict[str, Any]) -> dict[str, Any]:
    """An API v2 object with an id, a title, a status and criteria; `modules` are added or replace the default ones."""
    protocol: dict[str, Any] = {
        "identificationModule": {"nctId": nct_id, "briefTitle": "Imaginol in Adults"},
        "statusModule": {"overallStatus": "RECRUITING"},
        "eligibilityModule": {"eligibilityCriteria": CRITERIA},
    }
    return {"protocolSection": protocol | modules}


def study(nct_id: str = "NCT99000001", **modules: dict[str, Any]) -> Study:
    """The study that `raw_study` describes."""
    return parse_study(raw_study(nct_id, **modules))
