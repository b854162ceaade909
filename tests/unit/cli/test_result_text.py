from __future__ import annotations

import pytest

from proband.catalogue.studies import StudyCard
from proband.cli.result_json import result_object
from proband.cli.result_text import show_result
from proband.model import (
    ChunkId,
    DocumentHit,
    DocumentKey,
    Filter,
    Found,
    Lane,
    Passage,
    QueryPlan,
    Scale,
    SearchResult,
    SectionKind,
    Variant,
)
from proband.text.reading import Span

FOUND = (
    Found(Lane.DENSE, 0, 3, 0.81, Scale.COSINE),
    Found(Lane.LEXICAL, 0, 1, 7.5, Scale.BM25),
    Found(Lane.DENSE, 1, 2, 0.7, Scale.COSINE),
)
PASSAGE = Passage(
    chunk_id=ChunkId("00000000-0000-0000-0000-000000000001"),
    kind=SectionKind.EXCLUSION_CRITERION,
    ordinal=3,
    part=0,
    field="eligibilityCriteria",
    span=Span(10, 30),
    text="[brackets] stay",
    parents=("Any of:",),
    labels=("Hepatic",),
    arms=("Cohort B",),
    score=0.03,
    found=FOUND,
)
HIT = DocumentHit(DocumentKey("ctgov", "studies", ("NCT99000001",)), 0.03, Scale.RRF, (PASSAGE,))
PLAN = QueryPlan("q", (Variant("q"), Variant("r")), (), (), Filter())
RESULT = SearchResult(4, (HIT,), (), {"plan": 1.23456}, PLAN)
CARD = StudyCard(
    "NCT99000001", "Title [x]", "RECRUITING", None, ("PHASE2",), None, None, None, None, (), (), ()
)


def test_json_has_the_documented_shape() -> None:
    shown = result_object(RESULT, {"NCT99000001": CARD}, explain=False)
    (hit,) = shown["hits"]
    assert (shown["generation"], shown["timings_ms"]) == (4, {"plan": 1.235})
    assert (hit["document"], hit["score"], hit["scale"]) == (
        "ctgov/studies/NCT99000001",
        0.03,
        "rrf",
    )
    (passage,) = hit["passages"]
    assert passage["section"] == "EXCLUSION_CRITERION"
    assert passage["span"] == [10, 30]
    assert passage["lanes"] == {"dense": 2, "lexical": 1}
    assert (passage["ordinal"], passage["arms"]) == (3, ["Cohort B"])
    assert "found" not in passage


def test_explained_json_names_every_place_with_its_scale() -> None:
    shown = result_object(RESULT, {}, explain=True)
    assert [place["scale"] for place in shown["hits"][0]["passages"][0]["found"]] == [
        "cosine",
        "bm25",
        "cosine",
    ]
    assert [variant["text"] for variant in shown["plan"]["variants"]] == ["q", "r"]


def test_person_reads_side_scope_text_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(RESULT, {"NCT99000001": CARD}, explain=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "1. NCT99000001 RECRUITING · phase 2" in shown
    assert "Title [x]" in shown
    assert "EXCLUSION 3 Cohort B > Hepatic > Any of: > [brackets] stay" in shown
    assert "eligibilityCriteria 10-30" in shown


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(SearchResult(4, ()), {}, explain=False)
    assert "Nothing found." in capsys.readouterr().out
