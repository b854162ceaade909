"""Whom a line is for: cohorts, arms, parts, phases, steps and roles, read from the words of headers and lines.

Names come back outermost first, as written, one each: `Cohorts 2-4` is `Cohort 2`, `Cohort 3`, `Cohort 4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from proband.trials.lexicon import lexicon

EVERYBODY: tuple[str, ...] = ("",)
"""What `own_line` gives for `All cohorts`: a label that ends the scope."""

_ID = r"(?:[A-Z]\d{0,2}[a-z]?|\d{1,2}[A-Za-z]?|[IVX]{1,4}[abAB]?)(?!\w|[.,]\d)"
_GLUE = r"\s*(?:,\s*(?:and|or|&)?|/|&|\+|\band\b|\bor\b|[-–—]|\bto\b|\bthrough\b)\s*"
_RANGE = re.compile(r"\s*(?:[-–—]|to|through)\s*$", re.IGNORECASE)


@cache
def _structured() -> re.Pattern[str]:
    noun = rf"(?i:\b(?:{lexicon().alternatives('part')})s?\b)"
    return re.compile(rf"(?P<noun>{noun})\s*(?:#|(?i:no\.?|number)\s)?\s*(?P<ids>{_ID}(?:{_GLUE}(?:{noun}\s*)?{_ID})*)")


@cache
def _named() -> re.Pattern[str]:
    """Stages of a study that have a name instead of a number, as `dose escalation part`."""
    words = lexicon()
    return re.compile(
        rf"\b(?:{words.alternatives('stage')})(?:[ -](?:{words.alternatives('part')})s?)?\b", re.IGNORECASE
    )


def names(text: str) -> tuple[str, ...]:
    """Every numbered or lettered part that `text` names, in order, ranges spelled out."""
    return _once(name for found in _structured().finditer(text) for name in _expanded(found))


def _expanded(found: re.Match[str]) -> Iterator[str]:
    noun = _singular(found["noun"])
    if noun.lower() == "phase" and "/" in found["ids"]:
        yield f"{noun} {found['ids']}"
        return
    previous, at = "", 0
    for part in re.finditer(_ID, found["ids"]):
        if previous and _RANGE.search(found["ids"][at : part.start()]):
            yield from (f"{noun} {between}" for between in _between(previous, part.group()))
        yield f"{noun} {part.group()}"
        previous, at = part.group(), part.end()


def _singular(noun: str) -> str:
    if noun.lower() == "strata":
        return noun[:-1] + ("UM" if noun.isupper() else "um")
    return noun[:-1] if noun[-1] in "sS" else noun


def _between(first: str, last: str) -> list[str]:
    if first.isdigit() and last.isdigit():
        return [str(number) for number in range(int(first) + 1, int(last))]
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        return [chr(code) for code in range(ord(first) + 1, ord(last))]
    return []


def _once(found: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


# Whole lines, headers, prefixes and endings -------------------------------------------------------------------------

_BRACKETS = re.compile(r"\s*[(\[（【][^()\[\]（）【】]*[)\]）】]")
_FRAME = re.compile(
    r"^(?:(?:for|in|of|by|to|only|specific|additional|the|a|an|this|and)\s+)+|\s*\b(?:only|specific|alone)\b\s*$", re.IGNORECASE
)
_EDGE = " \t:：-–—.,;*_"
_OUTER = re.compile(r"^[(\[（【]\s*(?P<inner>[^()\[\]（）【】]*)\s*[)\]）】]$")
_DESCRIBED = re.compile(r"\s+(?:with|without|who|in|of|from|on|at|to|receiving|undergoing|enrolled|assigned|randomi[sz]ed|treated|entering|participating|taking)\b.*$", re.IGNORECASE)
_GENERIC = re.compile(
    r"(?:(?:for|in|of|to|the|this|that|study|trial|protocol|research|entry|enrollment|enrolment|participation|participate|inclusion|"
    r"exclusion|screening|randomi[sz]ation|registration|enter|entering|entrance|be|included|in|both|a|an|and|into|eligibility|at|baseline|visit|\d)\b[\s/]*)+",
    re.IGNORECASE,
)


@cache
def _everybody() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon().alternatives('everybody')})\Z", re.IGNORECASE)


@cache
def _people() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon().alternatives('people')})\Z", re.IGNORECASE)


@cache
def _collective() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon().alternatives('collective')})\Z", re.IGNORECASE)


@cache
def _kinds() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon().alternatives('kind')}|{lexicon().alternatives('people')})\Z", re.IGNORECASE)


_STAGE = re.compile(r"(?i:stage)\s+(?:\d|[A-D])")


def own_line(text: str, listed: bool) -> tuple[str, ...] | None:
    """The scope that a whole line names (`Cohort A:`, `Household Contacts`), EVERYBODY for `All cohorts`, else None.

    `listed`: the line is a list item, where only a part of the study or a plain role is a scope: `Patients with
    cirrhosis:` in a list is a condition.
    """
    bare = text.strip(_EDGE)
    if (outer := _OUTER.match(bare)):
        bare = outer["inner"].strip(_EDGE)
    if len(bare) > 120 or not bare:
        return None
    if _everybody().match(_BRACKETS.sub("", bare).strip(_EDGE)):
        return EVERYBODY
    if not listed and _STAGE.fullmatch(bare):
        return (bare,)
    return _parts_only(bare) or _role(bare, listed)


def _parts_only(bare: str) -> tuple[str, ...] | None:
    """Numbered or named parts with nothing beside them but brackets, people and a short description."""
    found = _structured().search(bare)
    if found and _is_frame(bare[: found.start()]):
        rest = bare[found.end() :]
        more = _structured().match(rest.lstrip(" ,/&")) or re.match(r"\s*(?:and|or|&|,)\s+", rest)
        tail = _BRACKETS.sub("", rest)
        if more and names(rest):
            tail = ""
        tail = re.sub(r"^\s*(?:only|subjects?|patients?|participants?)\b", "", tail, flags=re.IGNORECASE).strip(_EDGE)
        if not tail or (rest.lstrip()[:1] in "-–—:," and len(tail.split()) <= 8 and not re.search(r"\d|[<>=≥≤]", tail)):
            return names(bare)
    plain = _FRAME.sub("", _BRACKETS.sub("", bare).strip(_EDGE)).strip(_EDGE)
    if plain and (stage := _named().fullmatch(plain)) and not plain.lower() in ("treatment", "main", "core", "imaging", "transplantation", "mri", "pet"):
        return (stage.group(),)
    return None


def _is_frame(words: str) -> bool:
    """Whether only `For patients in` and the like stand before the name of a part."""
    return all(
        re.fullmatch(r"for|in|of|the|only|to|on|enrolled|assigned|randomi[sz]ed|treated|entering|all|into|criteria|additional|specific|being", word, re.IGNORECASE)
        or _people().match(word)
        for word in re.findall(r"[\w-]+", words)
    )


def _role(bare: str, listed: bool) -> tuple[str, ...] | None:
    """A phrase that names people or a group: `Index Participants`, `Control Group`, `transplant patients`."""
    plain = _BRACKETS.sub("", bare).strip(_EDGE)
    plain = _FRAME.sub("", plain).strip(_EDGE)
    head = _DESCRIBED.sub("", plain)
    words = re.findall(r"[\w'’-]+", head)
    if not words or len(words) > 6 or re.search(r"[<>=≥≤;.?!]|\d", head) or re.match(r"(?:no|not|any|other|none|must|non)\b", head, re.IGNORECASE):
        return None
    if listed:
        plain_role = all(_kinds().match(word) for word in words) and head == plain or _sexed(words, plain)
        return (plain,) if plain_role and _people().match(words[-1]) else _group(words, plain)
    if _people().match(words[-1]) and not _asks(plain):
        return (plain,)
    return _group(words, plain)


def _group(words: list[str], plain: str) -> tuple[str, ...] | None:
    if len(words) > 1 and _collective().match(words[-1]) and not _asks(plain) and words[-2].lower() not in ("age", "blood", "this", "study", "the", "clinical", "another", "risk"):
        return (plain,)
    return None


@cache
def _sexed_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon().alternatives('sexed')})\Z", re.IGNORECASE)


def _sexed(words: list[str], plain: str) -> bool:
    return (
        bool(_sexed_pattern().match(words[-1]) or (len(words) == 2 and _sexed_pattern().match(words[0])))
        and len(words) <= 3
        and all(_kinds().match(word) for word in words)
        and bool(re.fullmatch(r".*?(?: (?:of|with) (?:.{0,20}child[- ]?bearing.*|reproductive.*|partners.*|a partner.*))?", plain, re.IGNORECASE))
        and (plain.lower().endswith(words[-1].lower()) or "child" in plain.lower() or "reproductive" in plain.lower())
    )


_ASKS = re.compile(r"\b(?:is|are|must|should|will|may|can|cannot|have|has|had|been|be|was|were|following|able|willing|history|except|excluded|eligible|allowed|required|agree|aged?|least|pregnant or|years?|to)\b", re.IGNORECASE)


def _asks(plain: str) -> bool:
    """Whether the words say more than whom they name."""
    return bool(_ASKS.search(plain))


def in_header(text: str, loose: bool) -> tuple[str, ...] | None:
    """The scope in what stands beside the side in a header; () when it binds all; None when it is no scope.

    `loose`: whatever stands after `for` is a scope.
    """
    bare = text.strip(_EDGE)
    if (outer := _OUTER.match(bare)):
        bare = outer["inner"].strip(_EDGE)
    loose = loose and bare.lower().startswith("for ") and not _asks(bare)
    if not bare or _everybody().match(_BRACKETS.sub("", bare).strip(_EDGE)):
        return ()
    if _GENERIC.fullmatch(bare):
        return ()
    if found := (_parts_only(bare) or _role(bare, listed=False)):
        return found
    if loose:
        named = _FRAME.sub("", _BRACKETS.sub("", bare).strip(_EDGE)).strip(_EDGE)
        return (named,) if named and len(named.split()) <= 6 else None
    return None


_PREFIX = re.compile(r"^(?P<before>[^:：]{1,110}?)\s*[:：](?=\s*\S)")
_BRACKETED = re.compile(r"^[(\[（【]\s*(?P<inner>[^()\[\]（）【】]{2,60})\s*[)\]）】]\s*[:：-]?\s*(?=\S)")
_DASHED = re.compile(r"^(?P<before>[^:：,;]{3,60}?)\s+[-–—]\s+(?=\S)")
_CLAUSE = re.compile(r"^(?P<before>(?:For|In|for|in)\b[^,:：]{3,90}),\s")
_SUBJECT = re.compile(
    r"^(?:For |In |All |The )?(?:[Pp]atients?|[Pp]articipants?|[Ss]ubjects?|[Vv]olunteers?|[Ii]ndividuals?|[Tt]hose)\s+(?:(?:who are |to be )?(?:enroll?(?:ed|ing)|entering|assigned|randomi[sz]ed|treated|participating|included)\s+)?(?:in|on|to|into|of|from|for)\s+(?:the\s+)?(?P<rest>.*)$"
)
_END_BRACKET = re.compile(r"[(\[（]\s*(?P<inner>[^()\[\]（）]{3,80})\s*[)\]）]\s*[.;。；]?\s*(?:and|or|AND|OR)?$")
_END = re.compile(
    r"(?P<context>\b[\w-]+(?:\s+[\w-]+){0,4}\s+)?\b(?P<preposition>for|in|to|into|of)\s+(?:(?:the|all|both)\s+)?(?:(?:patients?|participants?|subjects?|volunteers?|those|individuals?)\s+(?:who are |to be )?(?:(?:enroll?(?:ed|ing)|entering|assigned|randomi[sz]ed|treated|participating|included|enrolled)\s+)?(?:in|on|to|into|of)\s+(?:the\s+)?)?(?P<rest>[A-Za-z][^.;:]{0,60}?)\s*(?:\bonly\b)?\s*[.;。；]?$"
)
_MENTIONED = re.compile(
    r"\b(?:enroll?(?:ed|ment)|participat(?:ed|ion|ing)|treated|included|completed|completion|randomi[sz]ed|assigned|received|dosed|results?|data|history|prior|previous(?:ly)?|exposure|toxicity|dose|experience|from|or|and|criteria)\s*(?:in|of|for|to|on)?\s*$",
    re.IGNORECASE,
)


def in_line(text: str) -> tuple[str, ...]:
    """The scope of one line: from its prefix, else from its end. What a line merely mentions is no scope."""
    return _from_prefix(text) or _from_end(text)


def _from_prefix(text: str) -> tuple[str, ...]:
    if (found := _BRACKETED.match(text)) and (inside := own_line(found["inner"], listed=False)) and inside != EVERYBODY:
        return inside
    for pattern in (_PREFIX, _DASHED, _CLAUSE):
        if (found := pattern.match(text)) and (prefix := _prefix(found["before"], pattern is not _DASHED)):
            return prefix
    if (found := _SUBJECT.match(text)) and (part := _structured().match(found["rest"])):
        return names(part.group())
    return ()


def _prefix(before: str, roles: bool) -> tuple[str, ...]:
    bare = before.strip(_EDGE)
    if only := re.match(r"^(.{3,100}?)\s+only$", bare, re.IGNORECASE):
        several = names(only[1]) + tuple(found.group() for found in _named().finditer(_BRACKETS.sub("", only[1])))
        if several:
            return _once(iter(several))
    found = _parts_only(bare)
    if found is None and roles:
        found = _role(bare, listed=True)
    return found or ()


def _from_end(text: str) -> tuple[str, ...]:
    if found := _END_BRACKET.search(text):
        return _inside_bracket(found["inner"])
    if not (tail := _structured_tail(text)):
        return ()
    return tail


def _inside_bracket(inner: str) -> tuple[str, ...]:
    bare = inner.strip(_EDGE)
    only = bool(re.search(r"\bonly\b", bare, re.IGNORECASE))
    found = _parts_only(bare)
    if found is None and only:
        found = _role(bare, listed=False)
    return found or ()


def _structured_tail(text: str) -> tuple[str, ...]:
    for found in _structured().finditer(text):
        rest = text[found.end() :]
        if not re.fullmatch(r"(?:\s*(?:,|and|or|&)\s*(?:the\s+)?" + _structured().pattern.replace("(?P<noun>", "(?:").replace("(?P<ids>", "(?:") + r")*\s*(?:only|patients|participants|subjects)?\s*[.;。；]?\s*", rest):
            continue
        before = text[: found.start()]
        if re.search(r"\bfor\s+(?:(?:the|all|both)\s+)?(?:(?:patients?|participants?|subjects?|volunteers?|those|individuals?)\s+(?:[a-z]+\s+)?(?:in|on|to|into|of)\s+(?:the\s+)?)?$", before, re.IGNORECASE):
            return names(text[found.start() :])
        if (into := re.search(r"\b(?:in|to|into|of)\s+(?:the\s+)?$", before)) and not _MENTIONED.search(before[: into.start()]) and not re.search(r"\b(?:patients?|participants?|subjects?)\s*$", before[: into.start()]):
            return names(text[found.start() :])
    return ()
