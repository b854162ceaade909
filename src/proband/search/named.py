"""What a question names exactly: identifiers, codes, variants and drugs, read against what the index holds.

Every run of words is a possible name. The corpus decides which ones are: the index is asked which of their terms any
visible point holds, so nothing is known here that the asker may not see, and no dictionary can be out of step.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proband.model import AnyOf, Breadth, ExactTerm, Field, Filter, QueryPlan, SectionKind, View
from proband.ports import Index
from proband.text.analyser import STOP_WORDS
from proband.text.codes import Mention, broader, narrower_term, possible_codes
from proband.text.drugs import DRUG, named_drug
from proband.text.exact import ID, LOOSE, OWN, mentions
from proband.text.keys import key, loose_keys, plain_name, unpadded_key
from proband.text.variants import VARIANT

MOST_WORDS = 6
"""Words of the longest name that is looked for inside a question; a question that is one name may be longer."""

MOST_PLAIN_WORDS = 4
"""The same for names without a digit."""

MOST_SYNONYMS = 8
"""Other names of one drug that are asked for, the most frequent ones."""

SECTIONS_READ = 32
"""Sections about a drug that are read for its other names: to count all that cyclophosphamide has took 300 ms."""

LEAST_SHARE = 0.05
"""Share of these sections that must give a name: a list of several drugs in one study is no synonym."""

FUNCTION_WORDS = frozenset({
    "a", "about", "acronym", "active", "all", "allele", "also", "an", "and", "any", "are", "as", "atc",
    "available", "be", "brand", "by", "ca", "called", "can", "carrier", "carriers", "clinical", "cm", "code",
    "coded", "codes", "compound", "could", "ct", "currently", "describe", "describes", "diagnosed", "diagnoses",
    "diagnosis", "did", "do", "does", "drug", "drugs", "eudract", "evaluating", "exist", "exists", "find",
    "for", "gene", "generic", "genotype", "get", "give", "given", "gm", "has", "have", "having", "held", "i",
    "icd", "icd10", "icd10am", "icd10cm", "icd10gm", "icd9", "icd9cm", "id", "identifier", "identifiers", "ids",
    "in", "intervention", "interventions", "investigating", "involving", "is", "it", "known", "list", "loinc",
    "look", "lookup", "me", "medication", "medicine", "mention", "mentioning", "mentions", "mutant", "mutated",
    "mutation", "mutations", "name", "named", "names", "nct", "need", "no", "nr", "number", "of", "on", "or",
    "org", "organisation", "organization", "participants", "patient", "patients", "people", "please",
    "polymorphism", "positive", "protocol", "protocols", "receive", "received", "receiving", "recruiting",
    "register", "registered", "registry", "research", "rxcui", "rxnorm", "search", "secondary", "see", "show",
    "snomed", "snp", "sponsor", "studied", "studies", "study", "studying", "subjects", "such", "tell", "test",
    "tested", "testing", "tests", "that", "the", "their", "there", "these", "this", "those", "to", "treated",
    "treating", "treatment", "treatments", "trial", "trials", "up", "us", "use", "used", "uses", "using",
    "variant", "want", "was", "we", "were", "what", "where", "which", "who", "whose", "with", "would", "you",
})  # fmt: skip
"""Words beside an exact term that ask for nothing else."""

SMALL_WORDS = FUNCTION_WORDS & STOP_WORDS
"""Function words that are acronyms in capitals."""

ANNOUNCES = frozenset({"study", "trial", "protocol", "id", "identifier", "number", "no", "nr"})
"""Words after which a number is an identifier."""

NUMBERED_DIGITS = 3
"""Digits from which letters and digits are an identifier: ACTG 175 is one, COVID-19 and HER2 are not."""

LEAST_ACRONYM = 4
"""Capitals from which a study's acronym counts beside other words."""

LEAST_CODE = 4
"""Characters from which a code without dot and system counts beside other words: B12 is a vitamin."""

_WORD = re.compile(r"[^\s/+,;]+|[/+,;]")
_EDGE = ".,;:!?\"'()[]{}<>\u201c\u201d\u201e\u2018\u2019*#"


@dataclass(frozen=True, slots=True)
class _Reading:
    """Words `[start, end)` of the question read as a name; `shaped`: no index is needed to see that they are one."""

    start: int
    end: int
    term: ExactTerm
    shaped: bool = False


def with_names(plan: QueryPlan, view: View, index: Index) -> QueryPlan:
    """`plan` with what its question names exactly.

    A story is not searched for names of drugs or studies: what its patient took is not what is asked for.
    """
    words = _words(plan.standalone)
    shaped = list(_shaped(words))
    if plan.breadth is Breadth.BROAD:
        return replace(plan, exact=_distinct(reading.term for reading in shaped))
    possible = [*shaped, *_possible(words)]
    held = index.held(
        sorted({t for one in possible for tier in one.term.tiers for t in tier}), view
    )
    known = [kept for one in possible if (kept := _kept(one, held))]
    chosen = _apart(known)
    alone = bool(chosen) and _says_nothing_else(words, chosen)
    if not alone:
        chosen = _apart([sure for one in known if (sure := _sure(one, words))])
    terms = _distinct(replace(one.term, names=one.term.names or alone) for one in chosen)
    return replace(plan, exact=tuple(_with_synonyms(t, view, index) for t in terms), alone=alone)


# --- reading ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the question without the marks around it, or a single separator, and where it stands."""

    text: str
    start: int
    end: int

    @property
    def is_function(self) -> bool:
        """Whether it asks and names nothing."""
        found = key(self.text)
        return not found or found in FUNCTION_WORDS

    @property
    def is_acronym(self) -> bool:
        """Whether it is written in capitals, as `WHO` of `WHO 2021`, and is no name of codes."""
        return self.text.isupper() and self.text.lower() in SMALL_WORDS


def _words(question: str) -> tuple[_Word, ...]:
    folded = plain_name(question)
    found = []
    for match in _WORD.finditer(folded):
        word = match[0].strip(_EDGE).removesuffix("'s")
        start = match.start() + (match[0].find(word) if word else 0)
        if word:
            found.append(_Word(word, start, start + len(word)))
    return tuple(found)


def _written(words: Sequence[_Word]) -> str:
    """The words with their distances, so that offsets in it are those of the question."""
    parts, length = [], 0
    for word in words:
        parts += [" " * (word.start - length), word.text]
        length = word.end
    return "".join(parts)


def _shaped(words: Sequence[_Word]) -> Iterator[_Reading]:
    """What its shape or the system named beside it shows to be a name, in any case."""
    line = _written(words)
    capitals = "".join(c.upper() if len(c.upper()) == 1 else c for c in line)
    starts, ends = [word.start for word in words], [word.end for word in words]
    for found in mentions(capitals):
        first, last = bisect_right(ends, found.start), bisect_left(starts, found.end)
        if first < last:
            text = line[words[first].start : words[last - 1].end]
            yield _Reading(first, last, _term_of(text, found), shaped=True)


def _term_of(text: str, found: Mention) -> ExactTerm:
    equal = (f"{found.system}:{found.value}",)
    if found.system == ID:
        return ExactTerm(text, (*_own_tiers(text), equal, (), ()))
    return ExactTerm(text, ((), (), equal, _narrower(found.system, found.value), ()))


def _narrower(system: str, value: str) -> tuple[str, ...]:
    """The term of what stands below, where something can: codes have levels, and genes and groups have alleles."""
    below = value + ("*0" if system == VARIANT else "0")
    return (narrower_term(system, value),) if broader(system, below) else ()


def _own_tiers(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    loose = tuple(mark + found for found in loose_keys(text) for mark in (OWN, LOOSE))
    own = OWN + key(text)
    return (own,), tuple(term for term in loose if term != own)


def _possible(words: Sequence[_Word]) -> Iterator[_Reading]:
    """Every run of words that could be a name, and the whole question."""
    line = _written(words)
    for start, first in enumerate(words):
        if first.is_function and not first.is_acronym:
            continue
        for end in range(start + 1, min(start + MOST_WORDS, len(words)) + 1):
            last = words[end - 1]
            text = line[first.start : last.end]
            plain = not any(letter.isdigit() for letter in text)
            if plain and end - start > MOST_PLAIN_WORDS:
                break
            if not last.is_function or (len(last.text) == 1 and last.text.isalpha()):
                yield _Reading(start, end, _any_name(text))
    if words:
        yield _Reading(0, len(words), _any_name(line.strip()))


def _any_name(text: str) -> ExactTerm:
    has_digit = any(letter.isdigit() for letter in text)
    own, loose = _own_tiers(text)
    codes = possible_codes(text)
    equal = (
        *((f"{ID}:{unpadded_key(text)}",) if has_digit else ()),
        *named_drug(text),
        *(f"{system}:{value}" for system, value in codes),
    )
    below = tuple(term for system, value in codes for term in _narrower(system, value))
    return ExactTerm(text, (own, loose if has_digit else (), equal, below, ()))


# --- choosing --------------------------------------------------------------------------------------------------------


def _kept(reading: _Reading, held: frozenset[str]) -> _Reading | None:
    """The reading with the terms that something holds; None when nothing does and its shape says nothing either."""
    if reading.shaped:
        return reading
    tiers = tuple(tuple(term for term in tier if term in held) for tier in reading.term.tiers)
    return replace(reading, term=replace(reading.term, tiers=tiers)) if any(tiers) else None


def _sure(reading: _Reading, words: Sequence[_Word]) -> _Reading | None:
    """The reading as it counts beside other words: without what may be an everyday word or number there.

    `HEART` names a study and `heart` does not; `100000` names one only after `study` or `protocol`.
    """
    own, loose, equal, *more = reading.term.tiers
    names = _can_only_name(reading, words)
    if not names and not _is_acronym(reading.term.text):
        own, loose = (), ()
    if not reading.shaped:
        equal = tuple(term for term in equal if not _is_bare(term))
        more = [*(() if _is_bare_code(reading.term.text) else more)] or [(), ()]
    loose = loose if names else ()
    term = replace(
        reading.term, tiers=(own, loose, equal, *more), names=bool(own or loose) and names
    )
    return replace(reading, term=term) if any(term.tiers) else None


def _can_only_name(reading: _Reading, words: Sequence[_Word]) -> bool:
    """Whether the words are an identifier wherever they stand: letters and three digits, or announced as one."""
    text = key(reading.term.text)
    digits = sum(letter.isdigit() for letter in text)
    if text.replace("-", "").isdigit():
        before = words[reading.start - 1].text.lower() if reading.start else ""
        return digits >= NUMBERED_DIGITS and (before in ANNOUNCES or text.count("-") > 1)
    return digits >= NUMBERED_DIGITS and len(text) > NUMBERED_DIGITS + 1


def _is_acronym(text: str) -> bool:
    return len(text) >= LEAST_ACRONYM and sum(letter.isupper() for letter in text) >= LEAST_ACRONYM


def _is_bare(term: str) -> bool:
    """An equal term that could be a number or a vitamin: a number alone, a code of three characters."""
    value = term.partition(":")[2]
    is_number = value.replace("-", "").isdigit()
    return is_number or (_is_bare_code(value) and not term.startswith(DRUG))


def _is_bare_code(value: str) -> bool:
    return len(value) < LEAST_CODE


def _apart(readings: Sequence[_Reading]) -> list[_Reading]:
    """Readings that share no word, longer ones first; those of the same words as one."""
    chosen: dict[tuple[int, int], _Reading] = {}
    for reading in sorted(readings, key=lambda one: (one.start - one.end, one.start)):
        place = (reading.start, reading.end)
        if place in chosen:
            chosen[place] = _together(chosen[place], reading)
        elif all(reading.end <= start or reading.start >= end for start, end in chosen):
            chosen[place] = reading
    return [chosen[place] for place in sorted(chosen)]


def _together(one: _Reading, other: _Reading) -> _Reading:
    tiers = tuple(
        tuple(dict.fromkeys((*a, *b)))
        for a, b in zip(one.term.tiers, other.term.tiers, strict=True)
    )
    return replace(one, term=replace(one.term, tiers=tiers), shaped=one.shaped or other.shaped)


def _says_nothing_else(words: Sequence[_Word], chosen: Sequence[_Reading]) -> bool:
    named = {n for reading in chosen for n in range(reading.start, reading.end)}
    return all(n in named or word.is_function for n, word in enumerate(words))


def _distinct(terms: Iterator[ExactTerm]) -> tuple[ExactTerm, ...]:
    return tuple({term.tiers: term for term in terms}.values())


def _with_synonyms(term: ExactTerm, view: View, index: Index) -> ExactTerm:
    """`term` with the other names that visible studies give the same drug, the most frequent ones."""
    asked = tuple(found for found in term.tiers[2] if found.startswith(f"{DRUG}:"))
    if not asked:
        return term
    sections = view.narrowed(Filter((AnyOf(Field.KIND, (SectionKind.INTERVENTION,)),)))
    read = index.fetch([hit.chunk_id for hit in index.exact(asked, sections, SECTIONS_READ).hits])
    counts = Counter(name for point in read.values() for name in set(point.exact))
    often = [
        name
        for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        if name.startswith(f"{DRUG}:") and count >= LEAST_SHARE * len(read)
    ]
    return replace(term, tiers=(*term.tiers[:4], _shortest(asked, often)[:MOST_SYNONYMS]))


def _shortest(asked: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The names that hold neither an asked one nor a shorter one: who has a longer one has that one too."""
    bare = [name.partition(":")[2] for name in (*asked, *names)]
    kept = (
        name
        for name in names
        if not any(other in name and f"{DRUG}:{other}" != name for other in bare)
    )
    return tuple(name for name in kept if name not in asked)
