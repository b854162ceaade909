from __future__ import annotations

from fakes import HashEmbedder
from proband.model import AnyOf, Field, Filter, Lane, QueryPlan, Question, SectionKind, Variant
from proband.search.plan import SUBJECT, plan
from proband.settings import SearchSettings

WOMEN = Filter((AnyOf(Field.SEX, ("FEMALE",)),))


def planned(text: str, window_tokens: int = 256, where: Filter | None = None) -> QueryPlan:
    embedder = HashEmbedder(16, window_tokens)
    question = Question(text, where or Filter())
    return plan(question, embedder, SearchSettings(), lambda _: WOMEN)


def test_a_short_question_is_asked_as_it_stands() -> None:
    assert planned("stage IV lung cancer") == QueryPlan(
        standalone="stage IV lung cancer",
        variants=(Variant("stage IV lung cancer", (Lane.DENSE, Lane.LEXICAL)),),
        exact=(),
        phrases=(),
        where=Filter(),
    )


def test_white_space_is_folded() -> None:
    assert planned("  lung \n cancer ").standalone == "lung cancer"


def test_exact_terms_and_phrases_are_taken_out_of_the_question() -> None:
    made = planned('"prior chemotherapy" with E11.9')
    assert made.exact == ("=E11.9", "E11.9")
    assert made.phrases == ("prior chemotherapy",)


def test_a_registry_number_alone_is_only_looked_up() -> None:
    made = planned("NCT00000001")
    assert made.variants == ()
    assert made.exact == ("=NCT00000001", "NCT00000001")


def test_a_registry_number_among_words_is_searched_too() -> None:
    assert planned("exclusion criteria of NCT00000001").variants != ()


def test_a_short_text_over_the_window_is_split_for_the_dense_lane_only() -> None:
    made = planned("a b c d e f g", window_tokens=5)
    assert made.variants == (
        Variant("a b c d e f g", (Lane.LEXICAL,)),
        Variant("a b c", (Lane.DENSE,)),
        Variant("d e f", (Lane.DENSE,)),
        Variant("g", (Lane.DENSE,)),
    )


STORY = "She is 36 years old. " + "Her lungs hurt at night and in the morning. " * 7


def test_fifty_nine_words_are_a_question_and_sixty_a_narrative() -> None:
    assert planned("word " * 59).where == Filter()
    assert planned("word " * 60).where == WOMEN


def test_a_narrative_becomes_sub_queries_that_fit_the_window() -> None:
    made = planned(STORY, window_tokens=20)
    dense = [variant.text for variant in made.variants if Lane.DENSE in variant.lanes]
    assert "She is 36 years old." in dense
    assert all(len(text.split()) <= 18 for text in dense)
    assert set(STORY.split()) <= {word for text in dense for word in text.split()}


def test_a_narrative_looks_for_its_subject_in_titles_and_conditions() -> None:
    made = planned(STORY)
    assert {variant.kinds for variant in made.variants} == {(), SUBJECT}
    assert set(SUBJECT) == {SectionKind.TITLE, SectionKind.CONDITION}


def test_the_filter_of_a_narrative_joins_that_of_the_user() -> None:
    mine = Filter((AnyOf(Field.STATUS, ("RECRUITING",)),))
    assert planned(STORY, where=mine).where == mine.narrowed(WOMEN)
