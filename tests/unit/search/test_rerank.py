from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from library import Library
from proband.model import (
    Candidate,
    ChunkId,
    Filter,
    Float32Vector,
    Grouped,
    Lane,
    QueryPlan,
    Ranking,
    Scale,
    SectionKind,
    Variant,
)
from proband.search.plan import WELCOME
from proband.search.rerank import rerank
from proband.settings import SearchSettings

STORY = Variant("woman with lung cancer after surgery", (Lane.DENSE,), WELCOME)
CRITERION = SectionKind.INCLUSION_CRITERION


def plan(*variants: Variant) -> QueryPlan:
    return QueryPlan(variants[0].text, variants, (), (), Filter())


def group(name: str, *found: tuple[ChunkId, SectionKind]) -> Grouped:
    candidates = (Candidate(chunk_id, name, kind, 0.1, ()) for chunk_id, kind in found)
    return Grouped(name, 0.1, tuple(candidates))


def reranked(
    library: Library, groups: list[Grouped], asked: QueryPlan, rules: SearchSettings
) -> Ranking:
    with library.reader() as reader:
        return rerank(asked, groups, replace(reader, tokens=library.embedder), rules)


@pytest.fixture
def library() -> Library:
    return Library()


def test_score_is_the_mean_of_the_best_cosine_of_each_word_over_all_passages(
    library: Library,
) -> None:
    one, other = library.add("A", "lung cancer"), library.add("A", "surgery of a woman")
    found = reranked(
        library, [group("A", (one, CRITERION), (other, CRITERION))], plan(STORY), SearchSettings()
    )
    (hit,) = found.hits
    assert (found.lane, found.scale) == (Lane.RERANK, Scale.MAXSIM)
    held = {
        library.embedder.slot(word) for word in ["lung", "cancer", "surgery", "of", "a", "woman"]
    }
    shares = [library.embedder.slot(word) in held for word in STORY.text.split()]
    assert hit.score == pytest.approx(sum(shares) / len(shares))
    assert hit.chunk_id in (one, other)


def test_the_document_that_holds_more_of_the_words_comes_first(library: Library) -> None:
    few, most = library.add("FEW", "lung"), library.add("MOST", "lung cancer surgery")
    groups = [group("FEW", (few, CRITERION)), group("MOST", (most, CRITERION))]
    hits = reranked(library, groups, plan(STORY), SearchSettings()).hits
    assert [(hit.document, hit.rank) for hit in hits] == [("MOST", 1), ("FEW", 2)]


def test_only_as_many_passages_are_read_as_the_settings_say(library: Library) -> None:
    weak, strong = library.add("D", "unrelated"), library.add("D", "lung cancer surgery")
    one = SearchSettings(rerank_passages=1)
    both = [group("D", (weak, CRITERION), (strong, CRITERION))]
    assert reranked(library, both, plan(STORY), one).hits[0].score == 0


def test_exclusion_criteria_do_not_speak_for_a_patient(library: Library) -> None:
    refused = library.add("A", "lung cancer surgery", SectionKind.EXCLUSION_CRITERION)
    groups = [group("A", (refused, SectionKind.EXCLUSION_CRITERION))]
    assert reranked(library, groups, plan(STORY), SearchSettings()).hits == ()


SHORT = Variant("lung cancer", (Lane.DENSE, Lane.LEXICAL))


def test_short_questions_are_read_in_all_sections_and_count_as_the_settings_say(
    library: Library,
) -> None:
    exclusion = SectionKind.EXCLUSION_CRITERION
    groups = [group("A", (library.add("A", "lung cancer", exclusion), exclusion))]
    found = reranked(library, groups, plan(SHORT), SearchSettings(rerank_vote=1.5))
    assert [hit.document for hit in found.hits] == ["A"]
    assert found.vote == 1.5


def test_what_is_asked_for_exactly_is_left_as_it_was_found(library: Library) -> None:
    groups = [group("A", (library.add("A", "lung cancer"), CRITERION))]
    for asked in (
        replace(plan(SHORT), alone=True),
        replace(plan(SHORT), phrases=("lung cancer",)),
    ):
        assert reranked(library, groups, asked, SearchSettings()).hits == ()


class Lengths:
    """A cross-encoder to which a longer passage is a better answer."""

    def score_pairs(self, query: str, passages: Sequence[str]) -> Float32Vector:
        assert query == SHORT.text
        return np.array([len(passage) - 20.0 for passage in passages], np.float32)


def test_a_cross_encoder_takes_the_place_of_late_interaction(library: Library) -> None:
    short, long = (
        library.add("SHORT", "lung cancer"),
        library.add("LONG", "a sentence of 24 letters"),
    )
    groups = [group("SHORT", (short, CRITERION)), group("LONG", (long, CRITERION))]
    with library.reader() as reader:
        both = replace(reader, tokens=library.embedder, pairs=Lengths())
        found = rerank(plan(SHORT), groups, both, SearchSettings())
    assert (found.scale, found.vote) == (Scale.SIGMOID, 2.0)
    assert [(hit.document, hit.score) for hit in found.hits] == [
        ("LONG", pytest.approx(1 / (1 + np.exp(-4)))),
        ("SHORT", pytest.approx(1 / (1 + np.exp(9)))),
    ]


def test_a_reader_without_token_vectors_reranks_nothing(library: Library) -> None:
    groups = [group("A", (library.add("A", "lung cancer"), CRITERION))]
    with library.reader() as reader:
        assert rerank(plan(STORY), groups, reader, SearchSettings()).hits == ()


def test_a_passage_whose_text_is_gone_is_passed_over(library: Library) -> None:
    gone = library.add("A", "lung cancer")
    del library.chunks[gone]
    assert (
        reranked(library, [group("A", (gone, CRITERION))], plan(STORY), SearchSettings()).hits == ()
    )
