"""What each database's own types, collations and rights become: as a source delivers them, whatever the driver says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from mappings import mapping_of, table_of
from proband.adapters.sql_schema import read_schema
from proband.adapters.sql_source import open_source
from proband.errors import SourceUnavailable, TableStopped
from proband.records.mapping import ColumnName as Column
from proband.records.mapping import Comparison, Join, SourceMapping, TableMapping, Test
from proband.records.record import Gap, SourceRow
from servers import Server

READER, READERS_PASSWORD = "reader", "test-only"


@pytest.fixture
def postgres(postgresql: Server) -> Iterator[Database]:
    yield from database_of(postgresql)


@pytest.fixture
def maria(mariadb: Server) -> Iterator[Database]:
    yield from database_of(mariadb)


@pytest.fixture(params=["postgres", "maria"])
def either(request: pytest.FixtureRequest) -> Database:
    found: Database = request.getfixturevalue(request.param)
    return found


class Database:
    """An empty database of a server, dropped after the test."""

    def __init__(self, server: Server) -> None:
        self.server, self.name = server, server.new_database()

    @property
    def url(self) -> str:
        return self.server.url(self.name)

    def run(self, *statements: str) -> None:
        self.server.execute(*statements, database=self.name)

    def rows(self, table: TableMapping, **rules: object) -> list[SourceRow]:
        return rows_of(mapping_of(self.url, table, **rules), table)


def database_of(server: Server) -> Iterator[Database]:
    database = Database(server)
    yield database
    server.drop_database(database.name)


def rows_of(mapping: SourceMapping, table: TableMapping) -> list[SourceRow]:
    with open_source(mapping, {}).snapshot() as snapshot:
        snapshot.shape(table)
        return [row for page in snapshot.pages(table) for row in page]


def only_row(database: Database, *columns: str, table: str = "facts") -> SourceRow:
    (row,) = database.rows(table_of(table, *columns))
    return row


def test_types_of_postgresql_become_canonical_text(postgres: Database) -> None:
    postgres.run(
        "CREATE TYPE mood AS ENUM ('well', 'ill')",
        "CREATE DOMAIN weight AS NUMERIC(6,2)",
        """CREATE TABLE facts (
            id INT PRIMARY KEY, kg weight, free NUMERIC, price REAL, ratio DOUBLE PRECISION, huge BIGINT, yes BOOLEAN,
            born DATE, seen TIMESTAMP, at TIMESTAMPTZ, clock TIME, span INTERVAL, note CHAR(8), code UUID, tags TEXT[],
            more JSONB, feel mood, picture BYTEA, never DATE, ever TIMESTAMPTZ, ago DATE, net INET)""",
        """INSERT INTO facts VALUES (
            1, 70.5, 1.500, 0.1, 1e-7, 9223372036854775807, true, '2024-03-05', '2024-03-05 10:15:00.5',
            '2024-03-05 10:15:00+03', '07:05:00.25', '1 day 2 hours', 'ab', '0B6E1F00-0000-4000-8000-00000000000A',
            '{a,"b c"}', '{"b": 1, "a": [2.50]}', 'ill', '\\x00ff', 'infinity', '-infinity', '0044-03-15 BC',
            '10.0.0.1')""",
    )
    columns = "kg free price ratio huge yes born seen at clock span note code tags more feel picture never ever ago net"
    row = only_row(postgres, *columns.split())
    assert row.values == {
        "kg": "70.50",
        "free": "1.500",
        "price": "0.1",
        "ratio": "0.0000001",
        "huge": "9223372036854775807",
        "yes": "1",
        "born": "2024-03-05",
        "seen": "2024-03-05T10:15:00.500000",
        "at": "2024-03-05T07:15:00+00:00",
        "clock": "07:05:00.250000",
        "span": "1 day 02:00:00",
        "note": "ab",
        "code": "0b6e1f00-0000-4000-8000-00000000000a",
        "tags": '{a,"b c"}',
        "more": '{"a": [2.50], "b": 1}',
        "feel": "ill",
        "never": "infinity",
        "ever": "-infinity",
        "ago": "0044-03-15 BC",
        "net": "10.0.0.1/32",
    }
    assert row.gaps == {"picture": Gap.BINARY}


def test_types_of_mariadb_become_canonical_text(maria: Database) -> None:
    maria.run(
        """CREATE TABLE facts (
            id INT PRIMARY KEY, kg DECIMAL(6,2), tiny DECIMAL(20,10), price FLOAT, ratio DOUBLE, big BIGINT UNSIGNED,
            yes BOOLEAN, flags BIT(4), born DATE, zero DATE NULL, part DATE NULL, seen DATETIME(6), at TIMESTAMP NULL,
            clock TIME(2), code CHAR(36), feel ENUM('well','ill'), tags SET('a','b'), more JSON, yr YEAR,
            picture BLOB, raw VARBINARY(4)) CHARACTER SET latin1""",
        """SET sql_mode = ''""",
    )
    maria.run(
        """SET STATEMENT sql_mode = '', time_zone = '+03:00' FOR INSERT INTO facts VALUES (
            1, 70.5, 0.0000001, 0.1, 1e-7, 18446744073709551615, true, b'1010', '2024-03-05', '0000-00-00',
            '2019-03-00', '2024-03-05 10:15:00.5', '2024-03-05 10:15:00', '-07:05:00.25',
            '0B6E1F00-0000-4000-8000-00000000000A', 'ill', 'b,a', '{"b": 1}', 2024, x'00ff', x'00')""",
    )
    columns = "kg tiny price ratio big yes flags born zero part seen at clock code feel tags more yr picture raw"
    row = only_row(maria, *columns.split())
    assert row.values == {
        "kg": "70.50",
        "tiny": "0.0000001000",
        "price": "0.1",
        "ratio": "0.0000001",
        "big": "18446744073709551615",
        "yes": "1",
        "flags": "10",
        "born": "2024-03-05",
        "part": "2019-03",
        "seen": "2024-03-05T10:15:00.500000",
        "at": "2024-03-05T07:15:00+00:00",
        "clock": "-07:05:00.250000",
        "code": "0b6e1f00-0000-4000-8000-00000000000a",
        "feel": "ill",
        "tags": "a,b",
        "more": '{"b": 1}',
        "yr": "2024",
    }
    assert row.gaps == {"zero": Gap.NULL, "picture": Gap.BINARY, "raw": Gap.BINARY}


KEYS = ["b", "A", "B2", "Z", "ö", "z9", "É", "e1", "a1", "ß9", "ss0", "_", "-", "中", "日"]


@pytest.mark.parametrize(
    ("dialect", "kind"),
    [
        ("postgres", 'TEXT COLLATE "en_US.utf8"'),
        ("postgres", 'TEXT COLLATE "C"'),
        ("postgres", "TEXT COLLATE loose"),
        ("postgres", "CHAR(8)"),
        ("maria", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"),
        ("maria", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci"),
        ("maria", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
        ("maria", "CHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"),
    ],
)
def test_pages_skip_and_repeat_nothing_whatever_the_collation_of_the_key(
    request: pytest.FixtureRequest, dialect: str, kind: str
) -> None:
    database: Database = request.getfixturevalue(dialect)
    if dialect == "postgres":
        database.run(
            "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
            "CREATE COLLATION IF NOT EXISTS \"en_US.utf8\" (provider = icu, locale = 'en-US')",
        )
    database.run(f"CREATE TABLE things (id {kind}, line INT, PRIMARY KEY (id, line))")
    values = ", ".join(f"('{key}', {line})" for key in KEYS for line in (1, 2, 3))
    database.run(f"INSERT INTO things VALUES {values}")
    table = table_of("things", key=("id", "line"))
    for page in (1, 2, 5, 7):
        keys = [row.key for row in database.rows(table, page=page)]
        assert sorted(keys) == sorted((key, str(line)) for key in KEYS for line in (1, 2, 3))


@pytest.mark.parametrize(
    ("dialect", "kind", "keys"),
    [
        ("maria", "ENUM('z', 'a', 'm', 'b')", ["z", "a", "m", "b"]),
        ("maria", "VARCHAR(9) CHARACTER SET latin1", ["é", "F", "ü", "zz"]),
        ("maria", "BINARY(2)", ["AB", "ab", "zz"]),
        ("maria", "DATETIME(6)", ["2024-01-01 00:00:00.5", "2024-01-01 00:00:00.25", "2023-01-01 00:00:00"]),
        ("maria", "TIMESTAMP(6) NULL", ["2024-01-01 00:00:00.5", "2024-01-01 00:00:00.25"]),
        ("maria", "DECIMAL(12,4)", ["1.5", "-3", "1.4999"]),
        ("maria", "BIGINT UNSIGNED", ["18446744073709551615", "1", "9223372036854775808"]),
        ("postgres", "TIMESTAMPTZ", ["2024-01-01 00:00:00.5+03", "infinity", "2024-01-01 00:00:00.25+00"]),
        ("postgres", "UUID", ["0b6e1f00-0000-4000-8000-00000000000a", "0b6e1f00-0000-4000-8000-00000000000b"]),
        ("postgres", "NUMERIC", ["1.5", "1.49", "-2", "NaN"]),
        ("postgres", "DATE", ["2024-01-02", "0044-03-15 BC", "2024-01-01"]),
        ("postgres", "INTERVAL", ["1 day", "2 hours", "1 month"]),
        ("postgres", "BYTEA", ["AB", "ab"]),
        ("postgres", "INET", ["10.0.0.1", "10.0.0.2"]),
        ("postgres", "BOOLEAN", ["true", "false"]),
    ],
)  # fmt: skip
def test_a_key_of_any_type_is_followed_page_by_page(
    request: pytest.FixtureRequest, dialect: str, kind: str, keys: Sequence[str]
) -> None:
    database: Database = request.getfixturevalue(dialect)
    named = "" if dialect == "postgres" else "NOT NULL"
    database.run(f"CREATE TABLE things (id {kind.replace(' NULL', '')} {named})")
    database.run(*(f"INSERT INTO things VALUES ('{key}')" for key in keys))
    found = [row.key for row in database.rows(table_of("things"), page=1)]
    assert len(found) == len(set(found)) == len(keys)


def test_rows_with_an_empty_or_repeated_key_stop_the_table(either: Database) -> None:
    either.run(
        "CREATE TABLE things (id INT, note VARCHAR(9))", "INSERT INTO things VALUES (1, 'a')"
    )
    assert len(either.rows(table_of("things", "note"))) == 1
    either.run("INSERT INTO things VALUES (1, 'b')")
    with pytest.raises(TableStopped, match="several rows have the same `id`"):
        either.rows(table_of("things", "note"))
    either.run("DELETE FROM things", "INSERT INTO things VALUES (NULL, 'b')")
    with pytest.raises(TableStopped, match="nothing in the key"):
        either.rows(table_of("things", "note"))


def test_a_stopped_table_leaves_the_others_readable_in_the_same_state(either: Database) -> None:
    either.run("CREATE TABLE things (id INT PRIMARY KEY)", "INSERT INTO things VALUES (1)")
    either.run(
        "CREATE TABLE parts (id INT PRIMARY KEY, thing VARCHAR(9))",
        "INSERT INTO parts VALUES (7, 'x')",
    )
    good = table_of("things", "id")
    path = (Join(Column("parts", "thing"), Column("things", "id")),)
    typed = table_of("parts", "thing", path=path)
    mapping = mapping_of(either.url, good, typed)
    with open_source(mapping, {}).snapshot() as snapshot:
        assert snapshot.count(good) == 1
        either.run("INSERT INTO things VALUES (2)")
        if either.server.dialect == "postgresql":  # MariaDB compares a text with a number
            with pytest.raises(TableStopped, match="compared with one of another type"):
                list(snapshot.pages(typed))
        assert snapshot.count(good) == 1
        assert [row.key for page in snapshot.pages(good) for row in page] == [("1",)]


def test_a_snapshot_does_not_see_later_changes_and_changes_nothing(either: Database) -> None:
    either.run("CREATE TABLE things (id INT PRIMARY KEY)", "INSERT INTO things VALUES (1), (2)")
    table = table_of("things", "id")
    with open_source(mapping_of(either.url, table), {}).snapshot() as snapshot:
        either.run("DELETE FROM things WHERE id = 1", "INSERT INTO things VALUES (3)")
        assert snapshot.count(table) == 2
        assert [row.key for page in snapshot.pages(table) for row in page] == [("1",), ("2",)]
        connection = snapshot._connection  # type: ignore[attr-defined]
        with pytest.raises(Exception, match=r"(?i)read.only"):
            connection.exec_driver_sql("DELETE FROM things")


def test_a_null_status_is_not_left_out(either: Database) -> None:
    either.run("CREATE TABLE things (id INT PRIMARY KEY, status VARCHAR(20), wrong SMALLINT)")
    either.run(
        "INSERT INTO things VALUES (1, NULL, 0), (2, 'entered_in_error', 0), (3, 'active', 1), (4, 'x', NULL)"
    )
    by_text = table_of(
        "things", leave_out_when=(Test("status", Comparison.EQUAL, "entered_in_error"),)
    )
    assert [row.key for row in either.rows(by_text)] == [("1",), ("3",), ("4",)]
    by_number = table_of("things", leave_out_when=(Test("wrong", Comparison.EQUAL, "1.0"),))
    assert [row.key for row in either.rows(by_number)] == [("1",), ("2",), ("4",)]
    differing = table_of("things", leave_out_when=(Test("status", Comparison.DIFFERS, "active"),))
    assert [row.key for row in either.rows(differing)] == [("1",), ("3",)]
    both = (Test("status", Comparison.IS_NULL), Test("wrong", Comparison.EQUAL, "0"))
    assert [row.key for row in either.rows(table_of("things", leave_out_when=both))] == [
        ("2",),
        ("3",),
        ("4",),
    ]


def test_a_path_that_leads_to_several_rows_stops_the_table(either: Database) -> None:
    either.run(
        "CREATE TABLE patients (id INT PRIMARY KEY, family INT)",
        "INSERT INTO patients VALUES (1, 5), (2, 5)",
    )
    either.run(
        "CREATE TABLE things (id INT PRIMARY KEY, family INT)", "INSERT INTO things VALUES (1, 5)"
    )
    path = (Join(Column("things", "family"), Column("patients", "family")),)
    with pytest.raises(TableStopped, match="several rows of patients have the same `family`"):
        either.rows(table_of("things", path=path))
    either.run("DELETE FROM patients WHERE id = 2")
    assert [row.patient for row in either.rows(table_of("things", path=path))] == [("1",)]


def test_a_dangling_reference_leads_to_nobody(either: Database) -> None:
    either.run("CREATE TABLE patients (id INT PRIMARY KEY)", "INSERT INTO patients VALUES (1)")
    either.run(
        "CREATE TABLE things (id INT PRIMARY KEY, patient INT)",
        "INSERT INTO things VALUES (1, 1), (2, 9), (3, NULL)",
    )
    path = (Join(Column("things", "patient"), Column("patients", "id")),)
    rows = either.rows(table_of("things", "patient", path=path))
    assert [row.patient for row in rows] == [("1",), None, None]


def test_views_can_be_read(either: Database) -> None:
    either.run(
        "CREATE TABLE things (id INT PRIMARY KEY, n DECIMAL(5,2))",
        "INSERT INTO things VALUES (1, 2), (2, 3)",
    )
    either.run("CREATE VIEW seen AS SELECT id, n FROM things WHERE n > 2")
    assert [(row.key, row.values) for row in either.rows(table_of("seen", "n"))] == [
        (("2",), {"n": "3.00"})
    ]


def test_a_reader_with_select_only_can_read_and_missing_rights_stop_one_table(
    either: Database,
) -> None:
    either.run(
        "CREATE TABLE things (id INT PRIMARY KEY, n INT)", "INSERT INTO things VALUES (1, 2)"
    )
    either.run(
        "CREATE TABLE secret (id INT PRIMARY KEY)", "CREATE VIEW seen AS SELECT id, n FROM things"
    )
    reader = make_reader(either, "things", "seen")
    things, secret, seen = table_of("things", "n"), table_of("secret", "id"), table_of("seen", "n")
    with open_source(mapping_of(reader, things, secret, seen), {}).snapshot() as snapshot:
        for table in (things, seen):
            snapshot.shape(table)
            assert [row.values for page in snapshot.pages(table) for row in page] == [{"n": "2"}]
        with pytest.raises(TableStopped, match="secret"):
            list(snapshot.pages(secret))
        assert snapshot.count(things) == 1
    assert "things" in {table.name for table in read_schema(reader)}


def make_reader(database: Database, *tables: str) -> str:
    """The URL of a user who may select from these tables only."""
    if database.server.dialect == "postgresql":
        database.run(
            f"DO $$ BEGIN CREATE USER {READER} PASSWORD '{READERS_PASSWORD}'; "
            "EXCEPTION WHEN duplicate_object THEN NULL; END $$",
            *(f"GRANT SELECT ON {table} TO {READER}" for table in tables),
        )
    else:
        user = f"{READER}@'127.0.0.1'"
        database.run(
            f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{READERS_PASSWORD}'",
            *(f"GRANT SELECT ON {database.name}.{table} TO {user}" for table in tables),
        )
    return database.server.url(database.name, READER, READERS_PASSWORD)


def test_a_query_that_takes_too_long_stops_its_table_and_names_the_setting(
    either: Database,
) -> None:
    either.run("CREATE TABLE things (id INT PRIMARY KEY)", "INSERT INTO things VALUES (1)")
    sleep = "pg_sleep(3) IS NOT NULL" if either.server.dialect == "postgresql" else "SLEEP(3) = 0"
    either.run(f"CREATE VIEW slow AS SELECT id FROM things WHERE {sleep}")
    slow, quick = table_of("slow", "id"), table_of("things", "id")
    with open_source(mapping_of(either.url, slow, quick, timeout_s=1), {}).snapshot() as snapshot:
        with pytest.raises(TableStopped, match=r"took longer than 1 second.*`timeout_s`"):
            list(snapshot.pages(slow))
        assert snapshot.count(quick) == 1


def test_a_connection_lost_in_the_middle_is_one_sentence(either: Database) -> None:
    either.run(
        "CREATE TABLE things (id INT PRIMARY KEY)", "INSERT INTO things VALUES (1), (2), (3)"
    )
    table = table_of("things", "id")
    with open_source(mapping_of(either.url, table, page=1), {}).snapshot() as snapshot:
        pages = snapshot.pages(table)
        next(pages)
        connection = snapshot._connection  # type: ignore[attr-defined]
        if either.server.dialect == "postgresql":
            pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            either.run(f"SELECT pg_terminate_backend({pid})")
        else:
            pid = connection.exec_driver_sql("SELECT CONNECTION_ID()").scalar()
            either.run(f"KILL {pid}")
        with pytest.raises(SourceUnavailable, match="was lost while things was read"):
            list(pages)


def test_what_is_wrong_with_a_connection_is_said_in_one_sentence(either: Database) -> None:
    server, name = either.server, either.name
    cases = {
        server.url(name, password="wrong"): "wrong password or user",
        server.url(name, user="nobody_here"): "wrong password or user",
        server.url("no_such_database"): "there is no database no_such_database",
        server.url(name).replace(str(server.port), "1"): "nobody answers at 127.0.0.1:1",
        server.url(name).replace(
            "127.0.0.1", "no-such-host.invalid"
        ): "host of its url is not known",
    }
    for url, sentence in cases.items():
        with (
            pytest.raises(SourceUnavailable, match=sentence) as unavailable,
            open_source(mapping_of(url), {}).snapshot(),
        ):
            pass
        message = str(unavailable.value)
        assert "\n" not in message
        assert server.password not in message
        assert "wrong@" not in message


def test_large_code_tables_are_asked_only_for_the_codes_of_the_rows(
    either: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proband.adapters import _sql_labels
    from proband.records.mapping import Lookup

    either.run("CREATE TABLE codes (id INT PRIMARY KEY, label VARCHAR(9))")
    either.run("INSERT INTO codes VALUES " + ", ".join(f"({n}, 'c{n}')" for n in range(20)))
    either.run("CREATE TABLE things (id INT PRIMARY KEY, code INT)")
    either.run("INSERT INTO things VALUES (1, 3), (2, NULL), (3, 99), (4, 19)")
    for key in (("id",), ()):
        table = table_of(
            "things", "id", "code", key=key, lookups={"code": Lookup("codes", "label")}
        )
        held = either.rows(table)
        with monkeypatch.context() as patched:
            patched.setattr(_sql_labels, "MOST_CODES", 5)
            assert either.rows(table) == held
        assert [row.labels for row in held] == [{"code": "c3"}, {}, {}, {"code": "c19"}]
