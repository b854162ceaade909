from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from judged import evaluated_as
from proband.evaluation.report import report
from proband.evaluation.stages import Stage
from proband.model import Scale
from proband.search.certificate import Certificate, CurvePoint, Figures, MadeWith

GATE = Certificate(
    threshold=0.5,
    scale=Scale.MAXSIM,
    risk=0.1,
    confidence=0.95,
    calibration=Figures(100, 5, 80, 20, 0.05, 0.1, 0.25, 0.36),
    held_out=Figures(90, 4, 70, 7, 0.044, 0.099, 0.1, 0.42),
    curve=(CurvePoint(0.6, 0.0, 0.05, 0.5, 0.2), CurvePoint(0.5, 0.05, 0.1, 0.25, 0.36)),
    questions="",
    not_weighed=0,
    made_with=MadeWith("", "", "", "", "", 0, 0),
)


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def page() -> str:
    return report([evaluated_as({"pointed": 12}, {Stage.DENSE: 3, Stage.FUSED: 2})], GATE)


def test_nothing_is_loaded_and_nothing_runs(page: str) -> None:
    found = Elements(page).found
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in found}
    assert not [a for _, a in found if (a.get("xlink:href") or "#")[0] != "#" or "src" in a]
    assert "url(http" not in page
    assert "@import" not in page


def test_every_plot_says_what_it_shows_and_takes_the_colour_of_the_page(page: str) -> None:
    plots = [attributes for tag, attributes in Elements(page).found if tag == "svg"]
    assert [plot["aria-label"] for plot in plots] == [
        "Stages of made, a bar each",
        "nDCG@10: search less fused, a bar a topic of made",
        "nDCG@10: search less dense alone, a bar a topic of made",
        "Risk and its upper bound over coverage",
    ]
    assert "currentColor" in page
    assert "#010203" not in page


def test_no_id_stands_twice(page: str) -> None:
    ids = [attributes["id"] for _, attributes in Elements(page).found if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_table_holds_each_stage_with_its_means(page: str) -> None:
    assert "<tr><td>dense alone</td><td>12</td><td>0.908</td><td>0.875</td></tr>" in page
    assert '<tr class="last"><td>fused, reranked</td><td>12</td><td>1.000</td>' in page


def test_topics_that_differ_are_counted_and_their_texts_escaped(page: str) -> None:
    assert "3 topics better, 0 worse, 9 equal." in page
    assert "&lt;what&gt; pointed-0 asks" in page
    assert "<what>" not in page


def test_the_same_results_give_the_same_page(page: str) -> None:
    again = report([evaluated_as({"pointed": 12}, {Stage.DENSE: 3, Stage.FUSED: 2})], GATE)
    assert again == page


def test_the_gate_has_its_threshold_and_both_halves(page: str) -> None:
    assert "Threshold: 0.5000 (maxsim)" in page
    row = "<tr><td>held out</td><td>90</td><td>4.4%</td><td>9.9%</td><td>70</td><td>10.0%</td></tr>"
    assert row in page


def test_without_a_calibration_the_page_says_so() -> None:
    page = report([evaluated_as({"pointed": 1})])
    assert "The gate of this home is not calibrated." in page
    assert re.search(r"0 topics better, 0 worse, 1 equal", page)
