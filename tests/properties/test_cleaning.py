"""What holds of every cleaned text, well-formed or not."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from proband.records.cleaning import clean
from proband.records.paragraphs import paragraphs

PIECES = st.sampled_from(
    (
        *"\n\r\t <>&;{}\\'\"-=/?\x00\u200b\u00ad\u00a0aA1é",
        *(
            "\r\n",
            "\n\n",
            "<p>",
            "</p>",
            "<br/>",
            "<!--",
            "-->",
            "<script>",
            "</script>",
            "&nbsp;",
            "&#65;",
            "<td>",
        ),
        *(
            "\\par ",
            "\\'e9",
            "\\u233 ?",
            "\\uc0 ",
            "\\bin2 ",
            "{\\*",
            "{\\fonttbl",
            "\\f1 ",
            "fever",
            "No cough. ",
        ),
        *("FAMILY HISTORY:\n", "Plan\n", "begin 644 a\n", "aGVsbG8gd29ybGQhZ" * 7),
    )
)
VALUES = st.lists(PIECES, max_size=40).map("".join)
FORMS = st.sampled_from(("", "text", "html", "rtf"))


@given(VALUES, FORMS)
def test_every_character_was_read_from_the_value_in_order(value: str, form: str) -> None:
    reading = clean(value, form).reading
    starts, ends = reading.starts, reading.ends
    assert all(0 <= start < end <= len(value) for start, end in zip(starts, ends, strict=True))
    assert list(starts) == sorted(starts)
    for character, start, end in zip(reading.text, starts, ends, strict=True):
        if end - start == 1 and not character.isspace():
            assert value[start] == character


@given(VALUES)
def test_plain_text_keeps_every_visible_character(value: str) -> None:
    if clean(value, "text").removed:
        return
    kept = re.sub(r"[\s\x00\u200b\u00ad]", "", value)
    assert re.sub(r"\s", "", clean(value, "text").reading.text) == kept


@given(VALUES, FORMS)
def test_paragraphs_are_all_of_the_text(value: str, form: str) -> None:
    reading = clean(value, form).reading
    found = paragraphs(reading)
    assert all(one.reading.text.strip() == one.reading.text != "" for one in found)
    together = "".join(one.reading.text for one in found)
    assert re.sub(r"\s", "", together) == re.sub(r"\s", "", reading.text)
