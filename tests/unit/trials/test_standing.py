from __future__ import annotations

from proband.trials.headers import Header, Side
from proband.trials.labels import MAJOR, TOPIC, TURN, Label
from proband.trials.standing import Standing, merged

COLON = (True, False)


def standing_after_line() -> Standing:
    standing = Standing(Side.EXCLUSION)
    standing.fresh = False
    return standing


def line(standing: Standing) -> None:
    standing.fresh = False


def test_label_directly_below_a_label_is_one_level_in() -> None:
    standing = Standing()
    standing.open_label(Label("Laboratory", TOPIC), COLON)
    standing.open_label(Label("Blood", TOPIC), COLON)
    line(standing)
    standing.open_label(Label("Urine", TOPIC), COLON)
    assert standing.current_labels() == ("Laboratory", "Urine")


def test_label_that_turns_the_side_holds_for_its_own_lines() -> None:
    standing = Standing(Side.EXCLUSION)
    standing.open_label(Label("Prior Medication", TOPIC, length=1), COLON)
    standing.open_label(Label("Required", TURN, Side.INCLUSION, 1), COLON)
    assert standing.current_side() is Side.INCLUSION
    line(standing)
    standing.open_label(Label("Risk Behavior", TOPIC, length=1), COLON)
    assert standing.current_side() is Side.EXCLUSION
    assert standing.current_labels() == ("Risk Behavior",)


def test_side_sentence_keeps_the_label_right_above_it() -> None:
    standing = Standing()
    standing.open_label(Label("Co-existing Condition", TOPIC, length=1), COLON)
    standing.open_list(Header(Side.EXCLUSION, 1, sentence=True))
    assert standing.current_labels() == ("Co-existing Condition",)


def test_side_sentence_after_lines_ends_the_labels_and_keeps_the_scope() -> None:
    standing = Standing()
    standing.open_scope(("Cohort A",), COLON)
    standing.open_label(Label("Disease", TOPIC), COLON)
    line(standing)
    standing.open_list(Header(Side.EXCLUSION, 1, sentence=True))
    assert standing.current_labels() == ()
    assert standing.current_arms() == ("Cohort A",)


def test_header_ends_scope_and_labels() -> None:
    standing = Standing()
    standing.open_scope(("Part 1",), COLON)
    line(standing)
    standing.open_list(Header(Side.EXCLUSION, 1, ("Cohort B",)))
    assert standing.current_arms() == ("Cohort B",)


def test_scope_above_the_headers_outlives_them_until_the_next_of_its_kind() -> None:
    standing = Standing()
    standing.open_scope(("Cohort A",), COLON)
    standing.open_list(Header(Side.INCLUSION, 1))
    line(standing)
    standing.open_list(Header(Side.EXCLUSION, 1))
    assert standing.current_arms() == ("Cohort A",)
    line(standing)
    standing.open_scope(("Cohort B",), COLON)
    standing.open_list(Header(Side.INCLUSION, 1))
    assert standing.current_arms() == ("Cohort B",)


def test_scope_takes_the_place_of_the_scope_before_it() -> None:
    standing = standing_after_line()
    standing.open_scope(("Donor",), COLON)
    line(standing)
    standing.open_scope(("Recipient",), COLON)
    assert standing.current_arms() == ("Recipient",)


def test_everybody_ends_the_scope_and_is_a_label() -> None:
    standing = Standing()
    standing.open_scope(("Cohort A",), COLON)
    line(standing)
    standing.end_scope(Label("All cohorts", TOPIC), COLON)
    assert (standing.current_arms(), standing.current_labels()) == ((), ("All cohorts",))


def test_major_heading_opens_inclusion() -> None:
    standing = Standing(Side.EXCLUSION, ("Arm 1",))
    standing.open_label(Label("PATIENT CHARACTERISTICS", MAJOR, Side.INCLUSION, 1), (True, True))
    assert (standing.current_side(), standing.current_arms()) == (Side.INCLUSION, ())


def test_arms_are_merged_in_order_without_regard_to_case() -> None:
    assert merged(("Cohort A",), ("cohort a", "Part 1")) == ("Cohort A", "Part 1")
