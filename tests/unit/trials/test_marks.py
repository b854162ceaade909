from __future__ import annotations

import pytest

from proband.trials.marks import Mark, Style, read_marks, roman_value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("* Age", "Age"),
        ("• Age", "Age"),
        ("•Age", "Age"),
        ("-Age", "Age"),
        ("o Consent", "Consent"),
        ("\uf0b7 Age", "Age"),
        ("1. Age", "Age"),
        ("1.Age", "Age"),
        ("(2) Age", "Age"),
        ("（2） Age", "Age"),
        ("3、Age", "Age"),
        ("4- Age", "Age"),
        ("1.- Edad", "Edad"),
        ("iv) Age", "Age"),
        ("II. Age", "Age"),
        ("b. Age", "Age"),
        ("③ Age", "Age"),
        ("二、年龄", "年龄"),
        ("* 1. Age", "Age"),
        ("- a) Age", "Age"),
        ("2.1. Age", "Age"),
    ],
)
def test_list_mark_is_read_off(text: str, words: str) -> None:
    _, at = read_marks(text)
    assert text[at:] == words


@pytest.mark.parametrize(
    "text",
    [
        "1.5 x ULN",
        "-65 years",
        "18-75 years",
        "5-FU",
        "of a kind",
        "o diabete",
        "E. coli",
        "S. aureus",
        "i.e. one",
        "T cells",
        "> 18 years",
        "2019. Year",
        "(see below) x",
        "**bold**",
    ],
)
def test_text_that_only_looks_like_a_mark_is_left(text: str) -> None:
    assert read_marks(text) == ((), 0)


def test_marks_come_outermost_first() -> None:
    marks, _ = read_marks("* 12) Age")
    assert [(mark.style, mark.value, mark.form) for mark in marks] == [
        (Style.BULLET, 0, "*"),
        (Style.NUMBER, 12, ")"),
    ]


def test_letter_i_follows_h_and_roman_i_opens_a_list() -> None:
    (letter_h,), _ = read_marks("h. Metal")
    (letter_i,), _ = read_marks("i. Fear")
    (roman_two,), _ = read_marks("ii. Heat")
    assert letter_i.follows(letter_h)
    assert letter_i.opens
    assert roman_two.follows(letter_i)


def test_mark_of_another_form_does_not_follow() -> None:
    assert not Mark(Style.NUMBER, 2, ")").follows(Mark(Style.NUMBER, 1, "."))
    assert Mark(Style.NUMBER, 3, ".").follows(Mark(Style.NUMBER, 1, "."))
    assert not Mark(Style.NUMBER, 4, ".").follows(Mark(Style.NUMBER, 1, "."))


@pytest.mark.parametrize(
    ("name", "value"),
    [("i", 1), ("iv", 4), ("ix", 9), ("xiv", 14), ("iiii", 0), ("vx", 0), ("xl", 40)],
)
def test_roman_numbers_have_one_spelling(name: str, value: int) -> None:
    assert roman_value(name) == value
