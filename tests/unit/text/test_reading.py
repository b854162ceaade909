from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.text.reading import Change, Piece, Reading, Span, join, plain, read


def test_white_space_reads_as_one_space_and_keeps_its_place() -> None:
    published = "  Age\r\n   18 years  "
    reading = plain(published)
    assert reading.text == "Age 18 years"
    assert reading.span == Span(2, 18)
    assert reading.span.of(published) == "Age\r\n   18 years"


@given(st.text(alphabet=" \t\r\nab\u00a0é≥", max_size=60))
def test_each_character_comes_from_its_published_range(published: str) -> None:
    reading = plain(published)
    for character, start, end in zip(reading.text, reading.starts, reading.ends, strict=True):
        assert published[start:end] == character or (
            character == " " and published[start:end].isspace()
        )


@given(st.text(alphabet=" \nab", max_size=40))
def test_plain_reading_is_what_split_and_join_give(published: str) -> None:
    assert plain(published).text == " ".join(published.split())


def test_slice_keeps_offsets() -> None:
    assert plain("one  two").slice(4, 7).span == Span(5, 8)


def test_joined_readings_take_the_space_from_the_gap() -> None:
    published = "ANC\n* >= 1.5"
    joined = join([plain(published, 0, 3), plain(published, 6)])
    assert joined.text == "ANC >= 1.5"
    assert (joined.starts[3], joined.ends[3]) == (3, 6)


def test_empty_reading_has_an_empty_span() -> None:
    assert plain(" \n ").span == Span(0, 0)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2)])
def test_span_that_runs_backwards_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end)


@pytest.mark.parametrize("pieces", [(), (Piece(1, 1, 2),)])
def test_reading_needs_a_range_behind_each_character(pieces: tuple[Piece, ...]) -> None:
    with pytest.raises(ValueError, match="published range"):
        Reading("ab", pieces)


def test_changed_text_is_read_from_the_whole_published_range() -> None:
    published = "Age &ge; 18"
    reading = read(published, 0, len(published), [Change(4, 8, "≥")])
    assert reading.text == "Age ≥ 18"
    assert (reading.starts[4], reading.ends[4]) == (4, 8)
    assert reading.slice(4, 8).span.of(published) == "&ge; 18"


def test_text_left_out_keeps_the_rest_in_place() -> None:
    published = "**bold** word"
    reading = plain(published).without([(0, 2), (6, 8)])
    assert reading.text == "bold word"
    assert reading.span == Span(2, 13)


@given(st.text(alphabet=" \nab", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_slice_of_a_reading_is_the_slice_of_text_and_ranges(published: str, a: int, b: int) -> None:
    reading, start, end = plain(published), min(a, b), max(a, b)
    part = reading.slice(start, end)
    assert part.text == reading.text[start:end]
    assert (part.starts, part.ends) == (reading.starts[start:end], reading.ends[start:end])
