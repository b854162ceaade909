"""Whether two texts say the same of what both name: positive or negative, given or not given.

Embeddings hardly see it (HER2-positive and HER2-negative are 0.975 alike), so the gate is told beside the score.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from proband.model import Agreement, SectionKind
from proband.text.analyser import terms

_DENIED = re.compile(
    r"\b(?:no|not|without|never|neither|nor|none|denie[sd]|absence of|free of|naive to|untreated with"
    r"|(?:does|do|did|was|were|is|are|has|have|had|could|can)n['’]?t|cannot)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.;:,()]|\b(?:but|with|who|and|or|that|despite)\b", re.IGNORECASE)
STATE = " state"
"""Ends the name of what was given a sign (`HER2-`, `ER positive`), which is compared even where nothing is denied."""

_OTHER = {"+": "-", "-": "+"}
_EXCLUDES = re.compile(
    r"\bexclu(?:de[sd]?|ding|sions?)\b|\bnot (?:eligible|allowed)\b", re.IGNORECASE
)


def asks_for_exclusion(question: str) -> bool:
    """Whether the question is about whom studies do not take."""
    return _EXCLUDES.search(question) is not None


def agreement(question: str, passages: Iterable[tuple[SectionKind, str]]) -> Agreement:
    """Between the question and the passages, on what the question denies and on what both give a sign.

    What a question only names is not compared: half of all studies deny some word of it somewhere. An exclusion
    criterion states the opposite of its words. One passage that agrees is enough: a study has lines for several groups.
    """
    asked, found = stated(question), Agreement.SILENT
    turned = not asks_for_exclusion(question)
    for kind, text in passages:
        held = stated(text)
        if turned and kind is SectionKind.EXCLUSION_CRITERION:
            held = {name: frozenset(map(_OTHER.__getitem__, signs)) for name, signs in held.items()}
        compared = [
            name for name in asked.keys() & held if name.endswith(STATE) or "-" in asked[name]
        ]
        if any(asked[name] & held[name] for name in compared):
            return Agreement.AGREES
        if compared:
            found = Agreement.OPPOSES
    return found


def stated(text: str) -> dict[str, frozenset[str]]:
    """What `text` names, each with `+` (given) or `-` (denied) or both; receptor and other signs as a `STATE`."""
    signs: defaultdict[str, set[str]] = defaultdict(set)
    signed = {(term[:-1], term[-1]) for term in terms(text) if len(term) > 1 and term[-1] in "+-"}
    for name, sign in signed:
        signs[name + STATE].add(sign)
    for clause in _ENDS.split(text):
        given, *denied = _DENIED.split(clause, maxsplit=1)
        for sign, words in (("+", given), ("-", " ".join(denied))):
            for name in terms(words):
                signs[name].add(sign)
    return {name: frozenset(found) for name, found in signs.items()}
