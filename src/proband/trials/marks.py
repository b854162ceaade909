"""List marks: bullets, numbers, letters, roman numbers, circled digits, as registrants type them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class Style(StrEnum):
    """How a mark counts. AMBIGUOUS is one letter that is also a roman number (`i.`): its neighbours decide."""

    BULLET = "bullet"
    NUMBER = "number"
    OUTLINE = "outline"
    CIRCLED = "circled"
    LETTER = "letter"
    ROMAN = "roman"
    AMBIGUOUS = "ambiguous"


class Mark(NamedTuple):
    """One list mark.

    `value` counts from 1 (0 for a bullet); of an AMBIGUOUS mark it is the letter's. `form` is what must agree
    between marks of one list: the bullet itself, brackets and dots, case, the leading numbers of an outline (`2.1`).
    """

    style: Style
    value: int
    form: str

    @property
    def roman(self) -> int:
        """The value of an AMBIGUOUS mark read as a roman number."""
        return _ROMAN_DIGITS[chr(ord("a") + self.value - 1)]

    def follows(self, earlier: Mark) -> bool:
        """Whether this mark comes next in the list of `earlier`; one number may have been left out."""
        if self.form != earlier.form or Style.BULLET in (self.style, earlier.style):
            return False
        return any(
            1 <= mine - other <= 2 for mine in self.readings() for other in earlier.readings()
        )

    @property
    def unsure(self) -> bool:
        """Whether this is an outline number without a dot after it, which may as well be a decimal (`1.5 T`)."""
        return self.style is Style.OUTLINE and self.form[-1].isdigit()

    def readings(self) -> tuple[int, ...]:
        """The values that this mark can have."""
        return (self.value, self.roman) if self.style is Style.AMBIGUOUS else (self.value,)

    @property
    def opens(self) -> bool:
        """Whether this mark can be the first of a list."""
        return 1 in self.readings() or self.style is Style.BULLET


# "o" is Word's second-level bullet and "ü", "Ø" are its check mark and arrow after a font was lost, each only
# before a capital or a sign: "o" is also Spanish for "or"; "#" is one before a capital, for "# of lesions" is a number
# and "# Inclusion Criteria" a heading in Markdown. Private-use characters are bullets whose font was lost.
_BULLET = re.compile(
    r"(?:[*+\-‐‒–—−~»→⇒](?=\s|$)|[*\-–—](?=[A-Z])|#(?=\s+[A-Z])(?!\s+(?i:inclusion|exclusion)\b)"
    r"|[•·∙●○◦▪▫■□▲△◆◇❖➢➤➔➣►▶▷‣⁃✓✔✗✘★☆☐☑\uE000-\uF8FF](?:\ufe0f)?"
    r"|[oOüØ§¨¬v](?=\s+[A-Z0-9(≥≤<>]))\s*"
)
_NUMBER = re.compile(
    r"(?P<open>[(（\[#]?)(?P<path>\d{1,2}(?:\.\d{1,2}){0,3}|\d{3})"
    r"(?P<close>\s?\.?[)）\]]|\.-|[.．、](?!\d)|\s?[-–](?=\s+[A-Z\u4e00-\u9fff])|:(?=\s)|(?<=\.\d)(?=\s+[A-Z])|(?<=\.\d\d)(?=\s+[A-Z]))\s*"
)
_OUTLINE = re.compile(r"(?P<path>\d{1,2})\.(?P<last>\d{1,2})\s+(?=\S)")
_LETTER = re.compile(
    r"(?P<open>[(（]?)(?P<name>[A-Za-z]|[ivxlIVXL]{2,5})(?P<close>[)）]\s*|\.(?:\s+|$)|、\s*)"
)
_CIRCLED = re.compile(r"[①-⑳⑴-⒇⒈-⒛❶-❿➀-➓]\s*[.、)]?\s*")
_CHINESE = re.compile(r"[（(]?([一二三四五六七八九十])[）)、.]\s*")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def read_marks(text: str, most: int = 3) -> tuple[tuple[Mark, ...], int]:
    """The marks that `text` begins with, outermost first (`* 1\\. `, `- a) `), and where the words start."""
    marks: list[Mark] = []
    at = 0
    while len(marks) < most and (found := _mark_at(text, at)):
        mark, at = found
        marks.append(mark)
    return tuple(marks), at


def read_outline(text: str) -> tuple[Mark, int] | None:
    """An outline number without a last dot (`1.1 at least`), and where the words start. It may be a decimal."""
    if not (found := _OUTLINE.match(text)):
        return None
    return Mark(Style.OUTLINE, int(found["last"]), found["path"]), found.end()


def _mark_at(text: str, at: int) -> tuple[Mark, int] | None:
    return next((found for reader in _READERS for found in reader(text, at)), None)


def _bullet(text: str, at: int) -> Iterator[tuple[Mark, int]]:
    if found := _BULLET.match(text, at):
        yield Mark(Style.BULLET, 0, found.group()[0]), found.end()


def _number(text: str, at: int) -> Iterator[tuple[Mark, int]]:
    found = _NUMBER.match(text, at)
    if not found or (
        found["open"] in ("(", "（", "[") and not found["close"].strip().endswith((")", "）", "]"))
    ):
        return
    path, _, last = found["path"].rpartition(".")
    form = unicodedata.normalize("NFKC", f"{found['open']}{path}{found['close'].strip()}")
    yield Mark(Style.OUTLINE if path else Style.NUMBER, int(last), form), found.end()


def _circled(text: str, at: int) -> Iterator[tuple[Mark, int]]:
    if found := _CIRCLED.match(text, at):
        yield Mark(Style.CIRCLED, int(unicodedata.numeric(found.group()[0])), ""), found.end()


def _chinese(text: str, at: int) -> Iterator[tuple[Mark, int]]:
    if found := _CHINESE.match(text, at):
        yield Mark(Style.NUMBER, int(unicodedata.numeric(found[1])), "一"), found.end()


def _letter(text: str, at: int) -> Iterator[tuple[Mark, int]]:
    found = _LETTER.match(text, at)
    if not found or (found["open"] and found["close"].strip() not in (")", "）")):
        return
    name, lower = found["name"], found["name"].lower()
    if (
        name.isupper()
        and found["close"].startswith(".")
        and text[found.end() : found.end() + 1].islower()
    ):
        return  # "E. coli", "S. aureus"
    case = "A" if name.isupper() else "a"
    form = unicodedata.normalize("NFKC", found["open"] + case + found["close"].strip())
    if len(name) > 1:
        if value := roman_value(lower):
            yield Mark(Style.ROMAN, value, form), found.end()
        return
    style = Style.AMBIGUOUS if lower in "ivxl" else Style.LETTER
    yield Mark(style, ord(lower) - ord("a") + 1, form), found.end()


_READERS = (_bullet, _number, _letter, _circled, _chinese)


def roman_value(name: str) -> int:
    """The value of a lower-case roman number up to 89; 0 when it is not one (`iiii`, `vx`)."""
    values = [_ROMAN_DIGITS[letter] for letter in name]
    total = sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
    return total if _roman_name(total) == name else 0


def _roman_name(value: int) -> str:
    tens = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx")
    ones = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
    return tens[value // 10] + ones[value % 10] if 0 < value < 90 else ""
