"""Reads the text of an HTML value: tags, scripts and comments are left out, nothing is loaded, no address is text."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator

from proband.text.reading import Change


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCKS = _names(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr html legend main menu nav ol p pre section summary "
    "table tbody tfoot thead ul"
)
_LINES = _names("br li tr option")
_CELLS = _names("td th")
_SILENT = _names("script style head template svg math object iframe noscript select textarea title")
_OTHERS = _names(
    "a abbr acronym area audio b base basefont bdi bdo big button canvas cite code col colgroup data "
    "datalist del dfn em embed font frame frameset i img input ins kbd label link map mark meta meter "
    "optgroup output param picture progress q rp rt ruby s samp small source span strike strong sub sup "
    "time track tt u var video wbr"
)
_KNOWN = _BLOCKS | _LINES | _CELLS | _SILENT | _OTHERS
_MARK = re.compile(
    r"<!--|<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9:-]{0,40})(?=[\s/>])|<[!?](?=[A-Za-z\[])"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)|(?P<break>[ \t]*\r?[\n\r]\s*)"
)
_QUOTE = re.compile("[\"'>]")
_LOOKS = re.compile(
    r"\s*<(?:!doctype|html|head|body|div|p|table|h[1-6]|ul|ol|span)\b|</(?:p|div|span|b|i|em|strong|li|td|tr|h[1-6])>"
    r"|<br ?/?>",
    re.IGNORECASE,
)


def looks_like_html(value: str) -> bool:
    """Whether a value of unstated form has the marks of HTML; `Hb <7 and >5` has not."""
    return "<" in value and _LOOKS.search(value) is not None


def html_changes(value: str, removed: Counter[str]) -> Iterator[Change]:
    """What is to be changed in `value` to read as text, in order; `removed` counts what a reader would not see.

    Linear in the length of the value: what is looked for once in vain is not looked for again.
    """
    return _Page(value, removed).changes()


class _Page:
    """A value on its way through; the lasting part is what was already looked for in vain."""

    def __init__(self, value: str, removed: Counter[str]) -> None:
        self._value = value
        self._removed = removed
        self._lower = value.lower() if len(value.lower()) == len(value) else value
        self._absent: set[str] = set()
        self._quotes_close = True

    def changes(self) -> Iterator[Change]:
        at, in_pre = 0, False
        while found := _MARK.search(self._value, at):
            start, at = found.span()
            name = (found["name"] or "").lower()
            if found["entity"]:
                yield Change(start, at, html.unescape(found["entity"]))
            elif found["break"]:
                if not in_pre and len(re.findall(r"\r\n|\r|\n", found["break"])) == 1:
                    yield Change(start, at, " ")
            elif name and not (name in _KNOWN or ":" in name or "-" in name):
                continue
            else:
                at = self._end_of(found, name)
                if at > start + 1:
                    in_pre = (not found["close"]) if name == "pre" else in_pre
                    yield Change(start, at, _white(name, is_end=bool(found["close"])))

    def _end_of(self, found: re.Match[str], name: str) -> int:
        """Where the mark that begins at `found` ends, with the contents of what is silent; its start + 1: no mark."""
        start = found.start()
        if found.group() == "<!--":
            end = self._find("-->", start)
            self._removed["comment"] += 1
            return end + 3 if end >= 0 else len(self._value)
        end = self._tag_end(start)
        if end < 0:
            return start + 1
        if name == "img":
            self._removed["image"] += 1
        if found["close"] or name not in _SILENT or self._value[end - 2] == "/":
            return end
        close = self._find(f"</{name}", end)
        if close < 0:
            return len(self._value) if name in {"script", "style"} else end
        self._removed[name] += 1
        tag_end = self._find(">", close)
        return tag_end + 1 if tag_end >= 0 else len(self._value)

    def _tag_end(self, start: int) -> int:
        """After the `>` of the tag at `start`, quoted ones aside; -1: none. Quotes count until one never closes."""
        at = start
        while self._quotes_close and (found := _QUOTE.search(self._value, at)):
            if found.group() == ">":
                return found.end()
            closing = self._value.find(found.group(), found.end())
            if closing < 0:
                break
            at = closing + 1
        self._quotes_close = False
        end = self._find(">", start)
        return end + 1 if end >= 0 else -1

    def _find(self, text: str, start: int) -> int:
        if text in self._absent:
            return -1
        at = self._lower.find(text, start)
        if at < 0:
            self._absent.add(text)
        return at


def _white(name: str, is_end: bool) -> str:
    """The white space that a mark reads as: a block is a paragraph, a row a line, a cell a tab."""
    if name in _BLOCKS:
        return "\n\n"
    if name in _LINES:
        return "" if is_end else "\n"
    return "\t" if name in _CELLS else " " if name in _SILENT else ""
