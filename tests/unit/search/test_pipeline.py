from __future__ import annotations

import pytest

from fakes import HashEmbedder
from library import MANIFEST, Library, key
from proband.adapters.memory import MemoryIndex
from proband.errors import UsageError
from proband.model import (
    AnyOf,
    AtMost,
    Facets,
    Field,
    Filter,
    Lane,
    Question,
    Ranking,
    Scale,
    Scope,
    SearchResult,
    SectionKind,
    SparseVector,
    View,
)
from proband.search.pipeline import rank, search
from proband.settings import SearchSettings

RULES = SearchSettings()
EVERYONE = Scope.public()
ANY = Filter()


def found(library: Library, text: str, where: Filter = ANY, top_k: int = 10) -> SearchResult:
    with library.reader() as reader:
        return search(Question(text, where, top_k), EVERYONE, 1, reader, RULES)


def names(result: SearchResult) -> list[str]:
    return [hit.document.parts[0] for hit in result.hits]


@pytest.fixture
def library() -> Library:
    library = Library()
    library.add("LUNG", "Stage IV non-small cell lung cancer")
    library.add("LUNG", "Prior chemotherapy is allowed")
    library.add("BREAST", "HER2-negative breast cancer", facets=Facets(sex="FEMALE"))
    library.add("ASTHMA", "Moderate asthma in children", facets=Facets(max_age_days=6575))
    return library


def test_the_study_whose_criterion_says_it_comes_first(library: Library) -> None:
    assert names(found(library, "stage 4 lung cancer"))[0] == "LUNG"


def test_a_passage_is_the_published_text_with_its_place(library: Library) -> None:
    (passage, *_) = found(library, "HER2-negative breast cancer").hits[0].passages
    assert passage.text == "HER2-negative breast cancer"
    assert (passage.kind, passage.ordinal) == (SectionKind.INCLUSION_CRITERION, 1)
    assert (passage.field, passage.span.start, passage.span.end) == ("text", 0, 27)
    assert {place.lane for place in passage.found} == {Lane.DENSE, Lane.LEXICAL}


def test_polarity_written_otherwise_is_found_first() -> None:
    library = Library()
    library.add("POSITIVE", "HER2-positive disease")
    library.add("NEGATIVE", "HER2 negative disease")
    assert names(found(library, "HER2- disease"))[0] == "NEGATIVE"


def test_a_study_stands_once_and_keeps_what_else_matched(library: Library) -> None:
    result = found(library, "lung cancer after prior chemotherapy")
    assert names(result).count("LUNG") == 1
    assert {passage.text for passage in result.hits[0].passages} == {
        "Stage IV non-small cell lung cancer",
        "Prior chemotherapy is allowed",
    }


def test_no_more_passages_are_shown_than_the_setting_says() -> None:
    library = Library()
    for number in range(9):
        library.add("MANY", f"asthma severity {number}")
    with library.reader() as reader:
        rules = SearchSettings(also_matched=2)
        result = search(Question("asthma severity"), EVERYONE, 1, reader, rules)
    assert len(result.hits[0].passages) == 3


def test_the_filter_holds_in_every_lane(library: Library) -> None:
    children = Filter((AtMost(Field.MAX_AGE_DAYS, 7000),))
    assert names(found(library, "breast cancer HER2", children)) == ["ASTHMA"]


def test_the_scope_holds_beside_the_question(library: Library) -> None:
    scope = Scope(Filter((AnyOf(Field.SEX, ("FEMALE",)),)))
    with library.reader() as reader:
        result = search(Question("cancer"), scope, 1, reader, RULES)
    assert names(result) == ["BREAST"]


def test_a_generation_before_the_first_import_is_empty(library: Library) -> None:
    with library.reader() as reader:
        result = search(Question("cancer"), EVERYONE, 0, reader, RULES)
    assert (result.generation, result.hits) == (0, ())


def test_a_registry_number_alone_gives_that_study_before_one_that_mentions_it() -> None:
    library = Library()
    library.add("NCT00000002", "Participation in NCT00000001")
    library.add("NCT00000001", "Asthma")
    for text in ("NCT00000001", "nct 00000001"):
        assert names(found(library, text)) == ["NCT00000001", "NCT00000002"]


def test_an_unknown_registry_number_finds_nothing(library: Library) -> None:
    assert found(library, "NCT09999999").hits == ()


def test_a_code_in_a_question_finds_its_row_first() -> None:
    library = Library()
    library.add("OTHER", "Diabetes E11.65, given 9 units of insulin")
    library.add("RIGHT", "Coded E11.9, by the clinic")
    result = found(library, "diabetes E11.9 insulin units")
    assert names(result)[0] == "RIGHT"
    assert Lane.EXACT in {place.lane for place in result.hits[0].passages[0].found}


def test_a_quoted_phrase_is_exact_only_where_its_words_stand_together() -> None:
    library = Library()
    library.add("TOGETHER", "No Prior  Chemotherapy for this disease")
    library.add("APART", "chemotherapy given prior to surgery")
    exact = {
        hit.document.parts[0]
        for hit in found(library, 'who had "prior chemotherapy"').hits
        for passage in hit.passages
        for place in passage.found
        if place.lane is Lane.EXACT
    }
    assert exact == {"TOGETHER"}


def test_a_quoted_phrase_that_does_not_occur_gives_no_exact_hit(library: Library) -> None:
    result = found(library, '"cancer lung"')
    lanes = {place.lane for hit in result.nearest for each in hit.passages for place in each.found}
    assert result.nearest
    assert Lane.EXACT not in lanes
    assert result.absent == ("cancer lung",)


def test_a_document_that_the_catalogue_lacks_is_named_and_replaced(library: Library) -> None:
    gone = next(chunk_id for chunk_id, chunk in library.chunks.items() if "HER2" in chunk.text)
    del library.chunks[gone]
    result = found(library, "HER2-negative breast cancer", top_k=2)
    assert result.missing == (key("BREAST"),)
    assert len(result.hits) == 2


def test_scores_say_their_scale_and_fall(library: Library) -> None:
    result = found(library, "cancer")
    assert {hit.scale for hit in result.hits} == {Scale.RRF}
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)


def test_every_stage_is_timed(library: Library) -> None:
    assert list(found(library, "cancer").timings_ms) == [
        "plan",
        "recall",
        "fuse",
        "rerank",
        "gate",
        "texts",
    ]


def test_a_question_without_words_is_refused(library: Library) -> None:
    with pytest.raises(UsageError, match="no word"):
        found(library, " ?! ")


def narrative(words: str) -> str:
    return words + " and the rest of the story is told in further words" * 6


def test_only_a_narrative_narrows_the_search_by_its_patient(library: Library) -> None:
    asked: list[str] = []

    def adults(text: str) -> Filter:
        asked.append(text)
        return Filter((AtMost(Field.MIN_AGE_DAYS, 10_000),))

    with library.reader() as reader:
        short = rank(Question("lung cancer at 45"), EVERYONE, 1, reader, RULES, adults)
        assert (asked, short.plan.where) == ([], Filter())
        story = narrative("A 45-year-old man with lung cancer.")
        long = rank(Question(story), EVERYONE, 1, reader, RULES, adults)
    assert asked == [story]
    assert long.plan.where == Filter((AtMost(Field.MIN_AGE_DAYS, 10_000),))


def test_a_narrative_keeps_the_filter_of_its_user(library: Library) -> None:
    women = Filter((AnyOf(Field.SEX, ("FEMALE",)),))
    result = found(library, narrative("A woman with breast cancer."), women)
    assert names(result) == ["BREAST"]


def test_text_beyond_the_window_is_searched_too() -> None:
    library = Library(HashEmbedder(64, window_tokens=12))
    library.add("TAIL", "zoster")
    library.add("HEAD", "asthma")
    result = found(library, "asthma " + "word " * 30 + "zoster")
    dense = {
        hit.document.parts[0]: min(place.rank for place in hit.passages[0].found)
        for hit in result.hits
    }
    assert dense["TAIL"] == 1


@pytest.mark.parametrize(
    ("top_k", "depth"), [(1, 60), (10, 60), (20, 120), (1000, 2000), (5000, 5000)]
)
def test_rankings_are_deeper_than_documents_are_wanted_within_bounds(
    top_k: int, depth: int
) -> None:
    asked: list[int] = []

    class Noted(MemoryIndex):
        def lexical(self, terms: SparseVector, view: View, limit: int) -> Ranking:
            asked.append(limit)
            return super().lexical(terms, view, limit)

    library = Library()
    library.index = Noted(MANIFEST)
    library.add("A", "asthma")
    found(library, "asthma", top_k=top_k)
    assert asked == [depth]
