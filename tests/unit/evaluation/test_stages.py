from __future__ import annotations

from library import Library
from proband.evaluation.stages import Stage, runs, staged
from proband.model import Filter, Question, Scope
from proband.search.pipeline import Ranked, rank
from proband.settings import SearchSettings

RULES = SearchSettings()


def library() -> Library:
    made = Library()
    made.add("LUNG", "Stage IV non-small cell lung cancer")
    made.add("BREAST", "HER2-negative breast cancer MK-3475")
    made.add("ASTHMA", "Moderate asthma in children")
    return made


def ranked(text: str, rules: SearchSettings = RULES) -> Ranked:
    with library().reader() as reader:
        return rank(Question(text), Scope.public(), 1, reader, rules)


def test_a_lane_alone_holds_what_that_lane_found_and_nothing_else() -> None:
    found = staged(ranked("HER2-negative cancer"), 10, 60)
    assert set(found[Stage.LEXICAL]) == {"BREAST", "LUNG"}
    assert found[Stage.LEXICAL][0] == "BREAST"
    assert len(found[Stage.DENSE]) == 3


def test_the_last_stage_is_the_search_as_it_is() -> None:
    whole = ranked("HER2-negative cancer")
    found = staged(whole, 10, 60)
    names = [group.document.split("/")[-1] for group in whole.groups]
    assert found[Stage.RERANKED] == names


def test_a_lane_that_the_plan_did_not_ask_is_absent_and_one_without_finds_is_empty() -> None:
    assert Stage.EXACT not in staged(ranked("asthma"), 10, 60)
    assert staged(ranked("MK-3475"), 10, 60)[Stage.EXACT] == ["BREAST"]
    assert staged(ranked('"no such wording"'), 10, 60)[Stage.EXACT] == []


def test_every_stage_is_cut_at_the_same_depth() -> None:
    found = staged(ranked("cancer"), 1, 60)
    assert [len(found[stage]) for stage in (Stage.DENSE, Stage.LEXICAL, Stage.FUSED)] == [1, 1, 1]


def test_runs_hold_only_the_topics_that_a_stage_was_asked_for() -> None:
    questions = {"1": Question("asthma"), "2": Question("MK-3475", Filter(), 1)}
    told: list[tuple[str, int, int | None]] = []

    def told_of(stage: str, done: int, total: int | None) -> None:
        told.append((stage, done, total))

    found, seconds = runs(questions, lambda question: ranked(question.text), 60, told_of)
    assert list(found[Stage.EXACT]) == ["2"]
    assert found[Stage.RERANKED]["2"] == ["BREAST"]
    assert set(seconds) == {"1", "2"}
    assert told == [("topics", 1, 2), ("topics", 2, 2)]
