"""How far a cue reaches in its sentence: over a list to its end, to a word that ends it, to a new cue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proband.text.assertion_cues import Cue, Token, words_of_kind

_SIDES = {
    "": (False, True),
    "_subject": (False, True),
    "_after": (True, False),
    "_around": (True, True),
}
_JOINTS = frozenset(["or", "nor", "and", "ni", "wala", "y", "o", "et", "ou", "und", "oder"])
_CLOSING = frozenset(["or", "nor", "ni", "wala", "o", "ou", "oder", "noch"])
_BACK_ENDS = frozenset({"stop", "negated", "uncertain", "negated_after", "uncertain_after"})
_POSSESSIVES = frozenset(["his", "her", "their", "the", "my", "its", "patient's"])
_LONGEST_ITEM = 4
"""Words: a longer stretch between commas is a statement of its own."""


class Scope(NamedTuple):
    """Tokens `[first, last)` have a value ("negated", "family" ...) because of a cue."""

    value: str
    first: int
    last: int
    cue: Cue


def scopes_of(tokens: Sequence[Token], cues: Sequence[Cue]) -> list[Scope]:
    """What each cue of a sentence reaches."""
    sentence = _Sentence(tokens, cues)
    return [scope for index, _ in enumerate(cues) for scope in sentence.scopes(index)]


class _Sentence:
    def __init__(self, tokens: Sequence[Token], cues: Sequence[Cue]) -> None:
        self._tokens = tokens
        self._cues = cues
        self._cue_at = {at: cue for cue in cues for at in range(cue.first, cue.last)}

    def scopes(self, index: int) -> Iterator[Scope]:
        cue = self._cues[index]
        if "plain" in cue.kinds:
            return
        yield from self._word_scopes(cue)
        yield from self._person_scopes(index)
        for value in ("negated", "uncertain", "hypothetical", "historical", "future"):
            back, forward = self._sides(cue, value)
            if forward:
                last = self._forward(cue, value)
                yield Scope(self._clear(cue, value), cue.last, last, cue)
            if back:
                yield Scope(value, self._back(cue), cue.first, cue)

    def _word_scopes(self, cue: Cue) -> Iterator[Scope]:
        if "negated_word" in cue.kinds:
            yield Scope("negated", cue.first, cue.last, cue)
        if "negated_next" in cue.kinds:
            yield Scope("negated", cue.last, min(cue.last + 1, len(self._tokens)), cue)
        if "negated_family" in cue.kinds:
            for value in ("negated", "family"):
                yield Scope(value, cue.last, self._forward(cue, "negated"), cue)

    def _sides(self, cue: Cue, value: str) -> tuple[bool, bool]:
        """Whether the cue reaches back, and whether forward; words that may do either look where words are."""
        has_after = self._is_word(cue.last)
        has_before = any(self._is_word(at) for at in range(cue.first))
        if f"{value}_either" in cue.kinds:
            back = has_before if value == "future" else not has_after
            return back, not back
        if {value, f"{value}_after"} <= cue.kinds:
            return not has_after, has_after
        sides = [_SIDES[side] for side in _SIDES if f"{value}{side}" in cue.kinds]
        return any(back for back, _ in sides), any(forward for _, forward in sides)

    def _clear(self, cue: Cue, value: str) -> str:
        """A denial right after a denial is unclear."""
        before = self._cue_at.get(cue.first - 1)
        is_double = value == "negated" and before is not None and "negated" in before.kinds
        return "uncertain" if is_double else value

    def _forward(self, cue: Cue, value: str) -> int:
        at = cue.last + (cue.last < len(self._tokens) and self._tokens[cue.last].text in ":-")
        while at < len(self._tokens):
            text = self._tokens[at].text
            if self._stops(cue, at, value) or text in {"\t", ":", "–", "—"}:
                return at
            if text == ")" and not self._opens(cue.last, at):
                return at
            if text == "," and value != "hypothetical" and not self._is_item(at + 1):
                return at
            at += 1
        return at

    def _back(self, cue: Cue) -> int:
        at = cue.first
        if at and self._tokens[at - 1].text in {":", "-", "–", "—", "\t", "(", "="}:
            at -= 1
        is_list = at < cue.first
        while at > 0:
            text = self._tokens[at - 1].text
            is_list = is_list or text in _JOINTS
            if self._cue_at.get(at - 1, _NONE).kinds & _BACK_ENDS or text in {
                "\t",
                ":",
                "–",
                "—",
                "(",
            }:
                return at
            if text == "," and not is_list:
                return at
            at -= 1
        return at

    def _stops(self, cue: Cue, at: int, value: str) -> bool:
        """Whether the words at `at` end what `cue` reaches; a verb right after it does not ("doesn't have")."""
        met = self._cue_at.get(at, _NONE).kinds
        if "plain" in met:
            return True
        if met & {"stop", "patient"}:
            return value != "hypothetical"
        if value not in {"negated", "uncertain"}:
            return False
        if "verb" in met:
            return at != cue.last and "negated_subject" not in cue.kinds
        return bool(met & _NEW[value])

    def _is_item(self, first: int) -> bool:
        """Whether what follows a comma goes on with the list."""
        last = first
        while last < len(self._tokens) and self._tokens[last].text not in {",", "\t"}:
            last += 1
            if last - first > 3 * _LONGEST_ITEM:
                return False
        said = next((at for at in range(first, last) if self._is_said(at)), last)
        if any(self._tokens[at].text in _CLOSING for at in range(first, said)):
            return True
        return said == last and self._is_short(first, last)

    def _is_short(self, first: int, last: int) -> bool:
        words = [token.text for token in self._tokens[first:last] if token.text[0].isalnum()]
        joints = sum(word in _JOINTS for word in words)
        return 0 < len(words) <= _LONGEST_ITEM * (1 + joints) and not any(
            word[0].isdigit() for word in words
        )

    def _is_said(self, at: int) -> bool:
        """Whether the word at `at` states something itself."""
        kinds = self._cue_at.get(at, _NONE).kinds
        is_cue = bool(kinds & {"verb", "stop", "patient", "negated_after"})
        return is_cue or self._tokens[at].text in words_of_kind("state")

    def _opens(self, first: int, last: int) -> bool:
        return any(token.text == "(" for token in self._tokens[first:last])

    def _is_word(self, at: int) -> bool:
        if at >= len(self._tokens) or not self._tokens[at].text[0].isalnum():
            return False
        cue = self._cue_at.get(at)
        return self._tokens[at].text not in _NO_TARGET and (
            cue is None or not cue.kinds & {"stop", "verb"}
        )

    def _person_scopes(self, index: int) -> Iterator[Scope]:
        cue = self._cues[index]
        for value in ("family", "other"):
            if value in cue.kinds and not self._informs(cue):
                if self._is_in(cue):
                    yield Scope(value, 0, cue.first, cue)
                else:
                    yield Scope(value, cue.last, self._person_end(cue), cue)
        if "family_history" in cue.kinds:
            yield Scope("family", cue.last, self._person_end(cue), cue)
        if "family_after" in cue.kinds:
            yield Scope("family", 0, cue.first, cue)
        if "contact" in cue.kinds:
            yield Scope("other", cue.last, self._person_end(cue), cue)

    def _person_end(self, cue: Cue) -> int:
        ends = (one.first for one in self._cues if one.first >= cue.last and "patient" in one.kinds)
        return next(ends, len(self._tokens))

    def _informs(self, cue: Cue) -> bool:
        """Whether the person only tells, comes along or is named as a parent ("mother of two")."""
        before = self._word_before(cue)
        following = [token.text for token in self._tokens[cue.last : cue.last + 4]]
        if "who" in following[:2]:
            return False
        if before in words_of_kind("told_by") or following[:1] == ["of"]:
            return True
        return any(
            "informs" in self._cue_at.get(at, _NONE).kinds
            for at in range(cue.last, min(cue.last + 3, len(self._tokens)))
        )

    def _is_in(self, cue: Cue) -> bool:
        return self._word_before(cue) in {"in", "bei", "chez", "en"}

    def _word_before(self, cue: Cue) -> str:
        at = cue.first - 1
        while at >= 0 and self._tokens[at].text in _POSSESSIVES:
            at -= 1
        return self._tokens[at].text if at >= 0 else ""


_NEW = {
    "negated": frozenset({"uncertain", "negated", "negated_subject"}),
    "uncertain": frozenset({"negated", "negated_subject"}),
}
"""A new cue of these kinds starts a statement of its own."""
_NONE = Cue(0, 0, frozenset())
_NO_TARGET = frozenset(
    [
        "by",
        "on",
        "in",
        "at",
        "with",
        "after",
        "for",
        "since",
        "from",
        "during",
        "and",
        "or",
        "of",
        "as",
        "the",
        "to",
    ]
)
