"""Plots as inline SVG: they take the page's text colour, so they can be read on light and on dark."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proband.search.certificate import CurvePoint

WIDTH_IN = 7.0
INK = "#010203"
"""Stands for the page's text colour until the SVG is written."""

BAR, GOOD, BAD = "#4477aa", "#228833", "#cc6677"
"""Of Paul Tol's colours for the colour blind; each shows on white and on black."""

STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
}

NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_ID = re.compile(r'(\bid="|url\(#|href="#)')


@mpl.rc_context(STYLE)
def stage_bars(means: Mapping[str, Mapping[str, float | None]], name: str) -> str:
    """A bar a stage, side by side for each measure; `means` by measure and stage."""
    figure, axes = _figure(len(means), 2.2)
    for place, (measure, by_stage) in zip(axes, means.items(), strict=True):
        stages = list(by_stage)[::-1]
        values = [by_stage[stage] for stage in stages]
        bars = place.barh(stages, [value or 0.0 for value in values], color=BAR)
        labels = ["" if value is None else f"{value:.3f}" for value in values]
        place.bar_label(bars, labels, padding=2, fontsize=7)
        place.set_title(measure, fontsize=8)
        place.set_xlim(0, 1.3)
        place.set_xticks([0, 0.5, 1])
        if place is not axes[0]:
            place.set_yticklabels([])
    return _svg(figure, f"stages {name}", f"Stages of {name}, a bar each")


@mpl.rc_context(STYLE)
def difference_bars(differences: Mapping[str, float], name: str, label: str) -> str:
    """A bar a topic, from the most gained to the most lost."""
    figure, (place,) = _figure(1, 2.0)
    ordered = sorted(differences.values(), reverse=True)
    colours = [GOOD if value > 0 else BAD for value in ordered]
    place.bar(range(len(ordered)), ordered, width=1.0, color=colours)
    place.axhline(0, color=INK, linewidth=0.6)
    place.set_xlabel("topics, sorted")
    place.set_ylabel("difference")
    return _svg(figure, f"{label} {name}", f"{label}, a bar a topic of {name}")


@mpl.rc_context(STYLE)
def risk_curve(points: Sequence[CurvePoint]) -> str:
    """Risk and its bound over coverage, from the strictest threshold to the loosest."""
    figure, (place,) = _figure(1, 2.8)
    ordered = sorted(points, key=lambda point: point.coverage)
    coverage = [point.coverage for point in ordered]
    seen, bound = ([point.risk for point in ordered], [point.risk_bound for point in ordered])
    place.step(coverage, seen, where="post", color=BAR, label="seen")
    place.step(coverage, bound, where="post", color=BAD, linestyle="--", label="upper bound")
    place.set_xlabel("share of all questions that are answered")
    place.set_ylabel("share of unanswerable\nquestions that are answered")
    place.set_ylim(bottom=0)
    place.legend()
    return _svg(figure, "gate", "Risk and its upper bound over coverage")


def _figure(columns: int, height_in: float) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    return figure, list(figure.subplots(1, columns, squeeze=False)[0])


def _svg(figure: Figure, name: str, says: str) -> str:
    """The figure as an element of a page: no prologue, ids of its own, the page's text colour."""
    written = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(written, format="svg", metadata=NO_METADATA)
    text = written.getvalue()
    own = f"{name.replace(' ', '-')}-"
    text = _ID.sub(lambda found: found.group() + escape(own), text[text.index("<svg") :])
    text = text.replace(INK, "currentColor")
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(says)}" ', 1)
