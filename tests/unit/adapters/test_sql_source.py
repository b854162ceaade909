"""Reading SQLite, and what holds whatever the database: only named columns, one limit, one sentence for a fault."""

from __future__ import annotations

import sqlite3
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from mappings import mapping_of, table_of
from proband.adapters import sql_source
from proband.adapters._sql_connect import source_url
from proband.adapters.sql_source import open_source
from proband.errors import MappingError, SourceUnavailable, TableStopped
from proband.records.mapping import (
    ColumnName,
    Comparison,
    Join,
    Lookup,
    Merges,
    PatientMapping,
    SourceMapping,
    SourceRules,
    TableMapping,
    Test,
)
from proband.records.record import Gap, SourceRow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "clinic 100%.sqlite"


def run(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def url_of(file: Path) -> str:
    return f"sqlite:///{file}"


def rows(file: Path, table: TableMapping, **rules: Any) -> list[SourceRow]:
    with open_source(mapping_of(url_of(file), table, **rules), {}).snapshot() as snapshot:
        snapshot.shape(table)
        return [row for page in snapshot.pages(table) for row in page]


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """Every statement that is sent while the test runs."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield sent
    event.remove(Engine, "before_cursor_execute", note)


def test_only_named_columns_are_selected(file: Path, statements: list[str]) -> None:
    run(
        file,
        "CREATE TABLE patients (id INTEGER PRIMARY KEY, mrn TEXT, phone TEXT)",
        "CREATE TABLE codes (code TEXT PRIMARY KEY, label TEXT, comment TEXT)",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, patient INTEGER, kind TEXT, pin TEXT, wrong INTEGER)",
        "INSERT INTO patients VALUES (1, 'A-1', '555')",
        "INSERT INTO notes VALUES (1, 1, 'x', 'hidden', 0)",
    )
    join = Join(ColumnName("notes", "patient"), ColumnName("patients", "id"))
    notes = table_of(
        "notes",
        "kind",
        path=(join,),
        lookups={"kind": Lookup("codes", "label")},
        leave_out_when=(Test("wrong", Comparison.EQUAL, "1"),),
        never=("pin",),
    )
    patients = table_of("patients", "id", "mrn", path=())
    mapping = mapping_of(url_of(file), patients, notes)
    with open_source(mapping, {}).snapshot() as snapshot:
        for table in mapping.tables:
            snapshot.shape(table)
            snapshot.count(table)
            list(snapshot.pages(table))
    reading = [one for one in statements if "FROM" in one and "pragma" not in one.lower()]
    assert len(reading) > 5
    assert not [one for one in reading if "*" in one.replace("count(*)", "")]
    assert not [one for one in statements for name in ("phone", "pin", "comment") if name in one]


def test_decimals_have_the_scale_that_their_column_declares(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, kg DECIMAL(6,2), whole DECIMAL(10), free NUMERIC, r REAL)",
        "INSERT INTO t VALUES (1, 70.5, 3, 1.25, 2.0), (2, 70, 3, 1, 1e-7), "
        "(3, 70.555, 3, 2.50, 1e300), (4, '<0.5', 3, 'a', 0.1)",
    )
    found = [row.values for row in rows(file, table_of("t", "kg", "whole", "free", "r"))]
    assert [one["kg"] for one in found] == ["70.50", "70.00", "70.555", "<0.5"]
    assert [one["whole"] for one in found] == ["3"] * 4
    assert [one["free"] for one in found] == ["1.25", "1", "2.5", "a"]
    assert [one["r"] for one in found] == ["2", "0.0000001", "1e+300", "0.1"]


def test_dates_are_read_by_their_declared_type_and_kept_when_they_are_none(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, d DATE, ts TIMESTAMP, t TIME, note TEXT)",
        "INSERT INTO t VALUES "
        "(1, '2024-03-05', '2024-03-05 10:15:00', '07:05', '2024-03-05 10:15:00'), "
        "(2, '2019', '2024-03-05 10:15:00.5', '07:05:09.120', 'x'), "
        "(3, '2019-03', '2024-03-05T10:15+03:00', '7 pm', 'x'), "
        "(4, '2024-03-05 00:00:00', '2024-03-05', NULL, 'x'), "
        "(5, '0000-00-00', '0000-00-00 00:00:00', '25', 'x'), "
        "(6, '2024-02-31', '2024-02-31 10:00:00', '', 'x')",
    )
    found = rows(file, table_of("t", "d", "ts", "t", "note"))
    dates = ["2024-03-05", "2019", "2019-03", "2024-03-05", None, "2024-02-31"]
    assert [row.values.get("d") for row in found] == dates
    assert [row.values.get("ts") for row in found] == [
        "2024-03-05T10:15:00",
        "2024-03-05T10:15:00.500000",
        "2024-03-05T07:15:00+00:00",
        "2024-03-05",
        None,
        "2024-02-31 10:00:00",
    ]
    assert [row.values.get("t") for row in found] == [
        "07:05:00",
        "07:05:09.120000",
        "7 pm",
        None,
        "25",
        None,
    ]
    assert found[0].values["note"] == "2024-03-05 10:15:00"
    assert found[4].gaps == {"d": Gap.NULL, "ts": Gap.NULL}
    assert found[3].gaps == {"t": Gap.NULL}
    assert found[5].gaps == {"t": Gap.EMPTY}


def test_gaps_are_told_apart(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b BLOB)",
        "INSERT INTO t VALUES (1, NULL, NULL), (2, '  ', x'00'), (3, ' n/a ', x''), "
        "(4, 'xxxx', x'01'), (5, 'xxxx yes', x'01'), (6, 0, 'text')",
    )
    found = rows(file, table_of("t", "a", "b"))
    assert [row.gaps.get("a") for row in found] == [
        Gap.NULL,
        Gap.EMPTY,
        Gap.EMPTY,
        Gap.MASKED,
        None,
        None,
    ]
    assert [row.gaps["b"] for row in found] == [Gap.NULL] + [Gap.BINARY] * 5
    assert found[4].values == {"a": "xxxx yes"}
    assert found[5].values == {"a": "0"}


def test_uuids_are_lower_case_and_padding_goes_but_text_stays(file: Path) -> None:
    upper = "0B6E1F00-0000-4000-8000-00000000000A"
    run(
        file,
        "CREATE TABLE t (id CHAR(36) PRIMARY KEY, u UUID, c CHAR(5), v VARCHAR(36))",
        f"INSERT INTO t VALUES ('{upper}', '{upper}', 'ab   ', '{upper}')",
    )
    (row,) = rows(file, table_of("t", "id", "u", "c", "v"))
    assert row.key == (upper.lower(),)
    assert row.values == {"id": upper.lower(), "u": upper.lower(), "c": "ab", "v": upper}


def test_what_no_store_takes_is_replaced(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "INSERT INTO t VALUES (1, 'a' || char(0) || 'b'), (2, CAST(x'61ff62' AS TEXT)), (3, CAST(x'eda080' AS TEXT))",
    )
    found = [row.values["a"] for row in rows(file, table_of("t", "a"))]
    assert found == ["a�b", "a�b", "���"]


def test_a_key_that_is_no_utf8_stops_the_table(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id TEXT PRIMARY KEY)",
        "INSERT INTO t VALUES (CAST(x'61ff' AS TEXT)), ('b')",
    )
    with pytest.raises(TableStopped, match="not valid UTF-8"):
        rows(file, table_of("t"), page=1)


@pytest.mark.parametrize("page", [1, 2, 3, 100])
@pytest.mark.parametrize(
    "kind", ["TEXT", "TEXT COLLATE NOCASE", "VARCHAR(9) COLLATE RTRIM", "NUMERIC", "", "BLOB"]
)
def test_pages_follow_a_key_of_two_columns(file: Path, kind: str, page: int) -> None:
    keys = ["b", "A", "10", "9", "z ", " a", "é", "_"]
    run(file, f"CREATE TABLE t (a {kind}, b INTEGER, PRIMARY KEY (a, b))")
    run(file, *(f"INSERT INTO t VALUES ('{key}', {line})" for key in keys for line in (2, 10)))
    found = [row.key for row in rows(file, table_of("t", key=("a", "b")), page=page)]
    assert sorted(found) == sorted((key, line) for key in keys for line in ("2", "10"))


def test_a_key_that_is_empty_repeated_or_a_float_stops_the_table(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id TEXT PRIMARY KEY, twice INTEGER, price REAL)",
        "INSERT INTO t VALUES ('a', 1, 0.1), ('b', 1, 0.2)",
    )
    with pytest.raises(TableStopped, match="several rows have the same `twice`"):
        rows(file, table_of("t", key=("twice",)))
    with pytest.raises(TableStopped, match="`price` is a floating-point number"):
        rows(file, table_of("t", key=("price",)))
    run(file, "INSERT INTO t VALUES (NULL, 2, 0)")  # SQLite lets primary keys be empty
    with pytest.raises(TableStopped, match=r"nothing in the key \(`id`\)"):
        rows(file, table_of("t"))


def test_rows_that_are_left_out_may_share_the_key_of_a_row_that_is_not(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id TEXT, wrong INTEGER)",
        "INSERT INTO t VALUES ('a', 1), ('a', 0), ('a', 1)",
    )
    table = table_of("t", leave_out_when=(Test("wrong", Comparison.EQUAL, "1"),))
    assert [row.key for row in rows(file, table)] == [("a",)]


def test_a_missing_column_or_table_is_named_with_the_nearest(file: Path) -> None:
    run(file, "CREATE TABLE allergies (id INTEGER PRIMARY KEY, reaction_text TEXT, substance TEXT)")
    with pytest.raises(TableStopped) as stopped:
        rows(file, table_of("allergies", "reaction"))
    assert str(stopped.value) == (
        "allergies: column `reaction` is not in allergies any more; there is `reaction_text`; look at the mapping."
    )
    with pytest.raises(
        TableStopped, match="table `allergy` is not in the source any more; there is `allergies`"
    ):
        rows(file, table_of("allergy", "reaction"))


def test_names_may_differ_in_case_from_the_source(file: Path) -> None:
    run(
        file,
        "CREATE TABLE Patients (PatientID INTEGER PRIMARY KEY, [Full Name] TEXT)",
        "INSERT INTO Patients VALUES (1, 'x')",
    )
    (row,) = rows(file, table_of("patients", "Full Name", key=("patientid",)))
    assert row.values == {"Full Name": "x"}


def test_a_changed_type_changes_the_fingerprint_and_another_column_does_not(file: Path) -> None:
    def fingerprint() -> str:
        table = table_of("t", "a")
        with open_source(mapping_of(url_of(file), table), {}).snapshot() as snapshot:
            return snapshot.shape(table).fingerprint

    run(file, "CREATE TABLE t (id INTEGER PRIMARY KEY, a VARCHAR(10))")
    before = fingerprint()
    run(file, "ALTER TABLE t ADD COLUMN b TEXT")
    assert fingerprint() == before
    run(file, "DROP TABLE t", "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)")
    assert fingerprint() != before


def test_a_table_without_a_key_is_read_whole_and_says_so(file: Path) -> None:
    run(file, "CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES ('x'), ('x'), (NULL)")
    table = table_of("t", "a", key=())
    with open_source(mapping_of(url_of(file), table, page=2), {}).snapshot() as snapshot:
        assert snapshot.shape(table).notes == (
            "It has no key, so its rows are told apart by their content.",
        )
        pages = list(snapshot.pages(table))
    assert [len(page) for page in pages] == [2, 1]
    assert [row.key for page in pages for row in page] == [()] * 3


def test_a_path_of_two_columns_leads_to_one_row(file: Path) -> None:
    run(
        file,
        "CREATE TABLE patients (id INTEGER PRIMARY KEY)",
        "CREATE TABLE stays (site TEXT, no INTEGER, patient INTEGER, PRIMARY KEY (site, no))",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, site TEXT, no INTEGER)",
        "INSERT INTO patients VALUES (1), (2)",
        "INSERT INTO stays VALUES ('a', 1, 1), ('b', 1, 2)",
        "INSERT INTO t VALUES (1, 'b', 1), (2, 'a', 1), (3, 'c', 1)",
    )
    path = (
        Join(ColumnName("t", "site"), ColumnName("stays", "site")),
        Join(ColumnName("stays", "no"), ColumnName("t", "no")),
        Join(ColumnName("stays", "patient"), ColumnName("patients", "id")),
    )
    assert [row.patient for row in rows(file, table_of("t", path=path))] == [("2",), ("1",), None]
    run(file, "INSERT INTO stays VALUES ('c', 1, 1)")
    with pytest.raises(TableStopped, match="several rows of stays have the same `no`"):
        rows(file, table_of("t", path=path[1:]))


def test_patients_are_their_own_and_other_tables_are_nobodys(file: Path) -> None:
    run(file, "CREATE TABLE patients (id INTEGER PRIMARY KEY)", "INSERT INTO patients VALUES (7)")
    assert rows(file, table_of("patients", "id", path=()))[0].patient == ("7",)
    assert rows(file, table_of("patients", "id"))[0].patient is None


def test_labels_come_from_the_code_table_with_its_conditions(file: Path) -> None:
    run(
        file,
        "CREATE TABLE codes (list TEXT, code INTEGER, label TEXT, PRIMARY KEY (list, code))",
        "INSERT INTO codes VALUES ('yes', 1, 'Yes'), ('yes', 0, 'No'), ('flag', 1, 'High'), ('flag', 2, NULL)",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, done INTEGER, flag INTEGER)",
        "INSERT INTO t VALUES (1, 1, 1), (2, 0, 2), (3, NULL, 3)",
    )
    yes, flag = (
        Lookup("codes", "label", where=(("list", "yes"),)),
        Lookup("codes", "label", "code", (("list", "flag"),)),
    )
    found = rows(file, table_of("t", "done", "flag", lookups={"done": yes, "flag": flag}))
    assert [row.labels for row in found] == [{"done": "Yes", "flag": "High"}, {"done": "No"}, {}]
    with pytest.raises(TableStopped, match="code table codes has no single key column"):
        rows(file, table_of("t", "done", lookups={"done": Lookup("codes", "label")}))


def test_merged_patients_are_read(file: Path) -> None:
    run(
        file,
        "CREATE TABLE patients (id INTEGER PRIMARY KEY)",
        "CREATE TABLE merges (old INTEGER, new INTEGER)",
        "INSERT INTO merges VALUES (2, 1), (3, 1), (NULL, 1)",
    )
    patient = PatientMapping("patients", ("id",), "id", merged=Merges("merges", "old", "new"))
    mapping = SourceMapping(SourceRules("clinic", url_of(file)), patient, ())
    with open_source(mapping, {}).snapshot() as snapshot:
        assert list(snapshot.merges()) == [(("2",), ("1",)), (("3",), ("1",))]


def test_a_page_of_long_rows_has_fewer_of_them(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_source, "PAGE_CHARACTERS", 10_000)
    run(file, "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    run(file, *(f"INSERT INTO t VALUES ({n}, '{'x' * 1000}')" for n in range(500)))
    for key in (("id",), ()):
        table = table_of("t", "a", key=key)
        with open_source(mapping_of(url_of(file), table), {}).snapshot() as snapshot:
            sizes = [len(page) for page in snapshot.pages(table)]
        assert sum(sizes) == 500
        assert set(sizes[1:-1]) == {10}


def test_a_query_that_takes_too_long_stops_its_table(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id INTEGER PRIMARY KEY)",
        "INSERT INTO t VALUES (1)",
        "CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n",
    )
    endless, quick = table_of("endless"), table_of("t")
    with open_source(
        mapping_of(url_of(file), endless, quick, timeout_s=1), {}
    ).snapshot() as snapshot:
        with pytest.raises(TableStopped, match="took longer than 1 seconds; raise `timeout_s`"):
            snapshot.count(endless)
        assert snapshot.count(quick) == 1


def test_a_slow_reader_is_no_slow_query(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (a INTEGER)",
        "INSERT INTO t VALUES " + ", ".join(f"({n})" for n in range(3000)),
    )
    table = table_of("t", "a", key=())
    with open_source(
        mapping_of(url_of(file), table, timeout_s=1, page=1000), {}
    ).snapshot() as snapshot:
        count = 0
        for page in snapshot.pages(table):
            count += len(page)
            time.sleep(0.6)
    assert count == 3000


def test_a_snapshot_stays_as_it_was_and_can_be_read_by_another_thread(file: Path) -> None:
    run(
        file,
        "PRAGMA journal_mode = WAL",
        "CREATE TABLE t (id INTEGER PRIMARY KEY)",
        "INSERT INTO t VALUES (1)",
    )
    table = table_of("t", "id")
    before = datetime.now(UTC)
    with open_source(mapping_of(url_of(file), table), {}).snapshot() as snapshot:
        assert timedelta() <= snapshot.taken_at - before < timedelta(minutes=1)
        run(file, "INSERT INTO t VALUES (2)")
        counts: list[int] = []
        thread = threading.Thread(target=lambda: counts.append(snapshot.count(table)))
        thread.start()
        thread.join()
        assert counts == [1]
    with open_source(mapping_of(url_of(file), table), {}).snapshot() as snapshot:
        assert snapshot.count(table) == 2


def test_sqlite_is_opened_for_reading_only(file: Path) -> None:
    run(file, "CREATE TABLE t (id INTEGER PRIMARY KEY)")
    with open_source(mapping_of(url_of(file), table_of("t")), {}).snapshot() as snapshot:
        connection = snapshot._connection  # type: ignore[attr-defined]
        with pytest.raises(Exception, match="readonly database"):
            connection.exec_driver_sql("INSERT INTO t VALUES (1)")


def test_files_that_are_no_database_are_refused_in_one_sentence(file: Path) -> None:
    missing = open_source(mapping_of(url_of(file)), {})
    with pytest.raises(SourceUnavailable, match="there is no such file"), missing.snapshot():
        pass
    assert not file.exists()
    file.write_text("not a database, but longer than a hundred characters " * 3)
    with pytest.raises(SourceUnavailable, match="is no SQLite database"), missing.snapshot():
        pass


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("oracle://scott:tiger@host/db", "of a kind that is not read"),
        ("no url", "cannot be read; write postgresql"),
        ("mysql://host:port/db", "cannot be read; write postgresql"),
    ],
)
def test_urls_that_cannot_be_read_are_refused_without_their_password(
    url: str, sentence: str
) -> None:
    with pytest.raises(SourceUnavailable, match=sentence) as refused:
        open_source(mapping_of(url), {})
    assert "tiger" not in str(refused.value)


def test_a_missing_driver_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyodbc", None)
    source = open_source(mapping_of("mssql://reader@127.0.0.1/hospital"), {})
    with (
        pytest.raises(SourceUnavailable, match=r"pip install 'proband\[mssql\]'"),
        source.snapshot(),
    ):
        pass


def test_urls_get_the_driver_that_proband_brings() -> None:
    assert (
        str(source_url("postgres://reader@host/db", "x")) == "postgresql+psycopg://reader@host/db"
    )
    assert str(source_url("postgresql+psycopg2://host/db", "x")) == "postgresql+psycopg://host/db"
    assert str(source_url("mariadb://host/db", "x")) == "mysql+pymysql://host/db?charset=utf8mb4"
    mssql = source_url("mssql://host/db?driver=FreeTDS", "x")
    assert mssql.query == {"driver": "FreeTDS", "ApplicationIntent": "ReadOnly"}


def test_the_password_comes_from_the_environment() -> None:
    assert source_url("mysql://reader@host/db", "x", "s p@ce/").password == "s p@ce/"
    assert source_url("mysql://reader:own@host/db", "x", "other").password == "own"
    mapping = mapping_of("mysql://reader:${SECRET}@host/db")
    with pytest.raises(MappingError, match="SECRET"):
        open_source(mapping, {})


def test_rows_that_were_read_are_not_held(file: Path) -> None:
    run(
        file,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "INSERT INTO t WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 30000) "
        "SELECT x, 'note ' || x FROM n",
    )
    for key in (("id",), ()):
        table = table_of("t", "a", key=key)
        with open_source(mapping_of(url_of(file), table, page=500), {}).snapshot() as snapshot:
            tracemalloc.start()
            count = sum(len(page) for page in snapshot.pages(table))
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert count == 30_000
        assert peak < 3_000_000  # one row takes about 1 kB, so all of them 30 MB
