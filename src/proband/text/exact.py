"""Exact terms: identifiers, codes and gene variants in one spelling, for the exact lane.

They name one thing, so a hit is right or wrong and not more or less near. Receptor states and doses are terms of the
analyser: they are too common to be a list of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from proband.text.fold import fold

OWN = "="
"""Prefix of the term by which a document answers to its own identifier, so that it outranks those that mention it."""

_MAY_HOLD = re.compile(r"\d\d|[A-Z]\d[0-9A-Z]\.")
_NCT = re.compile(r"(?<![^\W_])NCT[\s:#-]{0,2}(\d{8})(?!\d)", re.IGNORECASE)
_REGISTRY = re.compile(
    r"(?<![\w-])(?:\d{4}-\d{6}-\d{2}(?:-\d{2})?"  # EudraCT and EU CT numbers
    r"|(?:ISRCTN|ACTRN|DRKS|UMIN|jRCTs?|JPRN-?|ChiCTR-?|CTRI/|IRCT|KCT|TCTR|PACTR|RBR-|NL)[\w/-]*\d[\w/-]*)(?![\w-])"
)
_PROTOCOL = re.compile(
    r"(?<![\w-])(?!NCT\d)(?=[\w/-]*\d{3})[A-Z][A-Z0-9]*(?:[-/][A-Z0-9]+)*[-/]?\d[A-Z0-9]*(?:[-/][A-Z0-9]+)*(?![\w-])"
)
_CODE = re.compile(
    r"(?<![\w.-])(?:[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}"  # ICD-10 with its dot: T10 or B12 alone is not a code
    r"|[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}"  # ATC
    r"|(?<=LOINC )\d{1,5}-\d|(?<=SNOMED )\d{6,18})(?![\w-])"
)
_VARIANT = re.compile(
    r"(?<![\w.])(?:p\.)?([ACDEFGHIKLMNPQRSTVWY]\d{2,4}[ACDEFGHIKLMNPQRSTVWY*])(?![\w-])"
)
_QUOTED = re.compile(r'"([^"]+)"|\u201c([^\u201d]+)\u201d|\u201e([^\u201c\u201d]+)[\u201c\u201d]')


def exact_terms(text: str) -> tuple[str, ...]:
    """The identifiers, codes and variants of `text`, upper case, in reading order, distinct."""
    if not _MAY_HOLD.search(text):
        return ()
    folded = fold(text)
    found = [(match.start(), "NCT" + match[1]) for match in _NCT.finditer(folded)]
    for pattern in (_REGISTRY, _CODE):
        found += [(match.start(), match[0].upper()) for match in pattern.finditer(folded)]
    found += [(match.start(), match[0].replace("-", "")) for match in _PROTOCOL.finditer(folded)]
    found += [(match.start(), match[1].upper()) for match in _VARIANT.finditer(folded)]
    return tuple(dict.fromkeys(term for _, term in sorted(found)))


def own_terms(identifiers: Iterable[str]) -> tuple[str, ...]:
    """The exact terms by which a document of these identifiers is found before those that mention it."""
    names = [identifier.strip().upper() for identifier in identifiers]
    return tuple(term for name in names if name for term in (OWN + name, name))


def asked_terms(question: str) -> tuple[str, ...]:
    """The exact terms of a question in any case, each also as the own identifier of a document."""
    return own_terms(exact_terms(question.upper()))


def quoted_phrases(question: str) -> tuple[str, ...]:
    """What the user put in double quotation marks, without the marks."""
    found = ("".join(groups).strip() for groups in _QUOTED.findall(question))
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))


def holds_phrase(text: str, phrase: str) -> bool:
    """Whether the words of `phrase` stand in `text` next to each other, whatever the case and accents."""
    words = [re.escape(word) for word in fold(phrase).lower().split()]
    if not words:
        return False
    pattern = r"(?<![^\W_])" + r"\s+".join(words) + r"(?![^\W_])"
    return re.search(pattern, fold(text).lower()) is not None


def is_registry_number(question: str) -> bool:
    """Whether the question is nothing but registry numbers, such as `NCT01234567`."""
    rest = _REGISTRY.sub("", _NCT.sub("", fold(question)))
    return rest != fold(question) and re.search(r"[^\W_]", rest) is None
