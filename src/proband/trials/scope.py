"""Whom words are for: cohorts, arms, parts, phases, steps, stages and roles that a phrase names.

    phrase := frame (part | stage | group | role) frame      frame: "for", "patients in", "only", brackets
    part   := "Cohort" id (glue id)*                          Cohorts 2-4
    stage  := a stage with a name [collective]                Dose expansion cohort
    group  := words collective                                PET sub-study
    role   := words people                                    Household contacts

Names come back outermost first, as written, one each: `Cohorts 2-4` gives `Cohort 2`, `Cohort 3`, `Cohort 4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from proband.trials.lexicon import alternatives, lowered, whole, words

EVERYBODY: tuple[str, ...] = ("",)
"""What a line like `All cohorts` gives: it names no scope and ends the one above it."""

ID = r"(?<!\w)(?:[A-Z]\d{0,2}[a-z]?|\d{1,2}[A-Za-z]?|[IVX]{1,4}[abAB]?)(?!\w|[.,]\d)"
_GLUE = r"\s*(?:,\s*(?:and|or|&)?|/|&|\+|\b(?i:and|or|to|through)\b|[-–—])\s*"
_RANGE = re.compile(r"\s*(?:[-–—]|to|through)\s*$", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(\[（【][^()\[\]（）【】]*[)\]）】]")
_WRAPPED = re.compile(r"[(\[（【]\s*(?P<inner>[^()\[\]（）【】]*)\s*[)\]）】]")
_EDGE = ' \t:：-–—.,;*_"“”'
_WORD = re.compile(r"[\w'’-]+")
_CLOSED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_LONGEST = 120
_MOST_WORDS = 6


def names(text: str) -> tuple[str, ...]:
    """Every numbered or lettered part that `text` names, in order, ranges spelled out."""
    return once(name for found in part_pattern().finditer(text) for name in _expanded(found))


def stages(text: str) -> tuple[str, ...]:
    """Every named stage of the study in `text`."""
    return once(found.group() for found in _stage().finditer(text))


def excepted(before: str) -> bool:
    """Whether the words before a part leave it out: `not applicable to`, `except in`."""
    return _excepting().search(lowered(_CLOSED.sub("", before))) is not None


def of_item(text: str) -> tuple[str, ...] | None:
    """The scope that a list item or a prefix names; EVERYBODY for `All parts`; None when it is no scope.

    Roles are strict here: `Male participants` is one, `Patients with cirrhosis` in a list is a condition.
    """
    bare = _bare(text)
    if not bare:
        return None
    return EVERYBODY if _binds_all(bare) else _part(bare) or _named(bare, strict=True)


def of_line(text: str) -> tuple[str, ...] | None:
    """The scope that a line outside the lists names: `Cohort A (closed):`, `Patients with asthma`."""
    bare = _bare(text)
    if not bare:
        return None
    if _binds_all(bare):
        return EVERYBODY
    return _part(bare) or _described_part(bare) or _named(bare, strict=False)


def of_front(text: str) -> tuple[str, ...]:
    """The scope that stands before the side in a header: `Cohort A`, `Donor`, `Psoriatic Patient`."""
    bare = _bare(text)
    if not bare or (_DESCRIBED.search(bare) and not part_pattern().search(bare)):
        return ()
    return _part(bare) or _named(bare, strict=False) or ()


def of_header(text: str, loose: bool) -> tuple[str, ...] | None:
    """The scope in what stands beside the side in a header; () when it binds all; None when it is no scope.

    `loose`: whatever a short phrase after `for` says is a scope.
    """
    if leaves_out(text):
        return None
    bare = _bare(text).removeprefix("at ")
    if not bare or _binds_all(bare) or _is_frame(bare):
        return ()
    if found := _part(bare) or _named(bare, strict=False):
        return found
    plain = _plain(bare)
    if asks(plain):
        return None
    named = loose and bare.lower().startswith("for ") and len(plain.split()) <= _MOST_WORDS
    return names(bare) or ((plain,) if named and plain else None)


def _binds_all(bare: str) -> bool:
    """`All cohorts`, `all 3 parts of the study`."""
    return whole("everybody").match(lowered(_BRACKETS.sub("", bare).strip(_EDGE))) is not None


def once(found: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in order."""
    return tuple(dict.fromkeys(found))


@cache
def part_pattern() -> re.Pattern[str]:
    """A numbered or lettered part: groups `noun` and `ids`. A digit may touch the noun: `Cohort1`."""
    first = rf"(?:{ID}|\d{{1,2}}[A-Za-z]?(?!\w|[.,]\d))"
    return re.compile(
        rf"(?P<noun>{part_noun()})\s*(?:#|(?i:no\.?|number)\s)?\s*"
        rf"(?P<ids>{first}(?:{_GLUE}(?:{part_noun()}\s*)?{ID})*)"
    )


def part_noun() -> str:
    """A word for a part of a study, singular or plural."""
    return rf"(?i:\b(?:{alternatives('part')})s?(?![a-z]))"


@cache
def _stage() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{alternatives('stage')})(?:[ -](?:{alternatives('collective')}|phase|period))?\b",
        re.IGNORECASE,
    )


def _expanded(found: re.Match[str]) -> Iterator[str]:
    noun, ids = _singular(found["noun"]), found["ids"]
    noun += " " if noun.isascii() else ""
    if noun.lower() == "phase " and "/" in ids:
        yield noun + ids
        return
    previous, at = "", 0
    for part in re.finditer(ID, ids):
        if previous and _RANGE.search(ids[at : part.start()]):
            yield from (noun + between for between in _between(previous, part.group()))
        yield noun + part.group()
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


def _bare(text: str) -> str:
    """The phrase without edges and brackets around it; empty when it is too long to be one, or leaves people out."""
    bare = text.strip(_EDGE)
    if wrapped := _WRAPPED.fullmatch(bare):
        bare = wrapped["inner"].strip(_EDGE)
    return bare if len(bare) <= _LONGEST and not leaves_out(bare) else ""


def leaves_out(phrase: str) -> bool:
    """`Not for Cohort B`, `all arms except Arm 2`, `Excluding healthy volunteers`."""
    if parts := [*part_pattern().finditer(phrase)]:
        return any(excepted(phrase[: part.start()]) for part in parts)
    return _excepting().match(lowered(phrase)) is not None


@cache
def _excepting() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives('excepted')})(?!\w)[^.;:：]{{0,60}}\Z")


def _plain(bare: str) -> str:
    """The phrase without brackets and without frame words at its ends: `the PET sub-study only` -> `PET sub-study`."""
    found = _BRACKETS.sub("", bare).strip(_EDGE).split()
    while found and whole("front").match(found[0].lower()):
        found.pop(0)
    while found and found[-1].lower() in ("only", "alone"):
        found.pop()
    return " ".join(found).strip(_EDGE)


def _is_frame(text: str) -> bool:
    """Whether there are only words that name nothing: `for this study`, `patients in`."""
    return all(whole("frame").match(word) for word in _WORD.findall(lowered(text)))


def _part(bare: str) -> tuple[str, ...] | None:
    """Numbered parts with nothing but a frame around them; a description in brackets does not count."""
    if not part_pattern().search(bare):
        return None
    outside = _BRACKETS.sub(lambda found: found.group() if names(found.group()) else "", bare)
    rest = _stage().sub(" ", part_pattern().sub(" ", outside))
    if _is_frame(rest) or _named_in_bracket(outside):
        return names(outside) or names(bare)
    return None


def _named_in_bracket(outside: str) -> bool:
    """`Healthy Subjects (Cohort 2)`: the bracket names the part, the words before it describe it."""
    before = _BRACKETS.sub("", outside)
    if before == outside or names(before) or outside[-1] not in ")]）】":
        return False
    return _named(before.strip(_EDGE), strict=False) is not None


def _described_part(bare: str) -> tuple[str, ...] | None:
    """`Cohort A: NSCLC`, `Part 1 - Adults with asthma` on a line of its own."""
    found = part_pattern().search(bare)
    if not found or not _is_frame(bare[: found.start()]):
        return _lettered_stage(bare)
    rest = bare[found.end() :]
    described = re.match(r"\s*(?:\([^()]*\)\s*)?(?:[-–—:：]|\()", rest)
    if described and len(rest.split()) <= 10 and not asks(rest) and not re.search(r"[<>=≥≤]", rest):
        return names(found.group())
    return None


def _lettered_stage(bare: str) -> tuple[str, ...] | None:
    """`Stage 2` on a line of its own is a stage of the study; in a line it is one of the disease."""
    return (bare,) if re.fullmatch(r"(?i:stage)\s+(?:\d|[A-D])", bare) else None


def _named(bare: str, strict: bool) -> tuple[str, ...] | None:
    """A stage, a group or a role; `strict` as in a list."""
    plain = _plain(bare)
    strict = strict and not bare.lower().endswith(" only")
    if not plain or re.search(r"[<>=≥≤;?!]", plain) or _ANYBODY.match(bare.lower()):
        return None
    if stage := _stage().fullmatch(plain):
        return (stage.group(),)
    head = plain if strict else _DESCRIBED.sub("", plain)
    found = [word.lower() for word in _WORD.findall(head)]
    if not 0 < len(found) <= _MOST_WORDS or re.search(r"\d", head) or asks(plain):
        return None
    if _is_role(found, strict) or _is_group(found, strict):
        return (plain,)
    return None


_ANYBODY = re.compile(r"(?:the |a |each |every )(?:patient|participant|subject|volunteer)\Z")
_DESCRIBED = re.compile(
    r"\s+(?:with|without|who|in|of|from|on|at|receiving|undergoing|enrolled|assigned|randomi[sz]ed|treated|entering"
    r"|participating|taking)\s+\S.*$",
    re.IGNORECASE,
)


def _is_role(found: list[str], strict: bool) -> bool:
    if not whole("people").match(found[-1]) or whole("unnamed").match(found[0]):
        return False
    return not strict or all(
        whole("kind").match(word) or whole("people").match(word) for word in found
    )


def _is_group(found: list[str], strict: bool) -> bool:
    collective = whole("collective").match(found[-1])
    if not strict:
        collective = collective or whole("collective_heading").match(found[-1])
    return bool(collective) and len(found) > 1 and not whole("ungrouped").match(found[-2])


_DANGLING = re.compile(r"\b(?:of|with|and|or|in|the|as)\Z")


def asks(phrase: str) -> bool:
    """Whether the words say more than whom they name."""
    low = lowered(phrase)
    return bool(words("asks").search(low) or _DANGLING.search(low))
