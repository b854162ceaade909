from __future__ import annotations

from cProfile import Profile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.trials.markup import _bold_marks, clean, without_bold


def read(published: str) -> str:
    return without_bold(clean(published, 0, len(published))).text


@pytest.mark.parametrize(
    ("published", "text"),
    [
        (r"7\. Age \>= 18", "7. Age >= 18"),
        (r"10\^9/L and 5\*", "10^9/L and 5*"),
        (r"C:\path stays", r"C:\path stays"),
        ("&gt;= &amp;gt;= &amp;amp;gt;=", ">= >= >="),
        ("&#8805; &#x2265; &ge;", "≥ ≥ ≥"),
        (r"\&lt; &\#8805;", "< ≥"),
        ("R&D, AT&T; &nosuch;", "R&D, AT&T; &nosuch;"),
        ("9&nbsp; %\u00a0now", "9 % now"),
        ("a\u200b b\ufeffc", "a bc"),
        ("one\r\n   two\tthree", "one two three"),
        ("one\ntwo", "one two"),
    ],
)
def test_published_text_reads_clean(published: str, text: str) -> None:
    assert read(published) == text


@pytest.mark.parametrize(
    ("published", "text"),
    [
        ("**Inclusion** __Criteria__", "Inclusion Criteria"),
        (r"\*\*PASI \>= 12\*\* at", "PASI >= 12 at"),
        ("dose** or rate** is", "dose** or rate** is"),
        ("signed ____ on", "signed ____ on"),
        ("snake__case__name", "snake__case__name"),
        ("**open only", "**open only"),
    ],
)
def test_bold_marks_go_and_footnote_marks_stay(published: str, text: str) -> None:
    assert read(published) == text


def test_decoded_character_is_read_from_the_whole_entity() -> None:
    published = "x &amp;gt; y"
    reading = clean(published, 0, len(published))
    at = reading.text.index(">")
    assert published[reading.starts[at] : reading.ends[at]] == "&amp;gt;"


def test_part_of_a_text_is_read_in_place() -> None:
    published = "* Age \\< 5 \n* next"
    reading = clean(published, 2, 12)
    assert reading.text == "Age < 5"
    assert reading.span.of(published) == "Age \\< 5"


@given(st.text(alphabet="ab \\*_&gt;", max_size=60))
def test_bold_marks_are_taken_out_as_a_slice_for_each_would(published: str) -> None:
    reading = clean(published, 0, len(published))
    without = reading.without(sorted(_bold_marks(reading.text)))
    found = without_bold(reading)
    assert (found.text, found.starts, found.ends) == (without.text, without.starts, without.ends)


def test_cost_of_bold_marks_among_escapes_grows_with_the_text() -> None:
    calls = [_calls(r"\*" * n + "**a" * n) for n in (500, 2000)]
    assert calls[1] < 6 * calls[0]


def _calls(published: str) -> int:
    """How many calls, lines of generators included, it takes to read `published`."""
    profile = Profile()
    profile.runcall(read, published)
    return sum(entry.callcount for entry in profile.getstats())


@given(st.text(alphabet="ab \\>&gt;*_#8805x;\u00a0\u200b\n", max_size=60))
def test_ranges_never_go_backwards(published: str) -> None:
    reading = without_bold(clean(published, 0, len(published)))
    assert list(reading.starts) == sorted(reading.starts)
    assert all(start < end for start, end in zip(reading.starts, reading.ends, strict=True))
