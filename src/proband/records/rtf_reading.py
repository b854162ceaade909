"""Reads the text of an RTF value (specification 1.9.1): control words and tables of the file are left out."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proband.text.reading import Change


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})? ?|(?P<bytes>(?:\\'[0-9a-fA-F]{2})+)"
    r"|\\(?P<symbol>[^A-Za-z])|(?P<brace>[{}])|(?P<end>[\r\n]+)",
    re.DOTALL,
)
_SILENT = _names(
    "fonttbl colortbl stylesheet info pict objdata objclass objname themedata colorschememapping "
    "datastore filetbl listtable listoverridetable revtbl rsidtbl generator fldinst nonshppict "
    "latentstyles datafield xmlnstbl bkmkstart bkmkend private pgdsctbl"
)
_WHITE = {
    "par": "\n\n",
    "sect": "\n\n",
    "page": "\n\n",
    "pard": "",
    "line": "\n",
    "row": "\n",
} | dict.fromkeys(("tab", "cell", "nestcell"), "\t")
_SIGNS = {"emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’"} | {
    "ldblquote": "“",
    "rdblquote": "”",
    "emspace": " ",
    "enspace": " ",
}
_SYMBOLS = {"~": " ", "_": "-", "\n": "\n\n", "\r": "\n\n", "\\": "\\", "{": "{", "}": "}"}
_CHARSETS = {
    0: "cp1252",
    128: "cp932",
    129: "cp949",
    134: "gbk",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
} | {
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}


def looks_like_rtf(value: str) -> bool:
    """Whether a value begins as an RTF file does."""
    return value.lstrip("\ufeff \t\r\n").startswith("{\\rtf")


def rtf_changes(value: str, removed: Counter[str]) -> Iterator[Change]:
    """What is to be changed in `value` to read as text, in order; `removed` counts pictures and objects."""
    return _File(value, removed).changes()


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds within braces."""

    silent: bool = False
    in_fonts: bool = False
    fallback: int = 1
    charset: str = ""


class _File:
    def __init__(self, value: str, removed: Counter[str]) -> None:
        self._value = value
        self._removed = removed
        self._group = _Group()
        self._outer: list[_Group] = []
        self._code_page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = -1
        self._skip = 0
        self._high = 0

    def changes(self) -> Iterator[Change]:
        at = 0
        while True:
            found = _TOKEN.search(self._value, at)
            start = found.start() if found else len(self._value)
            yield from self._between(at, start)
            if found is None:
                return
            at = found.end()
            if found["word"] == "bin":
                at = min(len(self._value), at + max(0, int(found["number"] or 0)))
                yield Change(start, at, "")
            elif found["bytes"]:
                yield from self._bytes(found)
            else:
                yield Change(start, at, self._text(found))

    def _between(self, start: int, end: int) -> Iterator[Change]:
        if start == end:
            return
        if self._group.silent:
            yield Change(start, end, "")
        elif self._skip:
            skipped = min(self._skip, end - start)
            self._skip -= skipped
            yield Change(start, start + skipped, "")

    def _text(self, found: re.Match[str]) -> str:
        if found["brace"]:
            self._skip = 0
            self._turn(found["brace"])
            return ""
        if found["word"]:
            return self._word(found["word"], int(found["number"] or 1), bool(found["number"]))
        if found["symbol"] == "*":
            self._group = replace(self._group, silent=True)
            return ""
        if found["end"] or self._group.silent or self._skipped():
            return ""
        return _SYMBOLS.get(found["symbol"], "")

    def _turn(self, brace: str) -> None:
        if brace == "{":
            self._outer.append(self._group)
        elif self._outer:
            self._group = self._outer.pop()

    def _skipped(self) -> bool:
        """Whether this is the stand-in for a Unicode character, for readers that know none."""
        if self._skip:
            self._skip -= 1
            return True
        return False

    def _word(self, word: str, number: int, has_number: bool) -> str:
        group = self._group
        if word in _SILENT:
            self._removed[
                "picture" if word == "pict" else "object" if word == "objdata" else "table"
            ] += 1
            self._group = replace(group, silent=True, in_fonts=word == "fonttbl")
        elif group.in_fonts:
            self._font_word(word, number)
        elif word == "uc":
            self._group = replace(group, fallback=max(0, number if has_number else 1))
        elif word == "ansicpg":
            self._code_page = _known(f"cp{number}") or self._code_page
        elif word == "f":
            self._group = replace(group, charset=self._fonts.get(number, ""))
        elif not group.silent:
            return self._shown(word, number)
        return ""

    def _font_word(self, word: str, number: int) -> None:
        if word == "f":
            self._font = number
        elif word == "fcharset":
            self._fonts[self._font] = _CHARSETS.get(number, "")

    def _shown(self, word: str, number: int) -> str:
        if word == "u":
            self._skip = self._group.fallback
            return self._unicode(number % 0x10000)
        text = _WHITE.get(word) or _SIGNS.get(word) or ""
        return "" if text and self._skipped() else text

    def _unicode(self, code: int) -> str:
        """The character of a code; of a pair the second gives it, and a half without its other is left out."""
        if 0xD800 <= code < 0xDC00:
            self._high = code
            return ""
        high, self._high = self._high, 0
        if 0xDC00 <= code < 0xE000:
            return chr(0x10000 + ((high - 0xD800) << 10) + code - 0xDC00) if high else ""
        return chr(code)

    def _bytes(self, found: re.Match[str]) -> Iterator[Change]:
        start, end = found.span()
        skipped = min(self._skip, (end - start) // 4)
        self._skip -= skipped
        codes = [int(self._value[at + 2 : at + 4], 16) for at in range(start, end, 4)]
        if self._group.silent or skipped == len(codes):
            yield Change(start, end, "")
            return
        if skipped:
            yield Change(start, start + 4 * skipped, "")
        start, codes = start + 4 * skipped, codes[skipped:]
        text = (
            bytes(codes)
            .decode(self._group.charset or self._code_page, "replace")
            .replace("\ufffd", "")
        )
        if len(text) != len(codes):
            yield Change(start, end, text)
            return
        for index, character in enumerate(text):
            yield Change(start + 4 * index, start + 4 * index + 4, character)


def _known(name: str) -> str:
    name = {"cp65001": "utf-8", "cp936": "gbk", "cp10000": "mac-roman", "cp1361": "johab"}.get(
        name, name
    )
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""
