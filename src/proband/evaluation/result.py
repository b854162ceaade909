"""One collection through every stage of search: the table, and what each topic gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from proband.evaluation.collection import Collection
from proband.evaluation.measures import Scores, score
from proband.evaluation.stages import Advance, Run, Search, Stage, runs
from proband.model import Question


@dataclass(frozen=True, slots=True)
class Judged:
    """A collection, its questions as they are asked, the search that answers them, and that search's k of fusion."""

    collection: Collection
    questions: Mapping[str, Question]
    search: Search
    rrf_k: int


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What each stage scored, topic by topic, by kind of question where there are kinds, and seconds by topic."""

    collection: Collection
    stages: Mapping[Stage, Scores]
    kinds: Mapping[str, Mapping[Stage, Scores]]
    seconds: Mapping[str, float]

    @property
    def last(self) -> Scores:
        """Of the search as it is."""
        return self.stages[Stage.RERANKED]

    @property
    def median_s(self) -> float:
        """Seconds of the median topic."""
        return median(self.seconds.values())

    @property
    def longest_s(self) -> float:
        """Seconds of the slowest topic."""
        return max(self.seconds.values())


def evaluated(judged: Judged, advance: Advance) -> Evaluated:
    """Asks every question once and scores each stage of what came back."""
    found, seconds = runs(judged.questions, judged.search, judged.rrf_k, advance)
    return results(judged.collection, found, seconds)


def results(
    collection: Collection, found: Mapping[Stage, Run], seconds: Mapping[str, float]
) -> Evaluated:
    """Scores each stage's run, over all topics and by kind."""

    def scored(some: Collection) -> dict[Stage, Scores]:
        return {
            stage: scores for stage, run in found.items() if (scores := score(run, some)).topics
        }

    kinds = {collection.kinds[topic] for topic in collection.scored if collection.kinds}
    by_kind = {kind: scored(collection.of_kind(kind)) for kind in sorted(kinds)}
    return Evaluated(collection, scored(collection), by_kind, seconds)


def as_object(result: Evaluated) -> dict[str, Any]:
    """The result as `--json` prints it: means by stage and measure, of all topics and by kind of question."""
    found: dict[str, Any] = {
        "collection": result.collection.name,
        "topics": len(result.collection.scored),
        "stages": _means(result.stages),
        "seconds": {"median": result.median_s, "longest": result.longest_s},
    }
    if result.kinds:
        found["kinds"] = {kind: _means(stages) for kind, stages in result.kinds.items()}
    return found


def _means(stages: Mapping[Stage, Scores]) -> dict[str, dict[str, float | int | None]]:
    return {
        stage: {"topics": scores.topics, **{name: scores.mean(name) for name in scores.by_topic}}
        for stage, scores in stages.items()
    }
