from __future__ import annotations

from fakes import HashEmbedder
from proband.model import AnyOf, Field, Filter, Lane, QueryPlan, Question, SectionKind, Variant
from proband.search.plan import WELCOME, plan
from proband.settings import SearchSettings

WOMEN = Filter((AnyOf(Field.SEX, ("FEMALE",)),))


def planned(text: str, window_tokens: int = 256, where: Filter | None = None) -> QueryPlan:
    embedder = HashEmbedder(16, window_tokens)
    question = Question(text, where or Filter())
    return plan(question, embedder, SearchSettings(), lambda _: WOMEN)


def test_a_short_question_is_asked_as_it_stands() -> None:
    assert planned("stage IV lung cancer") == QueryPlan(
        standalone="stage IV lung cancer",
        variants=(
            Variant("stage IV lung cancer", (Lane.DENSE,)),
            Variant("stage IV lung cancer", (Lane.LEXICAL, Lane.DOCUMENT)),
        ),
        exact=(),
        phrases=(),
        where=Filter(),
    )


def test_white_space_is_folded() -> None:
    assert planned("  lung \n cancer ").standalone == "lung cancer"


def test_phrases_are_taken_out_of_the_question() -> None:
    made = planned('"prior chemotherapy" with E11.9')
    assert made.phrases == ("prior chemotherapy",)


def test_a_registry_number_alone_is_only_looked_up() -> None:
    made = planned("NCT00000001")
    assert made.variants == ()


def test_a_registry_number_among_words_is_searched_too() -> None:
    assert planned("exclusion criteria of NCT00000001").variants != ()


def test_a_short_text_over_the_window_is_split_for_the_dense_lane_only() -> None:
    made = planned("a b c d e f g", window_tokens=5)
    assert made.variants == (
        Variant("a b c", (Lane.DENSE,)),
        Variant("d e f", (Lane.DENSE,)),
        Variant("g", (Lane.DENSE,)),
        Variant("a b c d e f g", (Lane.LEXICAL, Lane.DOCUMENT)),
    )


STORY = "She is 36 years old. " + "Her lungs hurt at night and in the morning. " * 4


def test_from_the_set_number_of_words_on_a_text_is_a_narrative() -> None:
    assert planned("word " * 29).where == Filter()
    assert planned("word " * 30).where == WOMEN


def test_a_narrative_is_cut_to_windows_and_nothing_of_it_is_lost() -> None:
    dense = [variant.text for variant in planned(STORY, 20).variants if Lane.DENSE in variant.lanes]
    assert " ".join(dense) == STORY.strip()
    assert all(len(text.split()) <= 18 for text in dense)


def test_a_narrative_does_not_ask_who_is_excluded() -> None:
    kinds = {kind for variant in planned(STORY).variants for kind in variant.kinds}
    assert kinds == set(SectionKind) - {SectionKind.EXCLUSION_CRITERION}


def test_a_narrative_asks_for_the_words_of_its_findings_in_whole_documents() -> None:
    made = planned("She denies fever. " + STORY)
    (whole,) = [variant for variant in made.variants if variant.lanes == (Lane.DOCUMENT,)]
    assert "fever" not in whole.text
    assert "lungs hurt" in whole.text


def test_a_narrative_asks_the_passages_when_the_filter_lets_no_titles_in() -> None:
    criteria = Filter((AnyOf(Field.KIND, (SectionKind.INCLUSION_CRITERION,)),))
    (*_, words) = planned(STORY, where=criteria).variants
    assert (words.lanes, words.kinds) == ((Lane.LEXICAL,), WELCOME)


def test_the_filter_of_a_narrative_joins_that_of_the_user() -> None:
    mine = Filter((AnyOf(Field.STATUS, ("RECRUITING",)),))
    assert planned(STORY, where=mine).where == mine.narrowed(WOMEN)


def test_the_address_of_a_study_is_its_number() -> None:
    for address in (
        "https://clinicaltrials.gov/study/NCT99000001",
        "clinicaltrials.gov/ct2/show/NCT99000001?term=x&rank=1",
    ):
        asked = planned(address)
        assert (asked.standalone, asked.variants) == ("NCT99000001", ())
