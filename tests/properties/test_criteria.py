"""What holds of every eligibility text, well-formed or not."""

from __future__ import annotations

import gzip
import html
import json
import random
import re
from collections.abc import Iterator
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.trials.criteria import split_criteria
from proband.trials.criterion import Criterion, Split
from shared_data import shared

PIECES = (
    *"\n\r\t :;.,*-•o()[]①\\&<>=≥“é",
    "\n\n",
    "\r\n",
    "    ",
    "\n  * ",
    "\n     -  ",
    "\n1. ",
    "\n2) ",
    "\ni. ",
    "Inclusion Criteria:",
    "Exclusion Criteria",
    "PATIENT CHARACTERISTICS:",
    "Renal: ",
    "Excluded within 30 days:",
    "Cohort A",
    "Phase 1b and 2",
    "All cohorts:",
    "One of the following:",
    "Patients must have:",
    "You are not eligible if you:",
    "**bold**",
    "&amp;gt;=",
    "&nbsp;",
    "\\>",
    "\u200b",
    "\u00a0",
    "NOTE:",
    "None",
    "OR",
    "<!-- -->",
    "Please contact site",
    "= (140 - age) x weight",
    "入选标准：",
    "platelets",
    "100 x 10^9/L",
    "word ",
)
INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
blocks = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def holds(published: str, split: Split) -> None:
    """The promises of a split: nothing lost, nothing invented, everything in place."""
    assert split.account.characters == sum(map(len, published.split()))
    assert split.account.unaccounted == 0
    for criterion in split.criteria:
        assert criterion.text == criterion.text.strip() != ""
        assert all(is_read_from(published, *read) for read in characters(criterion))
    spans = [criterion.span for criterion in split.criteria]
    assert all(before.end <= after.start for before, after in pairwise(spans))


def characters(criterion: Criterion) -> Iterator[tuple[str, int, int]]:
    reading = criterion.reading
    return zip(reading.text, reading.starts, reading.ends, strict=True)


def is_read_from(published: str, character: str, start: int, end: int) -> bool:
    """Whether the published range says this character: itself, an escape, an entity, or white space."""
    raw = published[start:end]
    if character == " ":
        return not "".join(INVISIBLE.sub("", unescaped(raw)).split()).strip("*_")
    return character in unescaped(raw)


def unescaped(raw: str) -> str:
    while (decoded := html.unescape(raw)) != raw:
        raw = decoded
    return raw


@given(blocks)
def test_nothing_is_lost_and_every_character_has_its_place(published: str) -> None:
    holds(published, split_criteria(published))


@given(st.text(max_size=200))
def test_any_text_is_read(published: str) -> None:
    holds(published, split_criteria(published))


@given(blocks)
def test_line_ends_do_not_matter(published: str) -> None:
    unix = published.replace("\r\n", "\n").replace("\r", "\n")
    assert said(unix.replace("\n", "\r\n")) == said(unix)


@given(blocks)
def test_ordinals_count_each_kind_from_one(published: str) -> None:
    seen: dict[str, int] = {}
    for criterion in split_criteria(published).criteria:
        assert criterion.ordinal == seen.get(criterion.kind, 0) + 1
        seen[criterion.kind] = criterion.ordinal


@given(blocks, st.integers(0, 200))
def test_parents_in_the_embedded_text_keep_their_limit(published: str, limit: int) -> None:
    for criterion in split_criteria(published, parent_prefix=limit).criteria:
        above = len(criterion.embed_text) - len(criterion.text)
        assert 0 <= above <= (limit + 2) * len(criterion.parents)
        assert criterion.embed_text.endswith(criterion.text)


@given(blocks, st.lists(st.sampled_from(["Cohort A: low dose", "Control", "1"]), max_size=3))
def test_arm_names_change_only_the_arms_of_numbered_parts(published: str, arms: list[str]) -> None:
    with_names = split_criteria(published, arms)
    assert with_names.account == split_criteria(published).account


def said(published: str) -> list[tuple[object, ...]]:
    split = split_criteria(published)
    return [
        (one.kind, one.text, one.parents, one.labels, one.arms, split.incomplete)
        for one in split.criteria
    ]


@pytest.mark.shared
def test_mutated_registry_text_is_read() -> None:
    """Characters and lines of real texts are cut, doubled and swapped."""
    draw = random.Random(20261130)
    with gzip.open(shared("data/trials/studies.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, 6_000, 15):
            study = json.loads(line)
            text = study["protocolSection"]["eligibilityModule"]["eligibilityCriteria"]
            published = mutated(text, draw)
            holds(published, split_criteria(published))


def mutated(text: str, draw: random.Random) -> str:
    for _ in range(draw.randint(1, 8)):
        at, length = draw.randrange(len(text) + 1), draw.randint(1, 40)
        piece = draw.choice(PIECES)
        cut = text[:at] + text[at + length :]
        doubled = text[:at] + text[at : at + length] * 2 + text[at + length :]
        text = draw.choice([cut, doubled, text[:at] + piece + text[at:]])
    return text


@pytest.mark.shared
def test_visible_cases_are_exact() -> None:
    """At least 97 of 100 rows of the development pack; text, side, order, parents, labels, arms, incompleteness."""
    rows = [
        json.loads(line)
        for line in shared("cases/criteria.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    exact = sum(is_exact(row) for row in rows)
    assert exact >= 0.97 * len(rows)


def is_exact(row: dict[str, object]) -> bool:
    expected = row["expect"]
    assert isinstance(expected, list)
    want = [
        (
            one["kind"],
            ending(one["text"]),
            *(tuple(map(key, one[name])) for name in ("parents", "labels", "arms")),
        )
        for one in expected
    ]
    split = split_criteria(str(row["text"]))
    got = [
        (
            one.kind,
            ending(one.text),
            *(tuple(map(key, names)) for names in (one.parents, one.labels, one.arms)),
        )
        for one in split.criteria
    ]
    return got == want and split.incomplete == row["incomplete"]


def key(text: str) -> str:
    return ending(text).casefold()


def ending(text: str) -> str:
    return " ".join(text.replace("\u200b", "").split()).rstrip(".;,:。；：， ")
