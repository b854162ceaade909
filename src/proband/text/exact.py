"""Exact terms: identifiers, codes, gene variants and drugs in one spelling, for the exact lane.

They name one thing, so a hit is right or wrong and not more or less near. Receptor states, blood types and doses are
terms of the analyser: they are too common to be a list of their own.

| term            | a chunk holds it because                                                    |
|-----------------|-----------------------------------------------------------------------------|
| `=mk3475-12`    | its document has this identifier (registry, sponsor, acronym)               |
| `~mk347512`     | the same without zeros and hyphens                                          |
| `id:mk3475`     | its text mentions this identifier                                           |
| `icd10:E119`    | its text, or a column, holds this code                                      |
| `icd10>E11`     | it holds a code below this one                                              |
| `variant:V600E` | its text mentions this variant or allele                                    |
| `drug:keytruda` | it describes a drug that has this name                                      |
| `in:carboplatin`| it describes a combination with this drug                                   |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from proband.text.codes import Mention, broader, named_codes, narrower_term, shaped_codes
from proband.text.fold import fold
from proband.text.keys import key, loose_keys, plain_name, unpadded_key
from proband.text.variants import variants

OWN = "="
LOOSE = "~"
ID = "id"

_MAY_HOLD = re.compile(r"\d\d|[A-Z]\d[0-9A-Z]\.|\*\d|HLA.{0,4}\d")
"""Three of four texts do not, and it is quick to see."""

_NCT = re.compile(r"(?<![^\W_])NCT[\s:#-]{0,2}(\d{8})(?!\d)", re.IGNORECASE)
_REGISTRY = re.compile(
    r"(?<![\w-])(?:\d{4}-\d{6}-\d{2}(?:-\d{2})?"  # EudraCT and EU CT numbers
    r"|U1111-\d{4}-\d{4}"  # WHO's universal trial number
    r"|(?:ISRCTN|ACTRN|DRKS|UMIN|jRCTs?|JPRN-?|ChiCTR-?|CTRI/|IRCT|KCT|TCTR|PACTR|RBR-|NL)[\w/-]*\d[\w/-]*)(?![\w-])"
)
_PROTOCOL = re.compile(
    r"(?<![\w-])(?!NCT\d)(?=[\w/-]*\d{3})[A-Z][A-Z0-9]*(?:[-/][A-Z0-9]+)*[-/]?\d[A-Z0-9]*(?:[-/][A-Z0-9]+)*(?![\w-])"
)
_SPACED = re.compile(r"(?<![\w-])[A-Z]{2,6} \d{3,7}[A-Z]?(?![\w-])")
_SHORT = re.compile(r"(?<![\w-])[A-Z]{2,4}-\d{2}(?![\w-])")
_QUOTED = re.compile(r'"([^"]+)"|\u201c([^\u201d]+)\u201d|\u201e([^\u201c\u201d]+)[\u201c\u201d]')


def exact_terms(text: str) -> tuple[str, ...]:
    """The index terms of the identifiers, codes and variants of `text`, in reading order, distinct.

    A code brings the marks by which a question for a broader code finds it.
    """
    folded = fold(text)
    found: list[str] = []
    for mention in sorted(dict.fromkeys((*mentions(folded), *_compounds(folded)))):
        found.append(f"{mention.system}:{mention.value}")
        found += (narrower_term(mention.system, code) for code in _broader(mention))
    return tuple(dict.fromkeys(found))


def mentions(folded: str) -> tuple[Mention, ...]:
    """What a folded text names exactly, in reading order. A system that is named near wins over a shape."""
    if not _MAY_HOLD.search(folded):
        return ()
    found: list[Mention] = []
    for reader in (named_codes, variants, shaped_codes, _identifiers):
        taken = {mention.start for mention in found}
        found += (mention for mention in reader(folded) if mention.start not in taken)
    return tuple(sorted(dict.fromkeys(found)))


def own_terms(names: Iterable[str]) -> tuple[str, ...]:
    """The terms by which a document answers to its own identifiers and acronyms, however they are typed."""
    strict = dict.fromkeys(found for name in names for found in _own_keys(name))
    loose = dict.fromkeys(found for name in strict for found in loose_keys(name))
    return (
        *(OWN + found for found in strict),
        *(LOOSE + found for found in loose if found not in strict),
    )


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


def _broader(mention: Mention) -> tuple[str, ...]:
    return broader(mention.system, mention.value)


def _identifiers(folded: str) -> Iterator[Mention]:
    for match in _NCT.finditer(folded):
        yield Mention(match.start(), match.end(), ID, unpadded_key("NCT" + match[1]))
    for pattern in (_REGISTRY, _PROTOCOL):
        yield from _found(pattern, folded)


def _compounds(folded: str) -> Iterator[Mention]:
    """Compound and protocol numbers whose shape is sure in capitals only: `PSC 833`, `CPT-11`."""
    for pattern in (_SPACED, _SHORT) if _MAY_HOLD.search(folded) else ():
        yield from _found(pattern, folded)


def _found(pattern: re.Pattern[str], folded: str) -> Iterator[Mention]:
    for match in pattern.finditer(folded):
        yield Mention(match.start(), match.end(), ID, unpadded_key(match[0]))


def _own_keys(name: str) -> Iterator[str]:
    """The key of the name, of the name without what stands in brackets, and of identifiers within."""
    plain = plain_name(name)
    yield from filter(None, (key(plain), key(re.sub(r"\([^)]*\)", " ", plain))))
    yield from (key(plain[found.start : found.end]) for found in _identifiers(plain))
    yield from (key(inner) for inner in re.findall(r"\(([^)]*\d[^)]*)\)", plain))
