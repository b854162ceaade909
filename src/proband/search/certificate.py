"""What a calibration of the gate found, and what it was made with: the contents of `gate.json`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from proband.errors import SettingsError
from proband.model import Scale

FORMAT = 1
"""Of `gate.json`; a file of another format is not read."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a threshold does to some labelled questions.

    Args:
        unanswerable: questions that nothing answers; `answered` of them reach the threshold.
        answerable: questions that something answers; `refused` of them do not reach it.
        risk: the share answered of the unanswerable.
        risk_bound: with the calibration's confidence the risk is at most this (Clopper-Pearson, one-sided).
        false_refusals: the share refused of the answerable.
        coverage: the share of all these questions that is answered.
    """

    unanswerable: int
    answered: int
    answerable: int
    refused: int
    risk: float
    risk_bound: float
    false_refusals: float
    coverage: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One threshold of the risk-coverage curve."""

    threshold: float
    risk: float
    risk_bound: float
    false_refusals: float
    coverage: float


@dataclass(frozen=True, slots=True)
class MadeWith:
    """Digests of what the scores depend on; name and counts of the generation tell quickly what corpus it is."""

    model: str
    reranker: str
    analyser: str
    corpus: str
    generation: str
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """A threshold and the risk that it bounds.

    Args:
        threshold: of the score in `scale`; None when none keeps the bound.
        risk: the share of unanswerable questions that may be answered.
        confidence: with which the bound holds, for questions like those it was made with.
        calibration: figures of the half that chose the threshold.
        held_out: figures of the other half, which had no part in it.
        curve: of the calibration half, from the strictest threshold to the loosest.
        questions: sha256 of the file.
        not_weighed: questions of the file that no threshold applies to.
    """

    threshold: float | None
    scale: Scale
    risk: float
    confidence: float
    calibration: Figures
    held_out: Figures
    curve: tuple[CurvePoint, ...]
    questions: str
    not_weighed: int
    made_with: MadeWith


def to_json(found: Certificate) -> dict[str, Any]:
    """The contents of `gate.json`."""
    return {"format": FORMAT, **asdict(found)}


def from_json(value: Any, where: str) -> Certificate:
    """Reads `gate.json`. Raises SettingsError for anything but what `to_json` gives."""
    try:
        if value["format"] != FORMAT:
            raise ValueError
        fields = {name: value[name] for name in Certificate.__dataclass_fields__}
        threshold = fields["threshold"]
        return Certificate(
            **{
                **fields,
                "threshold": None if threshold is None else float(threshold),
                "scale": Scale(fields["scale"]),
                "calibration": Figures(**fields["calibration"]),
                "held_out": Figures(**fields["held_out"]),
                "curve": tuple(CurvePoint(**point) for point in fields["curve"]),
                "made_with": MadeWith(**fields["made_with"]),
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SettingsError(
            f"{where} is no calibration that this version reads; "
            "make it again with `proband gate calibrate`, or remove it."
        ) from error
