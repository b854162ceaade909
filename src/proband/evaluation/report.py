"""An evaluation as one HTML file: tables and plots, nothing loaded from elsewhere, no scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from string import Template

from proband.evaluation.collection import Collection, Measure
from proband.evaluation.measures import Scores
from proband.evaluation.plots import difference_bars, risk_curve, stage_bars
from proband.evaluation.result import Evaluated
from proband.evaluation.stages import Stage
from proband.search.certificate import Certificate

EXTREMES = 5
"""Topics that are shown at each end of a comparison."""

SHOWN_CHARACTERS = 160
LANES = (Stage.DENSE, Stage.LEXICAL, Stage.DOCUMENT)
"""The lanes that most topics are asked in; the best of them is what fusion is compared with."""

PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>proband: how good the search is</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  background: Canvas; color: CanvasText }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .2rem .7rem; border-bottom: 1px solid GrayText; text-align: right }
th:first-child, td:first-child, td.text { text-align: left }
svg { max-width: 100%; height: auto }
tr.last { font-weight: 600 }
</style></head><body>
<h1>How good the search is</h1>
<p>Each lane by itself, all lanes fused, and the search as it is. A lane is scored over the topics that it was
asked for. docs/evaluation.md says what each measure is. No score is a probability.</p>
$body
</body></html>
""")


def report(results: Sequence[Evaluated], gate: Certificate | None = None) -> str:
    """The page. `gate` is the calibration of the gate, if there is one."""
    parts = [part for result in results for part in _collection(result)]
    return PAGE.substitute(body="\n".join([*parts, *_gate(gate)]))


def _collection(result: Evaluated) -> Iterator[str]:
    collection = result.collection
    yield f"<h2>{escape(collection.name)}</h2>"
    yield (
        f"<p>{len(collection.scored)} topics; median {result.median_s:.3f} s each, "
        f"longest {result.longest_s:.3f} s.</p>"
    )
    yield _table(result.stages, collection.measures)
    yield stage_bars(_by_measure(result.stages, collection.measures), collection.name)
    for kind, stages in result.kinds.items():
        yield f"<details><summary>{escape(kind)}</summary>{_table(stages, collection.measures)}</details>"
    yield from _comparisons(result)


def _table(stages: Mapping[Stage, Scores], measures: Sequence[Measure]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("stage", "topics", *measures))
    rows = []
    for stage, scores in stages.items():
        means = (scores.mean(measure) for measure in measures)
        cells = "".join(f"<td>{'' if mean is None else f'{mean:.3f}'}</td>" for mean in means)
        mark = ' class="last"' if stage is Stage.RERANKED else ""
        rows.append(f"<tr{mark}><td>{escape(stage)}</td><td>{scores.topics}</td>{cells}</tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _by_measure(
    stages: Mapping[Stage, Scores], measures: Sequence[Measure]
) -> dict[str, dict[str, float | None]]:
    return {
        measure: {stage: scores.mean(measure) for stage, scores in stages.items()}
        for measure in measures
    }


def _comparisons(result: Evaluated) -> Iterator[str]:
    """Reranking against fusion, and the search as it is against its best lane, topic by topic."""
    measure = result.collection.measures[0]
    lanes = [stage for stage in LANES if stage in result.stages]
    best = max(lanes, key=lambda lane: result.stages[lane].mean(measure) or 0.0, default=None)
    for base in (Stage.FUSED, best):
        if base is not None:
            before = result.stages[base].by_topic[measure]
            after = result.last.by_topic[measure]
            differences = {topic: after[topic] - before[topic] for topic in before}
            yield from _comparison(result.collection, differences, f"{measure}: search less {base}")


def _comparison(
    collection: Collection, differences: Mapping[str, float], label: str
) -> Iterator[str]:
    better = sum(value > 0 for value in differences.values())
    worse = sum(value < 0 for value in differences.values())
    yield f"<h3>{escape(label)}</h3>"
    yield f"<p>{better} topics better, {worse} worse, {len(differences) - better - worse} equal.</p>"
    if better or worse:
        yield difference_bars(differences, collection.name, label)
        yield _extremes(collection, differences)


def _extremes(collection: Collection, differences: Mapping[str, float]) -> str:
    ordered = sorted(differences, key=lambda topic: (-differences[topic], topic))
    shown = dict.fromkeys((*ordered[:EXTREMES], *ordered[-EXTREMES:]))
    rows = "".join(
        f"<tr><td>{escape(topic)}</td><td>{differences[topic]:+.3f}</td>"
        f'<td class="text">{escape(_short(collection.topics[topic]))}</td></tr>'
        for topic in shown
    )
    return f"<details><summary>Most gained and most lost</summary><table>{rows}</table></details>"


def _short(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= SHOWN_CHARACTERS else folded[:SHOWN_CHARACTERS].rstrip() + " …"


def _gate(gate: Certificate | None) -> Iterator[str]:
    yield "<h2>Refusal</h2>"
    if gate is None:
        yield "<p>The gate of this home is not calibrated.</p>"
        return
    chosen = "none" if gate.threshold is None else f"{gate.threshold:.4f} ({gate.scale})"
    yield (
        f"<p>Threshold: {escape(chosen)}. At most {gate.risk:.0%} of the questions that nothing answers are to be "
        f"answered, with {gate.confidence:.0%} confidence.</p>"
    )
    head = ("half of the questions", "no answer", "answered", "bound", "with answer", "refused")
    yield f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>"
    for name, some in (("calibration", gate.calibration), ("held out", gate.held_out)):
        yield (
            f"<tr><td>{name}</td><td>{some.unanswerable}</td><td>{some.risk:.1%}</td>"
            f"<td>{some.risk_bound:.1%}</td><td>{some.answerable}</td><td>{some.false_refusals:.1%}</td></tr>"
        )
    yield "</table>"
    yield "<p>As the threshold is loosened, the calibration half:</p>"
    yield risk_curve(gate.curve)
