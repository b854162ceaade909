from __future__ import annotations

import pytest

from proband.text.keys import key, loose_keys, unpadded_key


@pytest.mark.parametrize(
    "written",
    ["MK-3475", "MK 3475", "mk3475", "MK\u20133475", "MK\u00a03475", "MK_3475", "Mk.3475"],
)
def test_dashes_blanks_and_case_do_not_count(written: str) -> None:
    assert key(written) == "mk3475"


def test_digits_that_are_parted_stay_parted() -> None:
    assert key("97-125") == "97-125"
    assert key("971-25") == "971-25"


@pytest.mark.parametrize(
    "written", ["Keytruda\u00ae", "Keytruda\u2122", "Keytruda (R)", "KeytrudaTM"]
)
def test_a_trademark_sign_is_no_part_of_the_name(written: str) -> None:
    assert key(written) == "keytruda"


def test_accents_and_greek_letters_are_spelled_out() -> None:
    assert key("Sj\u00f6gren-\u03b2") == "sjogrenbeta"


def test_leading_zeros_go_where_they_are_not_needed() -> None:
    assert unpadded_key("PF-05180999") == "pf5180999"
    assert unpadded_key("000") == "0"


@pytest.mark.parametrize("typed", ["16.0123", "16-0123", "160123", "16 123"])
def test_one_of_the_loose_keys_of_what_is_typed_is_one_of_what_was_published(typed: str) -> None:
    assert set(loose_keys("16.0123")).intersection(loose_keys(typed))


def test_nothing_has_no_key() -> None:
    assert (key(" - "), loose_keys(" - ")) == ("", ())
