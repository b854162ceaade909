"""What the name of a table or column says of what it holds, by the words of `naming.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from proband.records.titles import words_of
from proband.text.fold import fold

_OWNERS = ("patient", "person", "pat", "paciente", "mgonjwa")


def sensitive(column: str) -> str:
    """Why a column of this name stays out of a draft, such as "telephone number"; "" where nothing speaks for it."""
    for reason, phrases in _lists("sensitive").items():
        if any(_holds(column, phrase) for phrase in phrases):
            return reason
    return ""


def place(role: str, name: str) -> int | None:
    """How good the whole name is for a role, 0 the best; None where it does not fit."""
    forms = _forms(name)
    for index, phrase in enumerate(_lists("roles")[role]):
        if any(_is(form, phrase) for form in forms):
            return index
    return None


def fits(role: str, name: str) -> bool:
    """The whole name fits the role."""
    return place(role, name) is not None


def holds(role: str, name: str) -> bool:
    """Some words of the name fit the role."""
    return any(_holds(name, phrase) for phrase in _lists("roles")[role])


def ends(role: str, name: str) -> bool:
    """The last words of the name fit the role."""
    words = _folded(name)
    return any(
        _is("".join(words[-len(phrase.split()) :]), phrase)
        for phrase in _lists("roles")[role]
        if len(words) > len(phrase.split())
    )


def _holds(name: str, phrase: str) -> bool:
    words, size = _folded(name), len(phrase.split())
    runs = (words[start : start + size] for start in range(len(words) - size + 1))
    return any(_is("".join(run), phrase) for run in runs) or any(
        _is(form, phrase) for form in _forms(name)
    )


def _is(joined: str, phrase: str) -> bool:
    wanted = phrase.replace(" ", "")
    return joined.startswith(wanted[:-1]) if wanted.endswith("*") else joined == wanted


def _forms(name: str) -> tuple[str, ...]:
    """The whole name in one word, and without the one whom it is about: `patient_phone`, `phone`."""
    joined = "".join(_folded(name))
    return (joined, *(joined.removeprefix(owner) for owner in _OWNERS if joined.startswith(owner)))


def _folded(name: str) -> list[str]:
    return [fold(word).replace("ß", "ss") for word in words_of(name)]


@cache
def _lists(part: str) -> Mapping[str, tuple[str, ...]]:
    text = resources.files("proband.records").joinpath("naming.toml").read_text(encoding="utf-8")
    return {name: tuple(phrases) for name, phrases in tomllib.loads(text)[part].items()}
