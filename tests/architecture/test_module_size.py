"""Modules and functions stay small enough to be read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "proband"
CEILING = 400
VOCABULARY = 680  # model.py holds every word of the flow on one page and no behaviour


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_module_has_at_most_400_lines(path: Path) -> None:
    ceiling = VOCABULARY if path == SOURCE / "model.py" else CEILING
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= ceiling


def test_nine_of_ten_functions_have_at_most_28_lines() -> None:
    lengths = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    )
    assert lengths[len(lengths) * 9 // 10] <= 28


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_public_function_says_what_it_gives(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    public = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
        and "alembic" not in path.parts
        and "versions" not in path.parts
    ]
    assert public == []
