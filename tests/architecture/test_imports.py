"""The import rule of ARCHITECTURE.md: arrows point one way, and only `wiring` knows concrete adapters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "proband"
STAGES = {"trials", "records", "search", "evidence", "ingest", "catalogue"}
FOUNDATION = {"model", "errors", "text", "settings"}

ALLOWED = {
    "errors": set(),
    "text": {"errors", "text"},
    "model": {"errors", "text"},
    "settings": {"errors"},
    "ports": FOUNDATION,
    "trials": FOUNDATION | {"ports", "trials"},
    "records": FOUNDATION | {"ports", "records"},
    "search": FOUNDATION | {"ports", "search"},
    "evidence": FOUNDATION | {"ports", "evidence", "search"},
    "catalogue": FOUNDATION | {"ports", "catalogue", "trials", "records"},
    "ingest": FOUNDATION | {"ports", "ingest", "catalogue"},
    "adapters": FOUNDATION | {"ports", "adapters", "trials", "records"},
    "evaluation": FOUNDATION | {"ports", "evaluation", "search"},
    "sample": FOUNDATION | {"sample"},
    "manifests": FOUNDATION | {"ports", "trials", "records", "catalogue", "ingest"},
    "certificates": FOUNDATION | {"ports", "catalogue", "search"},
    "engine": FOUNDATION | STAGES | {"ports", "manifests", "certificates", "engine"},
    "records_copy": FOUNDATION | {"ports", "catalogue", "ingest", "records", "records_copy"},
    "records_engine": FOUNDATION
    | (STAGES - {"trials"})
    | {"ports", "manifests", "certificates", "records_copy", "records_engine"},
    "records_read": FOUNDATION | {"ports", "catalogue", "records", "records_read"},
    "records_erasure": FOUNDATION | {"ports", "catalogue", "records_read", "records_erasure"},
    "wiring_records": FOUNDATION
    | STAGES
    | {
        *("ports", "manifests", "records_engine", "records_read", "records_erasure"),
        *("adapters", "wiring", "wiring_records"),
    },
    "wiring": FOUNDATION
    | STAGES
    | {"ports", "manifests", "certificates", "engine", "records_engine", "adapters", "wiring"},
    "wiring_fixed": FOUNDATION | STAGES | {"ports", "adapters", "wiring"},
    "cli": FOUNDATION
    | STAGES
    | {
        "ports",
        "certificates",
        "engine",
        "records_copy",
        "records_engine",
        "records_erasure",
        "records_read",
        "wiring",
        "wiring_records",
        "wiring_fixed",
        "cli",
        "evaluation",
        "sample",
    },
}

ADAPTERS_MAY_PARSE = {"registry", "study", "fetched", "sync", "api_json", "classic_xml", "aact"}
HEAVY = {
    "openvino",
    "qdrant_edge",
    "sqlalchemy",
    "psycopg",
    "pymysql",
    "pyodbc",
    "alembic",
    "httpx",
    "rich",
    "tokenizers",
    "safetensors",
    "onnx",
    "click",
}
MAY_USE_LIBRARIES = {"adapters", "catalogue", "cli", "evaluation", "web"}


def modules() -> list[Path]:
    return sorted(
        path
        for path in SOURCE.rglob("*.py")
        if path.parent != SOURCE or path.stem not in {"__init__", "__main__"}
    )


def owner(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """What the module imports when it runs; what only types need couples nothing."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        below
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for below in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_module_imports_only_what_its_layer_may(path: Path) -> None:
    mine = owner(path)
    parts = [name.split(".") for name in imported(path) if name.startswith("proband.")]
    assert {part[1] for part in parts} <= ALLOWED[mine]
    if mine == "adapters":
        assert {part[2] for part in parts if part[1] == "trials"} <= ADAPTERS_MAY_PARSE


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_third_party_libraries_stay_at_the_edges(path: Path) -> None:
    if owner(path) not in MAY_USE_LIBRARIES:
        assert not {name.split(".")[0] for name in imported(path)} & HEAVY


def test_every_folder_has_its_rule() -> None:
    assert {owner(path) for path in modules()} <= set(ALLOWED)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_openvino_is_only_imported_where_its_telemetry_is_shut_off(path: Path) -> None:
    if path.stem != "silent_openvino":
        assert "openvino" not in {name.split(".")[0] for name in imported(path)}
