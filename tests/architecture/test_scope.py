"""No function of `search` reads an index or texts without saying for whom."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import pytest

from proband import search

READS = {"Index", "Texts", "Sections", "Reader"}
FOR_WHOM = {"View", "Scope"}
FOUND = {"Grouped", "Ranking"}
"""Only a ranking makes these, and only in a view: what they name was seen by the asker."""


def functions() -> dict[str, Callable[..., Any]]:
    modules = [
        importlib.import_module(f"proband.search.{found.name}")
        for found in pkgutil.iter_modules(search.__path__)
    ]
    return {
        f"{module.__name__.split('.')[-1]}.{name}": found
        for module in modules
        for name, found in inspect.getmembers(module, inspect.isfunction)
        if found.__module__ == module.__name__ and not name.startswith("_")
    }


def takes(function: Callable[..., Any], words: set[str]) -> bool:
    hints = inspect.get_annotations(function)
    named = (str(text) for name, text in hints.items() if name != "return")
    return any(not words.isdisjoint(re.findall(r"\w+", text)) for text in named)


@pytest.mark.parametrize("name", sorted(functions()))
def test_who_reads_says_for_whom(name: str) -> None:
    function = functions()[name]
    assert not takes(function, READS) or takes(function, FOR_WHOM) or takes(function, FOUND)


def test_rule_sees_who_reads() -> None:
    reading = {name for name, function in functions().items() if takes(function, READS)}
    assert {"pipeline.search", "recall.recall", "expand.contexts", "cite.open_citation"} <= reading
