"""The scope of one line: from its prefix, else from its end. What a line merely mentions is no scope."""

from __future__ import annotations

import re
from functools import cache

from proband.trials import scope
from proband.trials.lexicon import ending, lowered, starting

_BRACKETED = re.compile(
    r"[(\[（【]\s*(?P<scope>[^()\[\]（）【】]{2,60})\s*[)\]）】]\s*[:：-]?\s*(?=\S)"
)
_COLON = re.compile(r"(?P<scope>[^:：]{1,110})[:：](?=\s*\S)")
_DASH = re.compile(r"(?P<scope>[^:：,;]{3,60}?)\s+[-–—]\s+(?=\S)")
_CLAUSE = re.compile(r"(?P<scope>(?:for|in)\b[^,:：]{3,90}),\s", re.IGNORECASE)
_ONLY = re.compile(r"(?P<scope>.{3,100}?)\s+only\Z", re.IGNORECASE)
_PEOPLE = r"(?:patients?|participants?|subjects?|volunteers?|individuals?|those)"
_ENTERED = (
    r"(?:(?:who are |to be )?(?:enroll?(?:ed|ing)|entering|assigned|randomi[sz]ed|treated"
    r"|participating|included)\s+)?"
)
_INTO = r"(?:in|on|to|into|of|from|for)\s+(?:the\s+)?"
_SUBJECT = re.compile(
    rf"(?:(?:for|in|all|the)\s+)?{_PEOPLE}\s+{_ENTERED}{_INTO}(?P<rest>.*)", re.IGNORECASE
)
_END_BRACKET = re.compile(
    r"[(\[（]\s*(?P<scope>[^()\[\]（）]{3,80})\s*[)\]）]\s*[.;。；]?\s*(?:and|or|AND|OR)?\Z"
)
_FOR_ONLY = re.compile(
    r"\bfor\s+(?P<scope>(?:(?!\bfor\b)[^.,;:]){3,60})\s+only\s*[.;。；]?\Z", re.IGNORECASE
)
_LONGEST_END = 90
_FOR = re.compile(
    rf"\bfor\s+(?:(?:the|all|both)\s+)?(?:{_PEOPLE}\s+{_ENTERED}{_INTO})?\Z", re.IGNORECASE
)
_IN = re.compile(r"\b(?:in|to|into|of)\s+(?:the\s+)?\Z", re.IGNORECASE)


def of_text(text: str) -> tuple[str, ...]:
    """The arms that a line names for itself; () when it binds whom the lines above it bind."""
    return _from_prefix(text) or _from_end(text)


def _from_prefix(text: str) -> tuple[str, ...]:
    if found := _BRACKETED.match(text):
        return _binding(scope.of_line(found["scope"]))
    for pattern in (_COLON, _DASH, _CLAUSE):
        if (found := pattern.match(text)) and (prefix := _prefix(found["scope"])):
            return prefix
    if (found := _SUBJECT.match(text)) and (part := scope.part_pattern().match(found["rest"])):
        exempt = starting("exempt").match(lowered(found["rest"][part.end() :]))
        return () if exempt else scope.names(part.group())
    return ()


def _prefix(words: str) -> tuple[str, ...]:
    """`ABC123 alone (Arm A) dose finding only`: what stands before `only` may name several scopes."""
    if only := _ONLY.match(words):
        several = scope.names(only["scope"]) + scope.stages(only["scope"])
        if several and not scope.leaves_out(only["scope"]):
            return scope.once(several)
    return _binding(scope.of_item(words))


def _from_end(text: str) -> tuple[str, ...]:
    if found := _END_BRACKET.search(text):
        return _bracket(found["scope"])
    if (only := _FOR_ONLY.search(text)) and not scope.excepted(text[: only.start("scope")]):
        return _binding(scope.of_item(only["scope"]))
    found = _last_parts().search(text, max(0, len(text) - _LONGEST_END))
    if not found:
        return ()
    before = text[: found.start()]
    if scope.excepted(before):
        return ()
    if _FOR.search(before):
        return scope.names(found["parts"])
    into = _IN.search(before)
    if into and not ending("mentioned").search(lowered(before[: into.start()]).rstrip()):
        return scope.names(found["parts"])
    return ()


def _bracket(words: str) -> tuple[str, ...]:
    """A bracket at the end: a part or a stage as it is, a role only with `only`."""
    if _ONLY.match(words):
        return _prefix(words)
    return scope.names(words) if _binding(scope.of_item(words)) and scope.names(words) else ()


def _binding(found: tuple[str, ...] | None) -> tuple[str, ...]:
    return found if found and found != scope.EVERYBODY else ()


@cache
def _last_parts() -> re.Pattern[str]:
    """One or several parts with which a line ends."""
    noun = scope.part_noun()
    part = (
        rf"{noun}\s*{scope.ID}(?:\s*(?:,|/|&|and|or|to|-|–)\s*(?:the\s+)?(?:{noun}\s*)?{scope.ID})*"
    )
    return re.compile(
        rf"(?P<parts>{part})(?:\s*(?:only|patients|participants|subjects))*\s*[.;。；]?\s*\Z"
    )
