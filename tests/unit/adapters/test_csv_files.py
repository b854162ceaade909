"""A folder of CSV files as a database: every value as written, and no table that is not whole."""

from __future__ import annotations

import csv
import gzip
import io
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.adapters import csv_files, staging
from proband.adapters.csv_files import stage_csv
from proband.errors import SourceUnavailable

PEOPLE = "Id,NAME,BORN\np-1,Zorbla Testperson,1970-01-02\np-2,Quux Testperson,\n"


def staged(folder: Path, files: Mapping[str, bytes | str]) -> tuple[sqlite3.Connection, list[str]]:
    """The database of a folder with these files, and what was said of it."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    db = sqlite3.connect(":memory:")
    return db, list(stage_csv(folder, db))


def rows(db: sqlite3.Connection, table: str) -> list[tuple[str | None, ...]]:
    return db.execute(f'SELECT * FROM "{table}"').fetchall()


def columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [column[0] for column in db.execute(f'SELECT * FROM "{table}"').description]


def test_each_file_is_a_table_of_texts_and_an_empty_field_is_null(tmp_path: Path) -> None:
    files = {"people.csv": PEOPLE, "doses.tsv": 'who\tdose\np-1\t"0.50"\n', "readme.txt": "no"}
    db, notes = staged(tmp_path, files)
    assert columns(db, "people") == ["Id", "NAME", "BORN"]
    assert rows(db, "people") == [
        ("p-1", "Zorbla Testperson", "1970-01-02"),
        ("p-2", "Quux Testperson", None),
    ]
    assert rows(db, "doses") == [("p-1", "0.50")]
    assert notes == []
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master")]
    assert sorted(tables) == ["doses", "people"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_told_by_the_rows(tmp_path: Path, delimiter: str) -> None:
    lines = [["id", '"weight, kg; or | lb"', "note"], ["1", '"1,5"', "x"], ["2", '"2;5"', '"y"']]
    text = "\n".join(delimiter.join(cells) for cells in lines)
    db, notes = staged(tmp_path, {"t.csv": text})
    assert columns(db, "t") == ["id", "weight, kg; or | lb", "note"]
    assert rows(db, "t") == [("1", "1,5", "x"), ("2", "2;5", "y")]
    assert notes == []


def test_header_with_one_column_needs_no_delimiter(tmp_path: Path) -> None:
    db, _ = staged(tmp_path, {"t.csv": "id\n1\n\n2\n"})
    assert rows(db, "t") == [("1",), ("2",)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encoding_is_found_and_a_guess_is_said(tmp_path: Path, encoding: str) -> None:
    db, notes = staged(tmp_path, {"t.csv": "id,name\n1,Zoë Müßtermann\n".encode(encoding)})
    assert columns(db, "t") == ["id", "name"]
    assert rows(db, "t") == [("1", "Zoë Müßtermann")]
    guessed = ["t.csv is not UTF-8 and was read as Windows-1252; check its accented letters."]
    assert notes == (guessed if encoding == "cp1252" else [])


def test_few_bad_bytes_do_not_change_the_encoding(tmp_path: Path) -> None:
    text = "id,name\n1,Zoë Müßtermann\n".encode() + b"2,Zo\xeb\n"
    db, notes = staged(tmp_path, {"t.csv": text})
    assert rows(db, "t") == [("1", "Zoë Müßtermann"), ("2", "Zo\ufffd")]
    assert notes == ["t.csv holds 1 byte that no UTF-8 has; each is shown as \ufffd."]


CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8)


@given(table=st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=6))
def test_what_was_written_as_csv_is_staged_as_it_was(table: list[list[str]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["one", "two", "three"], *table])
    with TemporaryDirectory() as folder:
        db, notes = staged(Path(folder), {"t.csv": text.getvalue()})
        assert rows(db, "t") == [tuple(cell or None for cell in row) for row in table]
        assert notes == []


def test_packed_file_is_read_like_a_plain_one(tmp_path: Path) -> None:
    db, _ = staged(tmp_path, {"people.csv.gz": gzip.compress(PEOPLE.encode())})
    assert len(rows(db, "people")) == 2


def test_quoted_line_ends_and_quotation_marks_belong_to_the_value(tmp_path: Path) -> None:
    db, notes = staged(tmp_path, {"t.csv": 'id,note\r\n1,"first\r\nsecond, ""third"""\r\n2,x\r\n'})
    assert rows(db, "t") == [("1", 'first\r\nsecond, "third"'), ("2", "x")]
    assert notes == []


def test_separators_that_only_unicode_knows_end_no_row(tmp_path: Path) -> None:
    db, _ = staged(tmp_path, {"t.csv": "id,note\n1,one\u2028two\x0bthree\n"})
    assert rows(db, "t") == [("1", "one\u2028two\x0bthree")]


def test_ragged_rows_are_left_out_and_named_by_line_only(tmp_path: Path) -> None:
    text = 'id,note\n1,"two\nlines"\nzorbla\n2,a,zorbla\n3,b,\n4,"c" zorbla\n5,d\n'
    db, notes = staged(tmp_path, {"t.csv": text})
    assert rows(db, "t") == [("1", "two\nlines"), ("3", "b"), ("5", "d")]
    assert notes == ["t.csv: 3 rows not as wide as the header, left out (lines 4, 5 and 7)."]


def test_names_of_columns_are_trimmed_and_made_unique(tmp_path: Path) -> None:
    db, notes = staged(tmp_path, {"t.csv": " id ,name,NAME,,name_2\n1,a,b,c,d\n"})
    assert columns(db, "t") == ["id", "name", "NAME_3", "column_4", "name_2"]
    assert notes == [
        "t.csv: a second or unnamed column of the header is called NAME_3.",
        "t.csv: a second or unnamed column of the header is called column_4.",
    ]


def test_huge_field_is_staged_whole(tmp_path: Path) -> None:
    db, notes = staged(tmp_path, {"t.csv": f"id,note\n1,{'x' * 500_000}\n"})
    assert [len(note or "") for _, note in rows(db, "t")] == [500_000]
    assert notes == []


BROKEN = {
    "empty": (b"", "the first line names no columns"),
    "without a header": (b" , \n1,2\n", "the first line names no columns"),
    "cut off": (
        gzip.compress(PEOPLE.encode())[:-9],
        "cut off: the packed data ends before its end mark",
    ),
    "an open quotation mark": (
        b'id,note\n1,"zorbla\n2,b\n3,c\n',
        "a field that begins in line 2 never ends",
    ),
    "UTF-16 without a mark": (
        PEOPLE.encode("utf-16-le"),
        "it holds zero bytes; save it as UTF-8, or with a byte order mark",
    ),
    "too wide": (b",".join(b"c%d" % n for n in range(5000)), "5,000 columns are too many"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_file_that_is_not_whole_becomes_no_table(tmp_path: Path, kind: str) -> None:
    content, reason = BROKEN[kind]
    db, notes = staged(tmp_path, {"bad.csv": content, "people.csv": PEOPLE})
    assert [name for (name,) in db.execute("SELECT name FROM sqlite_master")] == ["people"]
    assert notes == [f"bad.csv was left out, and there is no table bad: {reason}."]


def test_endless_line_is_not_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_files, "LONGEST_VALUE", 1000)
    db, notes = staged(tmp_path, {"t.csv": "id,note\n1," + "x" * 5000})
    assert notes == [
        "t.csv was left out, and there is no table t: a line has more than 1,000 characters."
    ]
    assert rows(db, "sqlite_master") == []


def test_two_files_of_one_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="are the same table"):
        staged(tmp_path, {"people.csv": PEOPLE, "People.tsv": PEOPLE})


def test_folder_without_tables_or_no_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match=r"holds no CSV file \(\.csv, \.tsv, each also"):
        staged(tmp_path, {"notes.txt": "x"})
    with pytest.raises(SourceUnavailable, match="nowhere cannot be read as a folder of CSV files"):
        stage_csv(tmp_path / "nowhere", sqlite3.connect(":memory:"))


def test_hidden_files_are_no_tables(tmp_path: Path) -> None:
    db, _ = staged(tmp_path, {"people.csv": PEOPLE, ".~lock.people.csv": "x"})
    assert [name for (name,) in db.execute("SELECT name FROM sqlite_master")] == ["people"]


def test_places_are_few(tmp_path: Path) -> None:
    assert staging.places([3]) == "line 3"
    assert staging.places(list(range(1, 1_002))) == "lines 1, 2, 3, 4, 5 and 996 more"
