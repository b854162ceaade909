"""How good a run is, topic by topic. The measures are those of ir-measures, but for two rules of judged pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import ir_measures
from ir_measures import RR, R, nDCG

from proband.evaluation.collection import Collection, Measure
from proband.evaluation.stages import Run


@dataclass(frozen=True, slots=True)
class Scores:
    """The value of each measure by topic, of the topics that have one."""

    by_topic: Mapping[Measure, Mapping[str, float]]

    def mean(self, measure: Measure) -> float | None:
        """Over the topics; None when no topic has a value."""
        values = self.by_topic[measure].values()
        return fmean(values) if values else None

    @property
    def topics(self) -> int:
        """How many topics have a value."""
        return max(len(values) for values in self.by_topic.values())


def score(run: Run, collection: Collection) -> Scores:
    """The collection's measures of a run, over those of its topics that have an answer and were asked in the run."""
    asked = [topic for topic in collection.scored if topic in run]
    return Scores(
        {measure: _values(measure, run, collection, asked) for measure in collection.measures}
    )


def _values(
    measure: Measure, run: Run, collection: Collection, asked: Sequence[str]
) -> Mapping[str, float]:
    match measure:
        case Measure.NDCG:
            return _calculated(nDCG @ 10, run, collection, asked)
        case Measure.CONDENSED:
            return _calculated(nDCG @ 10, _condensed(run, collection), collection, asked)
        case Measure.RECALL:
            return _calculated(R(rel=collection.relevant) @ 100, run, collection, asked)
        case Measure.MRR:
            return _calculated(RR(rel=collection.relevant), run, collection, asked)
        case Measure.PAIRS:
            return _in_order(run, collection, asked)


def _condensed(run: Run, collection: Collection) -> Run:
    """The run without the documents that nobody judged."""
    return {
        topic: [document for document in ranked if document in collection.grades[topic]]
        for topic, ranked in run.items()
    }


def _calculated(
    measure: ir_measures.Measure, run: Run, collection: Collection, asked: Sequence[str]
) -> Mapping[str, float]:
    """By topic; a topic without any document is 0."""
    qrels = [
        ir_measures.Qrel(topic, document, grade)
        for topic in asked
        for document, grade in collection.grades[topic].items()
    ]
    scored = [
        ir_measures.ScoredDoc(topic, document, -float(place))
        for topic in asked
        for place, document in enumerate(run[topic])
    ]
    found = {
        one.query_id: float(one.value) for one in ir_measures.iter_calc([measure], qrels, scored)
    }
    return {topic: found.get(topic, 0.0) for topic in asked}


def _in_order(run: Run, collection: Collection, asked: Sequence[str]) -> Mapping[str, float]:
    """By topic that has both, the share of pairs whose answer stands before the one that is against it.

    What the run lacks stands behind all that it has; two that it lacks are not in order.
    """
    shares = {}
    for topic in asked:
        place = {document: rank for rank, document in enumerate(run[topic])}
        answers = [place.get(document, len(place)) for document in collection.answers(topic)]
        against = [
            place.get(document, len(place)) for document in collection.against.get(topic, ())
        ]
        if against:
            shares[topic] = fmean(a < b for a in answers for b in against)
    return shares
