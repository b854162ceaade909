from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from model_files import published
from proband.cli.main import cli
from proband.errors import ModelFileWrong, UnknownModel

FILES = {"config.json": b"{}", "model.safetensors": b"weights"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose models.toml knows one more model, with its files in a folder beside."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "published").mkdir()
    entries = []
    for name, content in FILES.items():
        (tmp_path / "published" / name).write_bytes(content)
        file = published(name, content)
        entries.append(f'{{name = "{name}", size = {file.size}, sha256 = "{file.sha256}"}}')
    facts = 'kind = "dense"\narchitecture = "bert"\npooling = "cls"\nlicence = "MIT"'
    (home / "models.toml").write_text(
        f"[tiny]\n{facts}\ndimensions = 8\nwindow = 64\nfiles = [{', '.join(entries)}]\n"
    )
    monkeypatch.setenv("PROBAND_HOME", str(home))
    return home


def proband(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["models", *arguments])


def test_list_shows_the_packaged_models_and_those_of_the_home(home: Path) -> None:
    rows = {row["name"]: row for row in json.loads(proband("list", "--json").stdout)["models"]}
    assert rows["tiny"] == {
        "name": "tiny",
        "kind": "dense",
        "architecture": "bert",
        "dimensions": 8,
        "window": 64,
        "licence": "MIT",
        "bytes": 9,
        "present": False,
        "default": False,
    }
    assert rows["all-minilm-l6-v2"]["default"]
    assert rows["bge-reranker-v2-m3"]["kind"] == "reranker"


def test_list_marks_the_default_model(home: Path) -> None:
    lines = proband("list").stdout.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("*")] == ["all-minilm-l6-v2"]
    assert any(line.split()[:2] == ["tiny", "absent"] for line in lines)


def test_pull_from_a_folder_then_verify(home: Path) -> None:
    folder = str(home.parent / "published")
    pulled = json.loads(proband("pull", "tiny", "--from", folder, "--json").stdout)
    assert pulled == {
        "name": "tiny",
        "folder": str(home / "models" / "tiny"),
        "pulled": ["config.json", "model.safetensors"],
    }
    again = proband("pull", "tiny", "--from", folder)
    assert again.stdout == f"tiny was already complete in {home / 'models' / 'tiny'}.\n"
    verified = proband("verify", "tiny", "--json")
    assert verified.exit_code == 0
    assert json.loads(verified.stdout)["files"] == [
        {"name": "config.json", "state": "present"},
        {"name": "model.safetensors", "state": "present"},
    ]


def test_progress_goes_to_stderr(home: Path) -> None:
    result = proband("pull", "tiny", "--from", str(home.parent / "published"))
    assert "model.safetensors: 7" in result.stderr
    assert "model.safetensors" not in result.stdout


def test_verify_fails_for_a_changed_file(home: Path) -> None:
    proband("pull", "tiny", "--from", str(home.parent / "published"))
    (home / "models" / "tiny" / "config.json").write_bytes(b"[]")
    result = proband("verify", "tiny")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == ["wrong    config.json", "present  model.safetensors"]


def test_verify_without_a_name_looks_at_the_default_model(home: Path) -> None:
    result = proband("verify", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["name"] == "all-minilm-l6-v2"


def test_wrong_bytes_are_refused(home: Path) -> None:
    (home.parent / "published" / "config.json").write_bytes(b"[]")
    result = proband("pull", "tiny", "--from", str(home.parent / "published"))
    assert isinstance(result.exception, ModelFileWrong)
    assert not (home / "models" / "tiny" / "config.json").exists()


def test_unknown_model_is_a_usage_error(home: Path) -> None:
    result = proband("pull", "nope")
    assert isinstance(result.exception, UnknownModel)
    assert result.exception.exit_code == 2
