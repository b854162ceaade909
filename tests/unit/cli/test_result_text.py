from __future__ import annotations

from dataclasses import replace

import pytest

from proband.catalogue.studies import StudyCard
from proband.cli.result_json import result_object
from proband.cli.result_text import show_result
from proband.model import (
    AnyOf,
    AtLeast,
    AtMost,
    ChunkId,
    DocumentHit,
    DocumentKey,
    Field,
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
from proband.search.around import Relation
from proband.search.expand import Context, Cut, Slice
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


def test_explained_json_has_the_rank_of_each_study_in_each_lane() -> None:
    hit = replace(HIT, found=(Found(Lane.DENSE, 1, 4, 0.7, Scale.COSINE), *FOUND[:2]))
    shown = result_object(replace(RESULT, hits=(hit,)), {}, explain=True)["hits"][0]
    assert shown["lanes"] == {"dense": 3, "lexical": 1}
    assert shown["found"][0] == {
        "lane": "dense",
        "variant": 1,
        "rank": 4,
        "score": 0.7,
        "scale": "cosine",
        "vote": 1.0,
    }
    assert "found" not in result_object(RESULT, {}, explain=False)["hits"][0]


def test_person_reads_side_scope_text_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(RESULT, {"NCT99000001": CARD}, explain=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "1. NCT99000001 RECRUITING · phase 2" in shown
    assert "Title [x]" in shown
    assert "EXCLUSION 3 Cohort B > Hepatic > Any of: > [brackets] stay" in shown
    assert "eligibilityCriteria 10-30" in shown


def test_no_line_ends_in_blanks_and_none_is_wider_than_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    long = replace(PASSAGE, text="word " * 60)
    where = Filter((AtMost(Field.MIN_AGE_DAYS, 19_724), AtLeast(Field.MAX_AGE_DAYS, 19_724)))
    result = replace(
        RESULT, hits=(replace(HIT, passages=(long,)),), plan=replace(PLAN, where=where)
    )
    show_result(result, {"NCT99000001": CARD}, explain=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert max(map(len, lines)) <= 60


def test_explanation_names_what_was_asked_once_and_cuts_no_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    story = QueryPlan("q", (Variant("a story " * 20), Variant("its findings")), (), (), Filter())
    show_result(replace(RESULT, plan=story), {}, explain=True)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("its findings") == 1
    assert shown.count("a story") == 20
    assert (
        "NCT99000001 EXCLUSION 3: lexical 1 (bm25 7.5000, asked 1), "
        "dense 2 (cosine 0.7000, asked 2), dense 3 (cosine 0.8100, asked 1)"
    ) in shown


CONTEXT = Context(
    before=(
        Slice(
            Relation.PARENT,
            PASSAGE.kind,
            None,
            "eligibilityCriteria",
            Span(0, 7),
            "Any of:",
            cut=None,
        ),
        Slice(
            Relation.SIBLING,
            PASSAGE.kind,
            2,
            "eligibilityCriteria",
            Span(8, 9),
            "[x]",
            arms=("Cohort B",),
            cut=Cut.START,
        ),
    ),
    after=(Slice(Relation.PART, PASSAGE.kind, 3, "eligibilityCriteria", Span(31, 35), "and so"),),
    tokens=7,
    left_out=1,
)


def test_context_stands_around_the_passage_after_bars_in_the_order_of_the_document(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_result(RESULT, {}, explain=False, around={PASSAGE.chunk_id: CONTEXT})
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:7] == [
        "   | Any of:  (eligibilityCriteria 0-7)",
        "   | EXCLUSION 2  Cohort B > ... [x]  (eligibilityCriteria 8-9)",
        "   EXCLUSION 3  Cohort B > Hepatic > [brackets] stay  (dense 2, lexical 1;",
        "   eligibilityCriteria 10-30)",
        "   | and so  (eligibilityCriteria 31-35)",
        "   | (1 more line around it not shown whole)",
    ]


def test_a_blank_line_parts_the_passages_that_have_their_context(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = replace(RESULT, hits=(replace(HIT, passages=(PASSAGE, PASSAGE)),))
    show_result(result, {}, explain=False, around={PASSAGE.chunk_id: CONTEXT})
    lines = capsys.readouterr().out.splitlines()
    assert lines[6:9] == [
        "   | (1 more line around it not shown whole)",
        "",
        "   | Any of:  (eligibilityCriteria 0-7)",
    ]


def test_context_in_json_is_cited_slice_by_slice() -> None:
    shown = result_object(RESULT, {}, explain=False, around={PASSAGE.chunk_id: CONTEXT})
    (passage,) = shown["hits"][0]["passages"]
    assert [(one["relation"], one["side"]) for one in passage["context"]] == [
        ("parent", "before"),
        ("sibling", "before"),
        ("part", "after"),
    ]
    assert passage["context"][1] == {
        "relation": "sibling",
        "side": "before",
        "section": "EXCLUSION_CRITERION",
        "ordinal": 2,
        "text": "[x]",
        "field": "eligibilityCriteria",
        "span": [8, 9],
        "labels": [],
        "arms": ["Cohort B"],
        "cut": "start",
    }
    assert (passage["context_tokens"], passage["context_left_out"]) == (7, 1)


def test_foot_tells_the_filter_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    where = Filter((AtMost(Field.MIN_AGE_DAYS, 19_724), AnyOf(Field.STATUS, ("RECRUITING",))))
    show_result(replace(RESULT, plan=replace(PLAN, where=where)), {}, explain=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "only where lowest age at most 54 years; status: recruiting" in shown


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(SearchResult(4, ()), {}, explain=False)
    assert "Nothing found." in capsys.readouterr().out
