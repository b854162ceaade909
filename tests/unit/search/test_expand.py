"""What stands around a passage: which lines, in which order, and how much of them."""

from __future__ import annotations

from typing import Any

import pytest

from expansion import passages_of
from factories import study
from fakes import HashEmbedder
from proband.model import AnyOf, Field, Filter, NoneOf, Passage, SectionKind
from proband.search.around import Relation
from proband.search.expand import Context, Cut, expand, fitting
from proband.text.reading import plain
from proband.trials.documents import study_document
from proband.trials.study import Study

PLENTY = 1000
CRITERIA = """Inclusion Criteria:

* Age 18 or older
* Adequate organ function:
    * Platelets 100 or more
    * Any of:
        * Bilirubin normal
        * ALT normal
    * Creatinine normal
* Consent given

Exclusion Criteria:

* Pregnancy
* Infection, such as
    * Hepatitis B
    * HIV
"""
LONG = "One two three. Four five six. Seven eight nine. Ten eleven twelve. Last of all."


def trial(eligibility: str = CRITERIA, **modules: Any) -> Study:
    return study(eligibilityModule={"eligibilityCriteria": eligibility}, **modules)


def passage(found: Study, text: str, window: int = 256) -> Passage:
    return next(one for one in passages_of(found, window) if one.text == text)


def around(
    text: str,
    budget: int = PLENTY,
    found: Study | None = None,
    where: Filter = Filter(),  # noqa: B008
    window: int = 256,
) -> Context:
    found = found or trial()
    asked = passage(found, text, window)
    return expand(asked, study_document(found).sections, budget, HashEmbedder(), where)


def told(context: Context) -> list[tuple[str, str]]:
    return [(one.relation.value, one.text) for one in context.slices]


def test_the_line_above_stands_before_the_lines_beside_in_the_order_of_the_document() -> None:
    context = around("Creatinine normal")
    assert told(context) == [
        ("parent", "Adequate organ function:"),
        ("sibling", "Platelets 100 or more"),
        ("sibling", "Any of:"),
        ("sibling", "Bilirubin normal"),
        ("sibling", "ALT normal"),
    ]
    assert (context.before, context.after) == (context.slices, ())
    assert (context.tokens, context.left_out) == (3 + 4 + 2 + 2 + 2, 0)


def test_the_nearest_line_above_is_given_first() -> None:
    assert told(around("ALT normal", budget=2)) == [("parent", "Any of:")]
    assert told(around("ALT normal", budget=5)) == [
        ("parent", "Adequate organ function:"),
        ("parent", "Any of:"),
    ]
    assert told(around("ALT normal", budget=7))[-1] == ("sibling", "Bilirubin normal")


def test_lines_beside_are_given_nearest_first_and_a_line_that_does_not_fit_ends_its_side() -> None:
    found = trial("Inclusion Criteria:\n\n* aa\n* b b b b b\n* cc\n* dd\n* ee\n* ff")
    context = around("cc", budget=3, found=found)
    assert told(context) == [("sibling", "dd"), ("sibling", "ee"), ("sibling", "ff")]
    assert (context.tokens, context.left_out) == (3, 2)


def test_a_line_beside_comes_whole_with_what_stands_below_it_or_not_at_all() -> None:
    assert ("sibling", "Adequate organ function:") not in told(around("Consent given", budget=12))
    whole = around("Consent given", budget=18)
    assert [text for _, text in told(whole)][:3] == [
        "Adequate organ function:",
        "Platelets 100 or more",
        "Any of:",
    ]


def test_what_stands_below_a_line_comes_before_what_stands_beside_it() -> None:
    assert told(around("Infection, such as", budget=3)) == [
        ("child", "Hepatitis B"),
        ("child", "HIV"),
    ]
    assert told(around("Infection, such as"))[0] == ("sibling", "Pregnancy")


def test_a_line_that_only_introduces_others_is_cited_by_its_own_span() -> None:
    found = trial()
    (parent, *_) = around("Creatinine normal", found=found).before
    assert (parent.ordinal, parent.relation) == (None, Relation.PARENT)
    assert parent.span.of(found.eligibility) == "Adequate organ function:"


def test_a_line_above_that_is_a_criterion_is_named_as_one() -> None:
    (parent, *_) = around("Hepatitis B").before
    assert (parent.kind, parent.ordinal) == (SectionKind.EXCLUSION_CRITERION, 2)


def test_lines_of_the_other_side_are_never_beside() -> None:
    texts = {text for _, text in told(around("Consent given"))}
    assert texts.isdisjoint({"Pregnancy", "HIV"})


def test_lines_below_another_heading_are_not_beside() -> None:
    found = trial("Inclusion Criteria:\n\nRENAL:\n\n* aa\n* bb\n\nHEPATIC:\n\n* cc\n* dd")
    assert told(around("cc", found=found)) == [("sibling", "dd")]


def test_other_outcomes_stand_beside_an_outcome() -> None:
    outcomes = {"primaryOutcomes": [{"measure": "Pain"}, {"measure": "Sleep"}]}
    found = study(outcomesModule=outcomes)
    context = around("Sleep", found=found)
    assert [(one.field, one.text) for one in context.slices] == [("outcomes[0]", "Pain")]


def test_rest_of_a_long_section_reads_on_from_the_passage_without_repeating_the_overlap() -> None:
    found = study(descriptionModule={"detailedDescription": LONG})
    parts = [one.text for one in passages_of(found, window=9) if one.field == "detailedDescription"]
    assert parts == [
        "One two three. Four five six. Seven eight nine.",
        "eight nine. Ten eleven twelve. Last of all.",
    ]
    for part in parts:
        context = around(part, found=found, window=9)
        read = [*(one.text for one in context.before), part, *(one.text for one in context.after)]
        assert " ".join(read) == LONG
        assert {one.relation for one in context.slices} == {Relation.PART}


def test_rest_that_does_not_fit_is_cut_where_a_sentence_ends_and_says_so() -> None:
    found = study(descriptionModule={"detailedDescription": f"{LONG} {LONG}"})
    part = "eight nine. Ten eleven twelve. Last of all."
    context = around(part, budget=8, found=found, window=9)
    assert [(one.text, one.cut) for one in context.slices] == [
        ("Four five six. Seven", Cut.START),
        ("One two three.", Cut.END),
    ]
    assert (context.tokens, context.left_out) == (7, 2)


def test_side_that_is_short_leaves_its_room_to_the_other() -> None:
    found = study(descriptionModule={"detailedDescription": LONG})
    first = "One two three. Four five six. Seven eight nine."
    context = around(first, budget=6, found=found, window=9)
    assert told(context) == [("part", "Ten eleven twelve. Last of all.")]


def test_filter_on_kinds_holds_for_what_stands_around() -> None:
    text = "Eligibility:\n\n* Patients are excluded who have:\n    * asthma\n    * asthma attacks"
    found = trial(text)
    kinds = {one.kind for one in passages_of(found)}
    assert SectionKind.EXCLUSION_CRITERION in kinds
    without = Filter((NoneOf(Field.KIND, (SectionKind.EXCLUSION_CRITERION,)),))
    assert told(around("asthma", found=found))
    assert told(around("asthma", found=found, where=without)) == []
    titles = Filter((AnyOf(Field.KIND, (SectionKind.TITLE,)),))
    assert told(around("asthma", found=found, where=titles)) == []


def test_what_is_shown_already_is_not_given_again() -> None:
    found = trial()
    asked = passage(found, "Creatinine normal")
    others = [passage(found, "ALT normal"), passage(found, "Platelets 100 or more"), asked]
    shown = [(one.field, one.span) for one in others]
    context = expand(asked, study_document(found).sections, PLENTY, HashEmbedder(), shown=shown)
    assert told(context) == [
        ("parent", "Adequate organ function:"),
        ("sibling", "Any of:"),
        ("sibling", "Bilirubin normal"),
    ]


def test_rest_ends_where_the_next_part_that_is_shown_begins() -> None:
    found = study(descriptionModule={"detailedDescription": f"{LONG} {LONG} {LONG}"})
    parts = [one for one in passages_of(found, window=9) if one.field == "detailedDescription"]
    first, last = parts[0], parts[-1]
    shown = [(one.field, one.span) for one in (first, last)]
    context = expand(first, study_document(found).sections, PLENTY, HashEmbedder(), shown=shown)
    (between,) = context.slices
    assert (between.span.start, between.span.end) == (first.span.end + 1, last.span.start - 1)
    assert context.left_out == 0


def test_no_room_gives_nothing_and_counts_what_there_was() -> None:
    context = around("Hepatitis B", budget=0)
    assert (context.slices, context.tokens, context.left_out) == ((), 0, 2)


def test_a_passage_that_the_sections_do_not_hold_has_no_context() -> None:
    other = study_document(trial("Inclusion Criteria:\n\n* Something else\n* More")).sections
    assert expand(passage(trial(), "Consent given"), other, PLENTY, HashEmbedder()) == Context()
    assert expand(passage(trial(), "Age 18 or older"), other, PLENTY, HashEmbedder()) == Context()


@pytest.mark.parametrize(
    ("room", "from_end", "text", "tokens"),
    [
        (6, False, "One two. Three four. Five six.", 6),
        (5, False, "One two. Three four.", 4),
        (5, True, "Three four. Five six.", 4),
        (2, True, "Five six.", 2),
        (1, False, "", 0),
    ],
)
def test_as_many_whole_sentences_as_fit(room: int, from_end: bool, text: str, tokens: int) -> None:
    reading = plain("One two. Three four. Five six.")
    embedder = HashEmbedder()

    def count(text: str) -> list[tuple[int, int]]:
        return embedder.token_spans([text])[0]

    found, used = fitting(reading, room, count, from_end=from_end)
    assert (found.text, used) == (text, tokens)
