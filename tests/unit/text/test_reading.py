from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.text.reading import Reading, Span, join, plain


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


def test_reading_needs_an_offset_for_each_character() -> None:
    with pytest.raises(ValueError, match="one start and one end"):
        Reading("ab", (0,), (1, 2))
