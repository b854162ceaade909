"""The private file: open to its owner only, gone with the block, gone after a kill."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from fhir_samples import ndjson, patient
from proband.adapters.source_files import names_files, stage
from proband.adapters.staging import filling, staging_file
from proband.errors import HomeError, SourceUnavailable


def test_file_is_private_and_goes_with_the_block(tmp_path: Path) -> None:
    with staging_file(tmp_path / "staging") as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list((tmp_path / "staging").iterdir()) == []


def test_file_goes_after_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), staging_file(tmp_path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_file_of_a_killed_process_is_removed_by_the_next_one(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, sys\n"
        "from proband.adapters.staging import staging_file\n"
        "with staging_file(pathlib.Path(sys.argv[1])) as path:\n"
        "    path.write_text('zorbla')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "source.sqlite").read_text() == "zorbla"
    with staging_file(tmp_path) as path:
        assert list(tmp_path.iterdir()) == [path.parent]


def test_file_in_use_is_left_alone(tmp_path: Path) -> None:
    with staging_file(tmp_path) as first, staging_file(tmp_path) as second:
        assert first.exists()
        assert second.exists()


def test_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeError, match="cannot be written"), staging_file(tmp_path / "file"):
        pass


def fill_the_disk(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA max_page_count = 4")
    db.execute("CREATE TABLE t (value TEXT)")
    db.executemany("INSERT INTO t VALUES (?)", (("x" * 4_000,) for _ in range(100)))


def test_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with (
        staging_file(tmp_path) as path,
        pytest.raises(HomeError, match="There is no space left"),
        filling(path) as db,
    ):
        fill_the_disk(db)


def test_other_errors_of_sqlite_pass(tmp_path: Path) -> None:
    with (
        staging_file(tmp_path) as path,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        filling(path) as db,
    ):
        db.execute("SELECT * FROM nowhere")


@pytest.mark.parametrize("odd", ["plain", "with space", "wïth%ödd?chars#"])
def test_staged_files_are_read_by_url(tmp_path: Path, odd: str) -> None:
    files = tmp_path / odd
    (files / "csv").mkdir(parents=True)
    (files / "csv" / "people.csv").write_text("Id,NAME\np-1,Zorbla Testperson\n")
    (files / "p.ndjson").write_text(ndjson(patient()))
    for url, table in (
        (f"csv:{files / 'csv'}", "people"),
        (f"fhir:{files / 'p.ndjson'}", "patients"),
    ):
        with stage(url, files / "staging") as staged:
            assert staged.notes == ()
            engine = create_engine(staged.url)
            with engine.connect() as connection:
                assert connection.scalar(text(f"SELECT count(*) FROM {table}")) == 1
            engine.dispose()
        assert list((files / "staging").iterdir()) == []


def test_keys_that_are_there_are_indexed(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("Id,NAME\np-1,Zorbla\np-1,Quux\n")
    keys = {"people": ("id",), "others": ("id",), "sqlite_master": ()}
    with stage(f"csv:{tmp_path}", tmp_path / "staging", keys) as staged:
        engine = create_engine(staged.url)
        with engine.connect() as connection:
            plan = text("EXPLAIN QUERY PLAN SELECT * FROM people ORDER BY Id")
            assert "USING INDEX people in order" in str(connection.execute(plan).all())
        engine.dispose()


def test_only_urls_of_files_are_staged(tmp_path: Path) -> None:
    assert names_files("csv:data")
    assert names_files("fhir:data")
    assert not names_files("sqlite:///data")
    for url in ("sqlite:///data", "csv:", "data"):
        with pytest.raises(SourceUnavailable, match="names no files"), stage(url, tmp_path):
            pass
