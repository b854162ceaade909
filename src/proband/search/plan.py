"""From a question to what is run for it."""

from __future__ import annotations

import re
from collections.abc import Callable

from proband.errors import UsageError
from proband.model import (
    AnyOf,
    Breadth,
    Field,
    Filter,
    Lane,
    QueryPlan,
    Question,
    SectionKind,
    Variant,
)
from proband.ports import Embedder
from proband.settings import SearchSettings
from proband.text.exact import is_registry_number, quoted_phrases
from proband.text.findings import findings
from proband.text.windows import windows

WELCOME = tuple(kind for kind in SectionKind if kind is not SectionKind.EXCLUSION_CRITERION)
"""All but whom a study does not take: a patient's story is no argument for the studies that it excludes him from."""

SPECIAL_TOKENS = 2
"""Tokens that a model adds to every text; they count in its window."""

_ADDRESS = re.compile(r"\S*clinicaltrials\.gov/\S*?(NCT\d{8})\S*", re.IGNORECASE)
"""The page of a study at the registry, as it is pasted."""

ReadFilter = Callable[[str], Filter]
"""What a narrative says about its patient, as a filter that lets unknown pass."""


def plan(
    question: Question, embedder: Embedder, rules: SearchSettings, read_filter: ReadFilter
) -> QueryPlan:
    """What to run. Raises UsageError for a question without words.

    A registry number alone is only looked up; a short question is asked as it stands; a narrative becomes
    sub-queries, and `read_filter` narrows what they see. What it names exactly is read later, by `named`.
    """
    written = question.text.encode("utf-8", "replace").decode()  # a lone surrogate is no text
    text = _ADDRESS.sub(r"\1", " ".join(written.split()))
    if not any(character.isalnum() for character in text):
        raise UsageError("The question holds no word to search for.")
    phrases, where = quoted_phrases(text), question.where
    is_story = is_narrative(text, rules)
    if is_registry_number(text):
        variants: tuple[Variant, ...] = ()
    elif is_story:
        variants = _sub_queries(text, embedder, titles_fit=_titles_fit(where))
        where = where.narrowed(_yielding(read_filter(text), where))
    else:
        variants = _as_it_stands(text, embedder)
    breadth = Breadth.BROAD if is_story else Breadth.POINTED
    return QueryPlan(text, variants, (), phrases, where, breadth)


def _yielding(read: Filter, asked: Filter) -> Filter:
    """What was read from a story, without the fields that the user's own filter names: that one wins."""
    named = {condition.field for condition in asked.conditions}
    return Filter(tuple(one for one in read.conditions if one.field not in named))


def is_narrative(text: str, rules: SearchSettings) -> bool:
    """Whether `text` tells a patient's story instead of asking for something."""
    return len(text.split()) >= rules.narrative_words


def _as_it_stands(text: str, embedder: Embedder) -> tuple[Variant, ...]:
    return (
        *(Variant(part, (Lane.DENSE,)) for part in fitting(text, embedder)),
        Variant(text, (Lane.LEXICAL, Lane.DOCUMENT)),
    )


def _sub_queries(narrative: str, embedder: Embedder, *, titles_fit: bool) -> tuple[Variant, ...]:
    """The story part by part, and the words of its findings: in whole documents if the filter lets titles in."""
    words = findings(narrative)
    return (
        *(Variant(part, (Lane.DENSE,), WELCOME) for part in fitting(narrative, embedder)),
        Variant(words, (Lane.DOCUMENT,))
        if titles_fit
        else Variant(words, (Lane.LEXICAL,), WELCOME),
    )


def _titles_fit(where: Filter) -> bool:
    return all(
        SectionKind.TITLE in condition.values
        for condition in where.conditions
        if isinstance(condition, AnyOf) and condition.field is Field.KIND
    )


def fitting(text: str, embedder: Embedder) -> list[str]:
    """The parts of `text` that fit the model's window."""
    room = embedder.window_tokens - SPECIAL_TOKENS
    return windows(text, room, lambda part: embedder.token_spans([part])[0])
