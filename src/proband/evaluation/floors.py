"""Floors: what each collection scored once and must not fall below again.

A floor stands `MARGIN` below what was measured. Writing measured figures raises floors; it lowers one only for a stated
reason, and the file keeps the reason beside the old value.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.errors import SourceUnavailable, UsageError
from proband.evaluation.measures import Scores
from proband.evaluation.result import Evaluated
from proband.evaluation.stages import Stage

MARGIN = 0.005
"""What other processors move: products in another precision swap neighbours."""

KIND_TOPICS = 30
"""With fewer, one answer that slips from the first to the second place moves a mean by more than twice the margin."""

Figures = Mapping[str, Mapping[str, float]]
"""By collection and measure."""

HEAD = (
    "# The least that each collection scores, by measure: what was measured less 0.005, cut to three digits.\n"
    "# `proband evaluate COLLECTION... --floors FILE` checks; with --raise it writes higher floors, and only with\n"
    "# --lower REASON lower ones. docs/evaluation.md.\n"
)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A floor that was lowered: what it was, what it became, and why."""

    collection: str
    measure: str
    was: float
    now: float
    reason: str


@dataclass(frozen=True, slots=True)
class Floors:
    """The floors, and each lowering of one."""

    floors: Figures
    lowered: tuple[Lowered, ...] = ()


@dataclass(frozen=True, slots=True)
class Fallen:
    """A figure below its floor."""

    collection: str
    measure: str
    floor: float
    value: float

    def __str__(self) -> str:
        return f"{self.collection}: {self.measure} is {self.value:.4f}, its floor {self.floor:.3f}"


def figures(results: Sequence[Evaluated]) -> Figures:
    """The means of the search as it is, by collection and measure.

    A kind of question counts as a collection of its own when it has `KIND_TOPICS` scored topics.
    """
    found: dict[str, dict[str, float]] = {}
    for result in results:
        name = result.collection.name
        found[name] = _means(result.last)
        for kind, stages in result.kinds.items():
            if stages[Stage.RERANKED].topics >= KIND_TOPICS:
                found[f"{name}/{kind}"] = _means(stages[Stage.RERANKED])
    return found


def fallen(measured: Figures, floors: Figures) -> tuple[Fallen, ...]:
    """The figures below their floor, of the collections that were measured; one that is gone is 0."""
    return tuple(
        Fallen(collection, measure, floor, value)
        for collection, least in floors.items()
        if collection in measured
        for measure, floor in least.items()
        if (value := measured[collection].get(measure, 0.0)) < floor
    )


def raised(measured: Figures, held: Floors, reason: str | None = None) -> Floors:
    """The floors after these figures: the higher ones; with a reason the lower ones as well, each noted."""
    floors = {name: dict(least) for name, least in held.floors.items()}
    lowered = list(held.lowered)
    for collection, measure, value in _each(measured):
        mine, now = floors.setdefault(collection, {}), floor_of(value)
        was = mine.get(measure)
        if was is not None and now < was and value < was and reason:
            lowered.append(Lowered(collection, measure, was, now, reason))
            mine[measure] = now
        elif was is None or now > was:
            mine[measure] = now
    return Floors(floors, tuple(lowered))


def floor_of(value: float) -> float:
    """The floor that a measured value sets."""
    return max(0.0, math.floor((value - MARGIN) * 1000 + 1e-6) / 1000)


def read_floors(path: Path) -> Floors:
    """The floors of a file; none when there is no file. Raises SourceUnavailable, UsageError."""
    if not path.exists():
        return Floors({})
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        lowered = tuple(Lowered(**row) for row in found.pop("lowered", ()))
        return Floors(_checked(found.pop("floors", {})), lowered)
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is no file of floors: {error}.") from error


def write_floors(path: Path, floors: Floors) -> None:
    """Writes the file, collections and measures in order of their names."""
    tables = (
        f"\n[floors.{_quoted(name)}]\n"
        + "".join(f"{_quoted(measure)} = {least[measure]:.3f}\n" for measure in sorted(least))
        for name, least in sorted(floors.floors.items())
    )
    notes = (
        f"\n[[lowered]]\ncollection = {_quoted(one.collection)}\nmeasure = {_quoted(one.measure)}\n"
        f"was = {one.was:.3f}\nnow = {one.now:.3f}\nreason = {_quoted(one.reason)}\n"
        for one in floors.lowered
    )
    path.write_text("".join((HEAD, *tables, *notes)), encoding="utf-8")


def _means(scores: Scores) -> dict[str, float]:
    return {
        measure: mean for measure in scores.by_topic if (mean := scores.mean(measure)) is not None
    }


def _each(measured: Figures) -> Iterator[tuple[str, str, float]]:
    for collection, found in measured.items():
        for measure, value in found.items():
            yield collection, measure, value


def _checked(found: Mapping[str, Any]) -> Figures:
    return {
        name: {measure: float(floor) for measure, floor in least.items()}
        for name, least in found.items()
    }


def _quoted(text: str) -> str:
    """A basic string of TOML, which is escaped as JSON's."""
    return json.dumps(text, ensure_ascii=False)
