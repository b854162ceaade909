"""What goes wrong with a database is one clear sentence."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import event, insert, text

from catalogues import new_catalogue, url_of
from factories import study
from proband.catalogue import database
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.database import IN_LIST, in_lists, open_engine, place, store_errors
from proband.catalogue.generations import Generation
from proband.catalogue.schema import condition
from proband.errors import CatalogueError, HomeError, SettingsError
from proband.model import Corpus
from proband.ports import Manifest


def test_sqlite_keeps_a_log_syncs_every_commit_and_checks_foreign_keys(tmp_path: Path) -> None:
    engine = open_engine(url_of(tmp_path))
    with engine.connect() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    engine.dispose()
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 10_000,
    }


def test_reader_is_not_blocked_by_a_writer_and_sees_the_state_before(
    catalogue: Catalogue, built: Generation
) -> None:
    with catalogue._writing() as connection:
        connection.execute(insert(condition).values(id="1", name="half done"))
        assert catalogue.building(Corpus.TRIALS) == built
        with catalogue._reading() as reader:
            assert reader.scalars(text("SELECT name FROM condition")).all() == []


def test_second_writer_is_told_that_another_process_writes(
    tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SQLITE_PRAGMAS", ("PRAGMA busy_timeout = 1",))
    catalogue = new_catalogue(tmp_path)
    other = sqlite3.connect(tmp_path / "catalogue.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(CatalogueError, match="Another process is writing to the catalogue at"):
        catalogue.begin(Corpus.TRIALS, "import", manifest)
    other.execute("ROLLBACK")
    other.close()
    assert catalogue.begin(Corpus.TRIALS, "import", manifest).number == 1
    catalogue.close()


def test_full_disk_loses_nothing_that_was_committed(tmp_path: Path, manifest: Manifest) -> None:
    new_catalogue(tmp_path).close()
    engine = open_engine(url_of(tmp_path))
    catalogue = Catalogue(engine)
    built = catalogue.begin(Corpus.TRIALS, "import", manifest)
    catalogue.store_studies(built, [study("NCT99000001")])
    engine.dispose()

    def fill(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # SQLite: never below what is used

    event.listen(engine, "connect", fill)
    big = study("NCT99000002", descriptionModule={"briefSummary": "".join(map(str, range(99_999)))})
    with pytest.raises(HomeError, match=r"disk that holds the catalogue .* is full"):
        catalogue.store_studies(built, [big])
    assert [mark.nct_id for mark in catalogue.study_marks(1)] == ["NCT99000001"]
    assert catalogue.waiting_count(built) == 1
    catalogue.close()


def test_file_that_may_not_be_written_is_named(tmp_path: Path, manifest: Manifest) -> None:
    new_catalogue(tmp_path).close()
    file = tmp_path / "catalogue.sqlite"
    catalogue = Catalogue(open_engine(f"sqlite:///file:{file}?mode=ro&uri=true"))
    with pytest.raises(HomeError, match="cannot be written; make the file and its folder writable"):
        catalogue.begin(Corpus.TRIALS, "import", manifest)
    catalogue.close()


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(HomeError, match=r"gone/catalogue\.sqlite cannot be opened"):
        Catalogue.create(url_of(tmp_path / "gone"))


def test_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "catalogue.sqlite"
    file.write_bytes(b"not a database at all" * 100)
    with pytest.raises(CatalogueError, match="is damaged or no catalogue"):
        Catalogue.open(url_of(tmp_path))
    with pytest.raises(CatalogueError, match="is damaged or no catalogue"):
        Catalogue.create(url_of(tmp_path))
    assert file.read_bytes() == b"not a database at all" * 100


def test_overwritten_page_is_a_damaged_catalogue(tmp_path: Path, manifest: Manifest) -> None:
    new_catalogue(tmp_path).close()
    file = tmp_path / "catalogue.sqlite"
    body = bytearray(file.read_bytes())
    body[4096:] = b"\xff" * (len(body) - 4096)
    file.write_bytes(body)
    catalogue = Catalogue(open_engine(url_of(tmp_path)))
    with pytest.raises(CatalogueError, match="is damaged or no catalogue"):
        catalogue.begin(Corpus.TRIALS, "import", manifest)
    catalogue.close()


def test_text_of_a_row_never_reaches_a_message(catalogue: Catalogue) -> None:
    row = {"id": "1", "name": "a secret"}
    with (
        pytest.raises(CatalogueError) as caught,
        store_errors(catalogue._engine.url),
        catalogue._engine.begin() as connection,
    ):
        connection.execute(insert(condition), [row, row])
    assert "secret" not in str(caught.value)
    assert str(caught.value).endswith("failed; run `proband doctor`.")


@pytest.mark.parametrize("url", ["nonsense", "nosuchdialect://host/db"])
def test_url_that_cannot_be_read_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(SettingsError, match=r"catalogue\.url"):
        open_engine(url)


def test_place_of_a_server_hides_the_password() -> None:
    from sqlalchemy.engine import make_url

    shown = place(make_url("postgresql://ada:hunter2@db.example/proband"))
    assert shown == "postgresql://ada:***@db.example/proband"


def test_long_lists_are_cut_without_loss_or_order_change() -> None:
    items = range(IN_LIST * 2 + 3)
    slices = list(in_lists(items))
    assert [len(found) for found in slices] == [IN_LIST, IN_LIST, 3]
    assert [item for found in slices for item in found] == list(items)
    assert list(in_lists([])) == []
