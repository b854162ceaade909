from __future__ import annotations

import pytest

from proband.trials.criteria import abbreviated, embed_text, split_criteria
from proband.trials.criterion import Account, CriterionKind
from unit.trials.kinds import lines_of

BLOCK = """Inclusion Criteria:

* Adequate organ function, defined as:

  * Hepatic:

    * AST \\<= 3 x ULN

Cohort A:

* Melanoma

  NOTE: any stage.

Exclusion Criteria:

* None
"""


def test_empty_block_has_no_criteria() -> None:
    split = split_criteria(" \r\n ")
    assert (split.criteria, split.incomplete, split.account) == ((), False, Account(0))


def test_ordinals_count_within_the_kind() -> None:
    split = split_criteria("Inclusion Criteria:\n* A1\n* B2\nExclusion Criteria:\n* C3")
    assert [(criterion.kind, criterion.ordinal) for criterion in split.criteria] == [
        (CriterionKind.INCLUSION, 1),
        (CriterionKind.INCLUSION, 2),
        (CriterionKind.EXCLUSION, 1),
    ]


def test_span_cites_the_published_characters() -> None:
    (criterion, *_) = split_criteria(BLOCK).criteria
    assert criterion.text == "AST <= 3 x ULN"
    assert criterion.span.of(BLOCK) == "AST \\<= 3 x ULN"


def test_account_counts_every_class() -> None:
    account = split_criteria(BLOCK).account
    assert account == Account(
        characters=len("".join(BLOCK.split())),
        header=len("InclusionCriteria:ExclusionCriteria:"),
        scope=len("CohortA:"),
        label=len("*Hepatic:"),
        criterion=len("*Adequateorganfunction,definedas:*AST\\<=3xULN*Melanoma"),
        note=len("NOTE:anystage."),
        filler=len("*None"),
    )
    assert account.unaccounted == 0


def test_parents_stand_before_the_text_that_is_embedded_and_labels_do_not() -> None:
    (criterion, *_) = split_criteria(BLOCK).criteria
    assert criterion.parents == ("Adequate organ function, defined as:",)
    assert criterion.labels == ("Hepatic",)
    assert criterion.embed_text == "Adequate organ function, defined as: AST <= 3 x ULN"


def test_parent_is_cut_to_the_given_number_of_characters() -> None:
    (criterion, *_) = split_criteria(BLOCK, parent_prefix=25).criteria
    assert criterion.embed_text == "Adequate organ function: AST <= 3 x ULN"
    assert embed_text("Fever", ["Any of these:"], 0) == "Fever"


@pytest.mark.parametrize(
    ("parent", "limit", "short"),
    [
        ("One of the following:", 160, "One of the following"),
        ("Active disease. It must be shown by biopsy.", 160, "Active disease"),
        (
            "Stage II (AJCC 8th ed.) disease of the lung:",
            160,
            "Stage II (AJCC 8th ed.) disease of the lung",
        ),
        ("Weakness of the legs, and fatigue at night", 30, "Weakness of the legs"),
        ("Weakness of both the legs and hands", 20, "Weakness of both the"),
        ("a" * 300, 160, "a" * 160),
    ],
)
def test_parent_is_abbreviated_to_its_first_sentence_or_clause(
    parent: str, limit: int, short: str
) -> None:
    assert abbreviated(parent, limit) == short


def test_scope_is_linked_to_the_registered_arm() -> None:
    text = "Inclusion Criteria:\n\nCohort A:\n\n* Melanoma\n* Arm 2: Uveitis"
    arms = ("Cohort A: 10 mg daily", "Cohort B: placebo", "2: placebo")
    assert [criterion.arms for criterion in split_criteria(text, arms).criteria] == [
        ("Cohort A: 10 mg daily",),
        ("Cohort A: 10 mg daily", "2: placebo"),
    ]


def test_line_that_is_a_registered_arm_is_a_scope() -> None:
    text = "Inclusion Criteria:\n\nSteroid sensitive asthma\n\n* FEV1 above 60%"
    (criterion,) = split_criteria(text, ("Steroid Sensitive Asthma",)).criteria
    assert criterion.arms == ("Steroid Sensitive Asthma",)


def test_eligibility_means_inclusion_only_beside_an_exclusion_list() -> None:
    listed = "Eligibility:\n\n* Gout\n"
    assert lines_of(listed) == ("? Gout",)
    assert lines_of(listed + "\nIneligibility:\n\n* Stones") == ("+ Gout", "- Stones")


def test_scope_above_both_lists_binds_both() -> None:
    text = (
        "Cohort A\n\nInclusion Criteria:\n* Gout\n\nExclusion Criteria:\n* Stones\n\n"
        "Cohort B\n\nInclusion Criteria:\n* Lupus"
    )
    assert lines_of(text) == ("+ Gout @@ Cohort A", "- Stones @@ Cohort A", "+ Lupus @@ Cohort B")


def test_heading_item_without_items_below_holds_for_its_siblings() -> None:
    text = "Inclusion Criteria:\n* Cohort A:\n* Gout\n* Cohort B:\n* Lupus"
    assert lines_of(text) == ("+ Gout @@ Cohort A", "+ Lupus @@ Cohort B")


def test_children_in_a_mixed_list_take_the_side_that_their_parent_says() -> None:
    text = (
        "Inclusion and Exclusion Criteria\n\n* Patients must have one of the following:\n\n  * Gout"
    )
    assert lines_of(text) == ("+ Gout << Patients must have one of the following:",)


@pytest.mark.parametrize("character", "a*-(•1_\\&:.;=>[①\u200b\u00a0")
def test_long_run_of_one_character_takes_linear_time(character: str) -> None:
    assert split_criteria(character * 100_000).account.unaccounted == 0


@pytest.mark.parametrize(
    "unit",
    [
        "* x\n",
        "a, ",
        "1. ",
        "**",
        "&amp;",
        "Inclusion Criteria: ",
        "Exclusion Criteria: a ",
        "Cohort A, ",
        "one of the following ",
        "<!-- -->\n",
        "Age: 18 and over Renal: none ",
        "other criteria ",
        "(1) Fever (2) Cough ",
    ],
)
def test_repeated_text_takes_linear_time(unit: str) -> None:
    head = "PATIENT CHARACTERISTICS: "
    assert split_criteria(head + unit * (50_000 // len(unit))).account.unaccounted == 0


def test_thousands_of_nested_lines_are_read() -> None:
    text = "\n".join("  " * (n % 500) + f"* item {n}:" for n in range(3_000))
    assert len(split_criteria(text).criteria) == 3_000


def test_long_block_is_covered_to_its_last_character() -> None:
    text = "Inclusion Criteria:\n\n" + "\n".join(f"{n}. Condition {n}" for n in range(1, 900))
    split = split_criteria(text)
    assert split.criteria[-1].text == "Condition 899"
    assert split.criteria[-1].span.end == len(text)
