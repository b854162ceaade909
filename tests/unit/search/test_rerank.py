from __future__ import annotations

from dataclasses import replace

import pytest

from library import Library
from proband.model import (
    Candidate,
    ChunkId,
    Filter,
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


def test_only_as_many_documents_and_passages_are_read_as_the_settings_say(library: Library) -> None:
    ids = [library.add(name, f"lung {name}") for name in "ABC"]
    groups = [group(name, (found, CRITERION)) for name, found in zip("ABC", ids, strict=True)]
    two = SearchSettings(rerank_documents=2)
    assert {hit.document for hit in reranked(library, groups, plan(STORY), two).hits} == {"A", "B"}
    none = SearchSettings(rerank_documents=0)
    assert reranked(library, groups, plan(STORY), none).hits == ()
    weak, strong = library.add("D", "unrelated"), library.add("D", "lung cancer surgery")
    one = SearchSettings(rerank_passages=1)
    both = [group("D", (weak, CRITERION), (strong, CRITERION))]
    assert reranked(library, both, plan(STORY), one).hits[0].score == 0


def test_exclusion_criteria_do_not_speak_for_a_patient(library: Library) -> None:
    refused = library.add("A", "lung cancer surgery", SectionKind.EXCLUSION_CRITERION)
    groups = [group("A", (refused, SectionKind.EXCLUSION_CRITERION))]
    assert reranked(library, groups, plan(STORY), SearchSettings()).hits == ()


def test_short_questions_and_readers_without_token_vectors_are_left_alone(library: Library) -> None:
    groups = [group("A", (library.add("A", "lung cancer"), CRITERION))]
    short = plan(Variant("lung cancer", (Lane.DENSE,)))
    assert reranked(library, groups, short, SearchSettings()).hits == ()
    with library.reader() as reader:
        assert rerank(plan(STORY), groups, reader, SearchSettings()).hits == ()


def test_a_passage_whose_text_is_gone_is_passed_over(library: Library) -> None:
    gone = library.add("A", "lung cancer")
    del library.chunks[gone]
    assert (
        reranked(library, [group("A", (gone, CRITERION))], plan(STORY), SearchSettings()).hits == ()
    )
