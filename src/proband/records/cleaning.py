"""Free text of a row as a clean reading: no markup, no encoded files, and every character known by its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from proband.records.encoded import encoded_runs
from proband.records.html_reading import html_changes, looks_like_html
from proband.records.rtf_reading import looks_like_rtf, rtf_changes
from proband.text.fold import fold
from proband.text.reading import Change, Reading, changed, read

_INVISIBLE = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\u00ad\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2064"
    "\\u2066-\\u2069\\ufeff"
)
_GAP = re.compile(rf"(?:[^\S \n]|[{_INVISIBLE}]|\n| [\s{_INVISIBLE}])[\s{_INVISIBLE}]*")
_VISIBLE = re.compile(r"\s")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x85\u2028]")
_PARAGRAPH_END = re.compile("[\x0c\u2029]")
_WRAPPED = 60
"""Characters: a line at least so long that ends in mid-sentence goes on in the next one."""
_ITEM = re.compile(r"[-*•+#]|\(?\d{1,2}[.)]|[A-Z][A-Z /&]{2,40}:")
_FORMS = {
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "rtf": "rtf",
    "text": "text",
    "plain": "text",
    "txt": "text",
}
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_PRINTED_WORDS = 12


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clean text: lines end with one line feed, paragraphs with two. `removed` counts what was left out, by kind."""

    reading: Reading
    removed: Mapping[str, int]


def clean(value: str, form: str = "") -> Cleaned:
    """The text of `value`, whose form is "text", "html" or "rtf"; any other word: told from the content.

    Markup that makes no sense reads as text. Linear in the length of the value, whatever it holds.
    """
    removed: Counter[str] = Counter()
    told = _form(value, form)
    if told == "text":
        reading = read(value, 0, len(value))
    else:
        changes = html_changes if told == "html" else rtf_changes
        reading = read(value, 0, len(value), changes(value, removed))
    runs = list(encoded_runs(reading.text))
    if runs:
        removed.update(run.kind for run in runs)
        reading = changed(reading, (Change(run.start, run.end, " ") for run in runs))
    reading = changed(reading, _white_space(reading.text, is_wrapped=told == "text"))
    return Cleaned(reading.strip(), dict(removed))


def boilerplate_key(text: str) -> str | None:
    """A key that a printed paragraph has in each note it stands in; None: too short to be told from a person's words.

    Case, accents, punctuation and numbers make no difference: a form is dated and numbered by hand.
    """
    words = _WORD.findall(_NUMBER.sub("0", fold(text).casefold()))
    if len(words) < _PRINTED_WORDS:
        return None
    return blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _form(value: str, form: str) -> str:
    told = _FORMS.get(form.strip().lower().partition(";")[0].rpartition("/")[2], "")
    if told == "text" or (told == "html" and not looks_like_rtf(value)):
        return told
    if looks_like_rtf(value):
        return "rtf"
    return "html" if looks_like_html(value) else "text"


def _white_space(text: str, is_wrapped: bool) -> Iterator[Change]:
    """White space as one space, one line end or one paragraph end; what cannot be seen is left out."""
    line_start = 0
    for found in _GAP.finditer(text):
        start, end = found.span()
        white = _white(found.group())
        if white == "\n" and is_wrapped and _goes_on(text, line_start, start, end):
            white = " "
        if white.startswith("\n"):
            line_start = end
        if white != found.group():
            yield Change(start, end, white)


def _white(gap: str) -> str:
    lines = len(_LINE_END.findall(gap))
    if lines > 1 or _PARAGRAPH_END.search(gap):
        return "\n\n"
    if lines:
        return "\n"
    return "\t" if "\t" in gap else " " if _VISIBLE.search(gap) else ""


def _goes_on(text: str, line_start: int, line_end: int, next_line: int) -> bool:
    """Whether a line was only broken for its length."""
    is_long = line_end - line_start >= _WRAPPED
    return is_long and text[line_end - 1] not in ".:;!?" and not _ITEM.match(text, next_line)
