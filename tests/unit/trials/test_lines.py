from __future__ import annotations

from proband.trials.lines import scan


def texts(published: str) -> list[str]:
    return [line.text for line in scan(published)]


def test_lines_partition_the_block() -> None:
    published = "\n  Inclusion Criteria:\r\n\r\n  -  Age 18\r\n     or older\r\n\r\n  -  Consent\n "
    lines = scan(published)
    held = "".join(published[line.start : line.end] for line in lines)
    assert "".join(held.split()) == "".join(published.split())
    assert [line.start for line in lines] == sorted(line.start for line in lines)


def test_hanging_line_is_the_end_of_its_item() -> None:
    assert texts("* Pain on most\n  days\n* Age 18") == ["Pain on most days", "Age 18"]


def test_number_at_a_hanging_line_is_text() -> None:
    assert texts("          -  Washout of\n             28. days\n\n          -  Age") == [
        "Washout of 28. days",
        "Age",
    ]


def test_hyphen_before_a_digit_at_a_hanging_line_is_text() -> None:
    assert texts("* Age 18\n  - 75 years\n* Consent") == ["Age 18 - 75 years", "Consent"]


def test_nested_bullet_below_a_colon_is_an_item() -> None:
    assert texts("- One of:\n  - Fever\n  - Cough") == ["One of:", "Fever", "Cough"]


def test_paragraphs_of_whole_sentences_are_not_joined() -> None:
    assert texts("Must be well.\nMust be 18.") == ["Must be well.", "Must be 18."]


def test_unfinished_line_is_joined_with_the_next() -> None:
    assert texts("Use of any drug within the\npast 6 months.") == [
        "Use of any drug within the past 6 months."
    ]


def test_full_line_of_a_wrapped_block_goes_on_even_with_a_capital() -> None:
    first = "        Participants who were treated before in the registration study of the drug known as"
    assert texts(f"{first}\n        Zolgensma take part.")[0].endswith(
        "known as Zolgensma take part."
    )


def test_header_directly_below_an_item_is_a_line_of_its_own() -> None:
    assert texts("• Consent\nExclusion Criteria:\n• Cancer") == [
        "Consent",
        "Exclusion Criteria:",
        "Cancer",
    ]


def test_decimal_with_a_capital_after_it_is_no_outline_number() -> None:
    assert texts("* 1.5 T scanner\n* 2.5 MHz probe") == ["1.5 T scanner", "2.5 MHz probe"]
    assert texts("1.1 Age\n1.2 Weight") == ["Age", "Weight"]


def test_footnote_needs_its_mark_at_a_word() -> None:
    (criterion, footnote) = scan("* Hepatitis\\* or cirrhosis\n\n\\* DNA above the limit")
    assert footnote.footnote
    assert footnote.text == "* DNA above the limit"
    assert not scan("* Hepatitis\n\n\\* DNA above the limit")[1].footnote
    assert not criterion.footnote


def test_text_points_at_the_published_characters() -> None:
    published = "* Age \\>= 18\n  years"
    (line,) = scan(published)
    assert line.text == "Age >= 18 years"
    assert line.reading.span.of(published) == "Age \\>= 18\n  years"
