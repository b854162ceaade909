"""Clinical codes by system: one normal form `system:value`, and the broader codes above each.

A system is known because a column says so, because the text names it near the code, or because the shape leaves no
doubt (`E11.9` with its dot, `A10BA02`). A lone number is no code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class CodeSystem(StrEnum):
    """The systems that are told apart. ICD-10 stands for WHO's and for the national forms (CM, GM, AM)."""

    ICD10 = "icd10"
    ICD9 = "icd9"
    SNOMED = "snomed"
    LOINC = "loinc"
    ATC = "atc"
    RXNORM = "rxnorm"


class Mention(NamedTuple):
    """Characters `[start, end)` of a text name `value` of `system`."""

    start: int
    end: int
    system: str
    value: str


def code_terms(system: CodeSystem, value: str) -> tuple[str, ...]:
    """The index terms of a code of a known system: its own, then those by which a question for a broader code finds it.

    Empty for what is no code of the system.
    """
    normal = normal_code(system, value)
    if not normal:
        return ()
    return (f"{system}:{normal}", *(f"{system}>{code}" for code in broader(system, normal)))


def narrower_term(system: str, value: str) -> str:
    """The term that everything below this code holds."""
    return f"{system}>{value}"


def normal_code(system: CodeSystem, value: str) -> str:
    """Upper case without dot, blanks and the marks of ICD-10-GM; empty for what is no code of the system."""
    rule = _RULES[system]
    stripped = re.sub(r"[\s.\u2020*!+]", "", value.upper())
    if system in (CodeSystem.ICD10, CodeSystem.ICD9):
        stripped = stripped.replace("-", "")
    return stripped if rule.whole.fullmatch(stripped) and rule.holds(stripped) else ""


def broader(system: str, normal: str) -> tuple[str, ...]:
    """What stands above a code or an allele, nearest first."""
    if system not in set(CodeSystem):
        cuts = reversed(list(re.finditer(r"[*:]", normal)))
        return tuple(normal[: cut.start()] for cut in cuts if cut.start())
    lengths = _RULES[CodeSystem(system)].levels
    if system == CodeSystem.ICD9 and normal.startswith("E"):
        lengths = tuple(length for length in lengths if length > 3)
    return tuple(normal[:length] for length in reversed(lengths) if length < len(normal))


def named_codes(text: str) -> Iterator[Mention]:
    """Codes whose system the text names near them, before or right after; ICD-10 ranges give each category."""
    if not _NAMES.search(text):
        return
    for name in _NAMED.finditer(text):
        system = _system(name)
        yield from _behind(text, name.end(), system)
        before = _BEFORE.search(text, max(0, name.start() - 24), name.start())
        if before:
            yield from _read(text, system, before.start(1), before[1])


def shaped_codes(text: str) -> Iterator[Mention]:
    """Codes that no system needs to be named for."""
    for system, pattern in ((CodeSystem.ICD10, _DOTTED), (CodeSystem.ATC, _WHOLE_ATC)):
        for match in pattern.finditer(text):
            yield from _read(text, system, match.start(), match[0])


def possible_codes(word: str) -> tuple[tuple[CodeSystem, str], ...]:
    """What a word could be a code of, in a question that says nothing else."""
    if not word[:1].isascii() or not any(letter.isdigit() for letter in word):
        return ()
    found = ((system, normal_code(system, word)) for system in CodeSystem)
    return tuple((system, normal) for system, normal in found if normal)


# --- within -----------------------------------------------------------------------------------------------------------


def _system(name: re.Match[str]) -> CodeSystem | None:
    """The system that was named; None for an ICD without its revision."""
    found = next(group for group in name.groupdict() if name[group])
    return CodeSystem(found) if found != "icd" else None


def _behind(text: str, start: int, system: CodeSystem | None) -> Iterator[Mention]:
    """The codes of a list that begins soon after `start` and ends with the first longer gap."""
    reach, place = _FIRST_GAP, start
    while code := _CODE.search(text, place, min(len(text), place + reach + 12)):
        if code.start() - place > reach or _NAMED.search(text, place, code.start()):
            return
        found = tuple(_read(text, system, code.start(), code[0]))
        if not found:
            return
        yield from found
        place, reach = code.end(), _NEXT_GAP


def _read(text: str, system: CodeSystem | None, start: int, written: str) -> Iterator[Mention]:
    end = start + len(written)
    if category := _RANGE.fullmatch(written.upper()):
        letter, first, other, last = category.groups()
        if letter == other and system in (None, CodeSystem.ICD10):
            for number in range(int(first), int(last) + 1):
                yield Mention(start, end, CodeSystem.ICD10, f"{letter}{number:02d}")
        return
    known = system or (CodeSystem.ICD10 if written[0].isalpha() else CodeSystem.ICD9)
    if normal := normal_code(known, written):
        yield Mention(start, end, known, normal)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a normal code looks like, at which lengths its ancestors end, and what its check digit must fulfil."""

    whole: re.Pattern[str]
    levels: tuple[int, ...] = ()
    holds: Callable[[str], bool] = bool


def _is_verhoeff(digits: str) -> bool:
    """J. Verhoeff, "Error detecting decimal codes", 1969: the check of SNOMED CT identifiers."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = _DIHEDRAL[check][_PERMUTED[place % 8][int(digit)]]
    return check == 0


def _is_luhn(code: str) -> bool:
    """The mod 10 check of LOINC, with its hyphen before the check digit."""
    digits = [int(digit) for digit in reversed(code.replace("-", ""))]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _dihedral(one: int, other: int) -> int:
    """The product in the dihedral group of order ten."""
    turned = (one + other) % 5 if one < 5 else (one - other) % 5
    return turned + 5 * ((one < 5) == (other >= 5))


_DIHEDRAL = tuple(tuple(_dihedral(one, other) for other in range(10)) for one in range(10))


def _permutations() -> tuple[tuple[int, ...], ...]:
    first = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
    rows = [tuple(range(10))]
    for _ in range(7):
        rows.append(tuple(first[digit] for digit in rows[-1]))
    return tuple(rows)


_PERMUTED = _permutations()

_RULES = {
    CodeSystem.ICD10: _Rule(re.compile(r"[A-Z]\d[0-9AB][0-9A-Z]{0,4}"), (3, 4, 5, 6)),
    CodeSystem.ICD9: _Rule(re.compile(r"\d{3,5}|V\d{2,4}|E\d{3,4}"), (3, 4)),
    CodeSystem.SNOMED: _Rule(re.compile(r"[1-9]\d{5,17}"), holds=_is_verhoeff),
    CodeSystem.LOINC: _Rule(re.compile(r"\d{1,7}-\d"), holds=_is_luhn),
    CodeSystem.ATC: _Rule(
        re.compile(r"[A-DGHJLMNPRSV]\d{2}(?:[A-Z](?:[A-Z](?:\d{2})?)?)?"), (1, 3, 4, 5)
    ),
    CodeSystem.RXNORM: _Rule(re.compile(r"[1-9]\d{0,7}")),
}

_FIRST_GAP = 40
"""Characters between the name of a system and its first code: `ICD-10 code for essential hypertension: I10`."""

_NEXT_GAP = 30
"""Between two codes of a list: `C90.0 (myeloma) or C90.2`."""

_NAMES = re.compile("ICD|icd|ATC|atc|SNOMED|[Ss]nomed|LOINC|[Ll]oinc|R[Xx]|rx")
"""Quick to look for, so that other texts need no more."""

_NAMED = re.compile(
    r"(?<![^\W_])(?:(?P<icd10>ICD[\s-]?(?:10|X)(?!\d)(?:[\s-](?:CM|GM|AM|CA|WHO|SE|BM|PCS)\b)?)"
    r"|(?P<icd9>ICD[\s-]?(?:9|IX)(?!\d)(?:[\s-]CM\b)?)"
    r"|(?P<snomed>SNOMED(?:[\s-]?CT)?)|(?P<loinc>LOINC)|(?P<rxnorm>RX(?:NORM|CUI))"
    r"|(?P<atc>ATC)|(?P<icd>ICD(?=[\s-]?(?:codes?|diagnos|:)))(?![^\W_]))",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?<![\w.])(?:[A-Z]-?\d[0-9AB]-[A-Z]\d{2}(?![\w.])"  # a range
    r"|[A-Z][\s-]?\d[0-9AB](?:\.?[0-9A-Z]{1,4})?|[A-Z]\d{2}[A-Z]{0,2}(?:\d{2})?"
    r"|\d{3}\.\d{1,2}|\d{1,7}-\d|\d{3,18}|[VE]\d{2,3}(?:\.\d{1,2})?)(?![^\W_])",
    re.IGNORECASE,
)
_RANGE = re.compile(r"([A-Z])(\d{2})-([A-Z])(\d{2})")
_BEFORE = re.compile(
    r"(?<![\w.])((?:[A-Z]\d[0-9AB](?:\.?[0-9A-Z]{1,4})?)|\d{3}\.\d{1,2}|\d{1,7}-\d|\d{6,18})[\s,;:(\[]{1,3}(?:in\s)?$",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\w.-])[A-Z]\d[0-9AB]\.[0-9A-Z]{1,4}(?![\w-]|\.\w)")
_WHOLE_ATC = re.compile(r"(?<![\w.-])[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}(?![\w-])")
