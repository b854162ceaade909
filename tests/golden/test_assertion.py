"""Invented sentences against what a reader wrote down before the cues were tuned: `assertion/sentences.txt`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proband.text.assertion import Certainty, Experiencer, Polarity, TimeStatus, assertions

LINES = [
    line
    for line in Path(__file__).with_name("assertion").joinpath("sentences.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
NOT_READ = {
    "For [endoscopy|t] on Friday.": "a plan without a word for it",
}
MENTION = re.compile(r"\[([^|\]]+)\|(\w*)\]")


def mentions(line: str) -> tuple[str, str, list[tuple[int, int, str]]]:
    """The heading, the text without marks, and each mention with its status."""
    heading = line.split("@")[1] if line.startswith("@") else ""
    marked = line.split("@")[-1].strip() if heading else line
    found, text, cursor = [], "", 0
    for mention in MENTION.finditer(marked):
        text += marked[cursor : mention.start()]
        found.append((len(text), len(text) + len(mention[1]), "".join(sorted(mention[2]))))
        text += mention[1]
        cursor = mention.end()
    return heading, text + marked[cursor:], found


def status(text: str, heading: str, start: int, end: int) -> str:
    letters = set()
    for one in assertions(text, heading):
        if one.span.start < end and start < one.span.end:
            letters |= {"n"} if one.polarity is Polarity.NEGATED else set()
            letters |= {"f": {"f"}, "o": {"o"}}.get(one.experiencer.value[0], set())
            letters |= {Certainty.UNCERTAIN: {"u"}, Certainty.HYPOTHETICAL: {"h"}}.get(one.certainty, set())
            letters |= {TimeStatus.HISTORICAL: {"p"}, TimeStatus.FUTURE: {"t"}}.get(one.time, set())
            assert one.experiencer in Experiencer
    return "".join(sorted(letters))


@pytest.mark.parametrize("line", LINES)
def test_each_mention_has_the_status_that_was_written_down(line: str) -> None:
    if line in NOT_READ:
        pytest.xfail(NOT_READ[line])
    heading, text, expected = mentions(line)
    found = [(text[start:end], status(text, heading, start, end)) for start, end, _ in expected]
    assert found == [(text[start:end], letters) for start, end, letters in expected]
