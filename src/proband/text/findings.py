"""What a narrative says that its patient has: without what is denied, what relatives have, and measured values.

A bag of words cannot see that "denies chest pain" is the opposite of "chest pain", so what is denied is not asked for.
The cues are those of NegEx (Chapman et al., "A simple algorithm for identifying negated findings and diseases in
discharge summaries", 2001) that occur in case descriptions: some deny what follows, others what precedes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from proband.text.analyser import NUMBER, NUMBERED, UNIT
from proband.text.sentences import sentences

_FIELD_DENIED = re.compile(
    r"[^.:;]*:\s*(?:no|none|never|denie[sd]|normal|negative|absent)\b(?!\s+for)[^\s.;]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[:;])\s+|[()]|,?\s+(?:but|however|although|except)\s+", re.IGNORECASE)
_DENIES_WHAT_FOLLOWS = re.compile(
    r"\b(?:no|not|denie[sd]|denying|without|never|neither|nor|none|absence of|free of|negative for"
    r"|(?:does|do|did|was|were|is|are|has|have|had|could|can)n['’]?t|cannot)\b",
    re.IGNORECASE,
)
_DENIES_ALL = re.compile(
    r"\b(?:normal|unremarkable|unchanged|uneventful|absent|ruled out)\b"
    r"|(?:^|\b(?:was|were|is|are|been|tested)\s+(?:\w+\s+)?)negative\b(?!\s+for)"
    r"|\b(?:family history|mother|father|parents?|sisters?|brothers?|siblings?|aunts?|uncles?|cousins?|grand\w+"
    r"|husband|wife|partners?)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    rf"(?:(?P<name>[A-Za-z]+)\s+)?(?<![\w.-])(?:[<>]=?\s*|=\s*)?(?:{NUMBER}[\s-]?{UNIT}(?![^\W_])|\d\S*)",
    re.IGNORECASE,
)


def findings(narrative: str) -> str:
    """What is stated of the patient, values left out; the whole narrative if nothing remains."""
    stated = " ".join(_stated(narrative))
    return " ".join(_VALUE.sub(_unvalued, stated).split()) or narrative


def _stated(narrative: str) -> Iterator[str]:
    for sentence in sentences(narrative):
        for clause in _CLAUSE.split(_FIELD_DENIED.sub(" ", sentence)):
            if not _DENIES_ALL.search(clause):
                yield _DENIES_WHAT_FOLLOWS.split(clause, maxsplit=1)[0]


def _unvalued(value: re.Match[str]) -> str:
    """`type 2` names something, `BMI 31` measures something."""
    name = value["name"] or ""
    return value[0] if name.lower() in NUMBERED else name + " "
