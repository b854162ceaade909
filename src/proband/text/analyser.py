"""Clinical text as terms, for the lexical lane: what ordinary analysers destroy is kept.

Codes (`E11.9`), signs (`HER2-`, `A+`), quantities (`0.5 mg`), powers (`10^9/L`), comparators (`>= 18`), negation words,
acronyms that are stop words when written small (`IT`, `ALL`, `AM`) and Chinese, Japanese and Korean runs give terms of
their own; spellings of the same thing give the same terms. Rules of several words look one word back and no further.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from proband.text.fold import fold
from proband.text.stem import stem

ANALYSER_VERSION = 2
"""Part of the index's manifest: terms of different versions do not meet."""

STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "hers", "him", "his", "i", "if",
    "in", "into", "is", "it", "its", "itself", "may", "me", "my", "of", "on", "or", "our", "ours",
    "she", "so", "such", "than", "that", "the", "their", "theirs", "them", "then", "there",
    "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "whose", "will", "with", "would", "you", "your", "eg", "ie", "etc",
    "am", "all",
})  # fmt: skip
"""Words that carry no clinical fact. Negations (no, not, without, nor, never, none, denies) are none of them."""

POLARITY = {"positive": "+", "negative": "-", "pos": "+", "neg": "-"}
NUMBERED = frozenset({
    "stage", "type", "grade", "class", "phase", "group", "level", "score", "factor", "category",
    "tier", "arm", "cohort", "part", "nyha", "ecog", "asa",
})  # fmt: skip
"""Words whose number belongs to them: `type 2`, `type-2` and `type II` share the term `type2`."""

ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5"}
PREFIXES = frozenset({"anti", "non", "pre", "post", "un", "re", "sub"})
UNITS = {
    "milligram": "mg", "gram": "g", "gm": "g", "kilogram": "kg", "kgs": "kg", "microgram": "mcg", "ug": "mcg",
    "millilitre": "ml", "milliliter": "ml", "cc": "ml", "litre": "l", "liter": "l", "percent": "%",
    "yrs": "year", "yr": "year", "yo": "year", "y": "year", "mo": "month", "mos": "month", "wk": "week", "wks": "week",
    "hr": "hour", "hrs": "hour", "h": "hour", "minute": "min", "mins": "min", "unit": "u", "iu": "u",
}  # fmt: skip
"""Unit spellings that mean the same; a plural is folded before it is looked up."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_LETTER = rf"[^\W_{_CJK}]"
UNIT = (
    r"(?:%|percent|(?:[x*] ?)?10[\^e*]\d+(?:/[a-z]+\d?)?"
    r"|(?:m|k|u|mc|n|p|d)?(?:g|l|mol|iu|u|eq)(?:/(?:kg|m\^?2|d?l|ml|mm\^?3|day|d|h|hr|week|min|mg|mmol|g))*"
    r"|mm ?hg|mm\^?3|cm|mm|cc|kgs?|gm|(?:micro|milli|kilo)?grams?|milli(?:lit(?:re|er))s?|lit(?:re|er)s?"
    r"|years?|yrs?|yo|y|months?|mos?|weeks?|wks?|days?|hours?|hrs?|h|minutes?|mins?|min|units?)"
)
NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_SURFACE = re.compile(
    rf"(?:[<>]=?\ ?)?{NUMBER}(?:\ ?-\ ?{NUMBER})?[\ -]?{UNIT}(?!{_LETTER})"  # a quantity
    rf"|[<>]=?\ ?{NUMBER}(?![^\W_])"  # a number with its comparator
    rf"|{_LETTER}+(?:(?:[-./'^_]|[*:](?=\d)|,(?=\d{{3}}(?!\d)))(?:{_LETTER})+)*"  # a word, code or compound
    r"(?:\ ?\([+-]\)|\+(?![^\W_])|-(?=[\s,;:.)/\]]|$))?"  # and its sign
    rf"|[{_CJK}]+",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    rf"([<>]=?)?\ ?({NUMBER})(?:\ ?-\ ?({NUMBER}))?(?:[\ -]?({UNIT}))?", re.IGNORECASE
)
_UNIT_ALONE = re.compile(UNIT)
_SIGNED = re.compile(r"(.+?) ?\(?([+-])\)?", re.DOTALL)
_SHARED_STEM = re.compile(r"([a-z]+)\d+[a-z]?(?:/\d+[a-z]?)+")
_ROMAN_SURFACE = re.compile(r"(III|II|IV|I|V)([ABC]?)")


class _Word(NamedTuple):
    """What one surface says: its terms, and what a neighbour adds to it or it to a neighbour."""

    terms: tuple[str, ...]
    base: str = ""  # takes the sign of a following "positive" or "negative"
    numbered: str = ""  # takes a following number
    sign: str = ""
    number: str = ""


def terms(text: str) -> list[str]:
    """The terms of `text` in reading order, duplicates kept."""
    found: list[str] = []
    before = _Word(())
    for surface in _SURFACE.findall(fold(text)):
        word = _read(surface)
        found += word.terms
        if word.sign and before.base:
            found.append(before.base + word.sign)
        elif word.number and before.numbered:
            found.append(before.numbered + word.number)
        before = word
    return found


@lru_cache(maxsize=1 << 17)
def _read(surface: str) -> _Word:
    """The word that a surface is.

    Cached, because words repeat: 7.2 million of a registry extract were 123,000 distinct ones.
    """
    if surface[0] in "<>.0123456789" and (quantity := _QUANTITY.fullmatch(surface)):
        return _read_quantity(quantity)
    if _is_cjk(surface):
        return _Word(tuple(surface[i : i + 2] for i in range(max(1, len(surface) - 1))))
    if surface[-1] in "+-)":
        return _read_signed(surface)
    lowered = surface.lower()
    if lowered in STOP_WORDS:
        return _read_stop_word(surface)
    if lowered in POLARITY:
        return _Word((lowered,), sign=POLARITY[lowered])
    if lowered.isalnum():
        return _read_plain(surface, lowered)
    return _read_compound(lowered)


def _is_cjk(surface: str) -> bool:
    return surface[0] >= "\u3040" and re.match(f"[{_CJK}]", surface) is not None


def _read_stop_word(surface: str) -> _Word:
    """Written in capitals it is an acronym or a letter that names something: `ALL`, `IT`, hepatitis `A`."""
    return _Word((surface,), numbered=surface) if surface.isupper() else _Word(())


def _read_plain(surface: str, lowered: str) -> _Word:
    term = stem(lowered)
    if lowered[0].isdigit():
        base = "" if lowered.isdigit() else term
        return _Word((term,), base=base, number=lowered if len(lowered) <= 3 else "")
    acronym = surface.isupper() and surface.isalpha() and len(surface) <= 5
    numbered = term if acronym or lowered in NUMBERED else ""
    return _Word((term,), base=term, numbered=numbered, number=_arabic(surface))


def _arabic(surface: str) -> str:
    """`3b` of `IIIB`; nothing for what is no Roman numeral."""
    roman = _ROMAN_SURFACE.fullmatch(surface)
    return ROMAN[roman[1]] + roman[2].lower() if roman else ""


def _read_quantity(quantity: re.Match[str]) -> _Word:
    comparator, first, second, unit = quantity.groups()
    numbers = [_number(number) for number in (first, second) if number]
    found = list(numbers)
    if unit:
        found += [number + _unit(unit) for number in numbers]
        found += [_unit(unit)[1:]] if _is_power(unit) else []
    if comparator:
        found.append(comparator + numbers[0])
    bare = not (unit or comparator or second) and len(numbers[0]) <= 3
    return _Word(tuple(found), number=numbers[0] if bare else "")


def _number(text: str) -> str:
    plain = text.replace(",", "")
    return "0" + plain if plain.startswith(".") else plain


def _is_power(unit: str) -> bool:
    return "10" in unit


def _unit(text: str) -> str:
    lowered = text.lower().replace(" ", "")
    if _is_power(text):
        return re.sub(r"^[x*]?10[\^e*]", "x10^", lowered)
    singular = stem(lowered) if lowered.isalpha() and len(lowered) > 2 else lowered.replace("^", "")
    return UNITS.get(singular, singular)


def _read_signed(surface: str) -> _Word:
    """`HER2-`, `ER/PR+`, `A+`. A small word with a hanging hyphen (`pre- and post-operative`) has no sign."""
    signed = _SIGNED.fullmatch(surface)
    if signed is None:
        return _Word(())
    base, sign = signed.groups()
    if sign == "-" and base.islower() and base.isalpha() and not surface.endswith(")"):
        return _read(base)
    word = _read(base)
    bases = [stem(part) for part in base.lower().split("/")]
    return _Word((*word.terms, *(part + sign for part in bases)))


def _read_compound(lowered: str) -> _Word:
    """Words joined by `-`, `/`, `.`: the whole without hyphens (`IL-6` = `IL6`) and the parts that are words."""
    if lowered.endswith("'s"):
        return _read(lowered[:-2])
    if re.fullmatch(r"(?:[a-z]\.)+[a-z]", lowered):
        return _read(lowered.replace(".", ""))
    if _UNIT_ALONE.fullmatch(lowered):
        return _Word((_unit(lowered).removeprefix("x"),))
    if "/" in lowered and not lowered[0].isdigit():
        return _Word(tuple(term for part in _alternatives(lowered) for term in _read(part).terms))
    if "-" in lowered:
        return _read_hyphenated(lowered.split("-"))
    glued = re.split(r"[.'_](?=[a-z]{2})", lowered)
    if len(glued) > 1 and all(part.isalpha() for part in glued):
        return _Word(tuple(term for part in glued for term in _read(part).terms))
    return _Word((lowered.replace(",", ""),), base=lowered)


def _alternatives(lowered: str) -> list[str]:
    """`cdk4/6` is cdk4 and cdk6; anything else is its parts."""
    shared = _SHARED_STEM.fullmatch(lowered)
    first, *others = lowered.split("/")
    return [first, *(shared[1] + other for other in others)] if shared else [first, *others]


def _read_hyphenated(parts: list[str]) -> _Word:
    sign = POLARITY.get(parts[-1], "")
    if sign:
        known = _read("-".join(parts[:-1])).terms
        return _Word((*known, *(term + sign for term in known[:1]), parts[-1]))
    numeric = all(part.isdigit() for part in parts)
    whole = ("-" if numeric else "").join(parts)
    found = [whole if numeric else stem(whole)]
    if len(parts) > 2 and parts[0] in PREFIXES:
        found.append(stem("".join(parts[1:])))
    words = parts if numeric and len(parts) == 2 else [part for part in parts if not part.isdigit()]
    found += [term for part in words for term in _read(part).terms]
    return _Word(tuple(dict.fromkeys(found)), base=found[0])
