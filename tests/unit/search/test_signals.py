from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from library import Library, key
from proband.model import (
    AnyOf,
    Field,
    Filter,
    Float32Vector,
    Lane,
    Question,
    Scale,
    Scope,
    SectionKind,
    Signals,
    View,
    WordMatch,
)
from proband.search.pipeline import rank
from proband.search.signals import NEAR, answered, look, score
from proband.settings import SearchSettings

STORY = "a woman of 40 with asthma " + "and a long story " * 8


@pytest.fixture
def library() -> Library:
    library = Library()
    library.add("ASTHMA", "severe asthma in children")
    library.add("ASTHMA", "Coded E11.9 by the clinic", kind=SectionKind.EXCLUSION_CRITERION)
    library.add("GOUT", "attacks of gout in adults")
    for number in range(20):
        library.add("OTHER", f"severe illness number {number}")
    return library


def seen(library: Library, text: str, where: Filter | None = None) -> Signals | None:
    with library.reader() as plain:
        reader = replace(plain, tokens=library.embedder)
        question = Question(text, where or Filter())
        ranked = rank(question, Scope.public(), 1, reader, SearchSettings(rerank_documents=0))
        whole = View(1, Filter())
        return look(ranked.plan, ranked.groups, ranked.absent, whole, reader)


def signals(library: Library, text: str) -> Signals:
    found = seen(library, text)
    assert found is not None
    return found


def words(found: Sequence[WordMatch]) -> list[tuple[str, float]]:
    return [(word.word, round(word.nearest, 2)) for word in found]


def test_each_word_that_carries_meaning_is_as_near_as_the_nearest_word_of_the_best_document(
    library: Library,
) -> None:
    found = signals(library, "is there asthma in toddlers")
    assert words(found.words) == [("asthma", 1.0), ("toddlers", 0.0)]


def test_a_rare_word_counts_more_than_a_frequent_one(library: Library) -> None:
    by_word = {word.word: word for word in signals(library, "severe asthma of unicorns").words}
    assert by_word["severe"].rarity < by_word["asthma"].rarity < by_word["unicorns"].rarity == 1.0


def test_the_score_is_the_share_of_the_squares_of_rarity_that_is_answered() -> None:
    words = [WordMatch("a", 0.5, 1.0), WordMatch("b", 1.0, 0.2)]
    assert score(words) == pytest.approx(0.25 / 1.25, abs=1e-3)
    assert score([]) == 0.0


def test_a_word_is_answered_by_a_step_at_the_nearness_that_is_half_an_answer() -> None:
    nearness = (0.4, NEAR, 0.7)
    steps = [answered(WordMatch("a", 1.0, near)) for near in nearness]
    assert steps == pytest.approx([0.05, 0.5, 0.95], abs=0.005)


def test_whom_a_study_does_not_take_is_an_answer_only_to_a_question_about_that(
    library: Library,
) -> None:
    library.add("EPILEPSY", "malaria", kind=SectionKind.EXCLUSION_CRITERION)
    assert signals(library, "malaria").words[0].nearest == 0.0
    found = signals(library, "studies that exclude malaria")
    assert found.words[-1].nearest == pytest.approx(1.0)


def test_the_document_that_answers_most_of_the_first_is_scored() -> None:
    library = Library()
    library.add("FIRST", "gout gout gout gout")
    library.add("SECOND", "gout in unicorns of old")
    found = signals(library, "gout in unicorns")
    assert found.score == pytest.approx(1.0, abs=1e-3)


def test_the_margin_is_over_the_next_document(library: Library) -> None:
    found = signals(library, "severe asthma")
    assert found.score == pytest.approx(1.0, abs=1e-3)
    assert found.margin is not None
    assert 0 < found.margin < 1


def test_what_stands_literally_is_a_share_of_the_rarity(library: Library) -> None:
    assert signals(library, "severe asthma").rare == 1.0
    found = signals(library, "asthma of unicorns")
    asthma = next(word for word in found.words if word.word == "asthma")
    assert found.rare == pytest.approx(asthma.rarity**2 / (asthma.rarity**2 + 1.0))


def test_lanes_of_the_best_document_are_told(library: Library) -> None:
    assert signals(library, "severe asthma").lanes == (Lane.DENSE, Lane.LEXICAL)


def test_a_code_that_stands_is_held_and_was_only_looked_up(library: Library) -> None:
    found = signals(library, "E11.9")
    assert (found.exact, found.absent, found.looked_up) == ((1, 1), (), True)
    assert not signals(library, "E11.9 asthma").looked_up


def test_a_code_that_stands_nowhere_is_absent(library: Library) -> None:
    assert signals(library, "asthma E77.7").absent == ("E77.7",)


def test_an_identifier_written_in_another_case_is_not_absent(library: Library) -> None:
    library.add("SMALL", "vaccinated against covid-2019")
    assert signals(library, "COVID-2019 vaccine").absent == ()


def test_a_code_that_only_the_filter_hides_is_absent_there(library: Library) -> None:
    here = Filter((AnyOf(Field.DOCUMENT, (key("GOUT"),)),))
    found = seen(library, "gout E11.9", here)
    assert found is not None
    assert found.absent == ("E11.9",)


def test_a_phrase_that_was_not_found_is_absent(library: Library) -> None:
    found = signals(library, '"asthma severe"')
    assert (found.exact, found.absent, found.looked_up) == ((0, 1), ("asthma severe",), True)


def test_a_story_is_not_measured(library: Library) -> None:
    found = signals(library, STORY)
    assert (found.score, found.words) == (None, ())


def test_without_token_vectors_there_is_no_score(library: Library) -> None:
    with library.reader() as reader:
        ranked = rank(Question("asthma"), Scope.public(), 1, reader, SearchSettings())
        found = look(ranked.plan, ranked.groups, ranked.absent, View(1, Filter()), reader)
    assert found is not None
    assert (found.score, found.margin) == (None, None)


def test_nothing_found_gives_no_signals(library: Library) -> None:
    assert seen(library, "NCT09999999") is None


class Likely:
    """A cross-encoder that finds every passage an answer, longer ones more."""

    def score_pairs(self, query: str, passages: Sequence[str]) -> Float32Vector:
        return np.array([len(passage) / 10 for passage in passages], np.float32)


def test_the_score_of_a_cross_encoder_is_that_of_reranking(library: Library) -> None:
    with library.reader() as plain:
        reader = replace(plain, tokens=library.embedder, pairs=Likely())
        ranked = rank(Question("asthma in children"), Scope.public(), 1, reader, SearchSettings())
        found = look(ranked.plan, ranked.groups, (), View(1, Filter()), reader)
    assert found
    assert found.scale is Scale.SIGMOID
    best = max(len("severe asthma in children"), len("severe illness number 10"))
    assert found.score == pytest.approx(1 / (1 + np.exp(-best / 10)))
    assert found.words == ()


def test_nothing_is_weighed_where_nothing_depends_on_it(library: Library) -> None:
    with library.reader() as plain:
        reader = replace(plain, tokens=library.embedder)
        ranked = rank(Question("asthma"), Scope.public(), 1, reader, SearchSettings())
        found = look(ranked.plan, ranked.groups, (), View(1, Filter()), reader, weigh=False)
    assert found
    assert (found.score, found.words) == (None, ())
    assert found.lanes


def test_a_question_that_names_the_document_needs_no_score(library: Library) -> None:
    library.add("NCT99000001", "a rare illness of the skin")
    assert signals(library, "eligibility for NCT99000001").looked_up
    assert not signals(library, "eligibility for asthma").looked_up
