"""Studies from files: what a file is, its content says; what cannot be read is counted and named, never fatal."""

from __future__ import annotations

import gzip
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import raw_study
from proband.adapters.study_files import NOTHING_HERE, files_digest, iter_studies, total_bytes
from proband.errors import SourceUnavailable
from proband.trials.fetched import Fetched, Place, Rejected
from shared_data import shared

JSON_A, JSON_B, JSON_C = (json.dumps(raw_study(f"NCT9900000{n}")) for n in (1, 2, 3))
XML_D = "<clinical_study><id_info><nct_id>NCT99000004</nct_id></id_info></clinical_study>"
STUDIES_TXT = "nct_id|brief_title\nNCT99000005|Five\n"
ELIGIBILITIES_TXT = "id|nct_id|criteria\n1|NCT99000005|Adults\n"


def read(*paths: Path, after: Place | None = None) -> list[str]:
    """Each study's id, and each rejection as its text with paths shortened to names."""
    return [short(item, paths[0]) for item in iter_studies(paths, after=after)]


def short(item: Fetched | Rejected, path: Path) -> str:
    if isinstance(item, Fetched):
        return item.study.nct_id + " again" * item.repeated
    return str(item).replace(f"{path.parent}{os.sep}", "")


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def packed(path: Path, members: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


CONTENTS = {
    "study": (JSON_A, ["NCT99000001"]),
    "list": (f"[{JSON_A}, {JSON_B}]", ["NCT99000001", "NCT99000002"]),
    "page": (f'{{"studies": [{JSON_A}], "nextPageToken": "t"}}', ["NCT99000001"]),
    "lines": (f"{JSON_A}\n{JSON_B}\n", ["NCT99000001", "NCT99000002"]),
    "xml": (XML_D, ["NCT99000004"]),
    "xml behind a byte order mark": (f"\ufeff{XML_D}", ["NCT99000004"]),
    "json behind a byte order mark and spaces": (f"\ufeff \n{JSON_A}", ["NCT99000001"]),
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".xml", ".gz", ".dat", ""])
@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_what_a_file_is_its_content_says(
    tmp_path: Path, content: str, suffix: str, pack: Callable[[str], bytes]
) -> None:
    text, expected = CONTENTS[content]
    assert read(write(tmp_path / f"file{suffix}", pack(text))) == expected


def test_folder_is_read_with_its_subfolders_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write(folder / "b.jsonl", JSON_B)
    write(folder / "c" / "a.xml.gz", gzip.compress(XML_D.encode()))
    write(folder / "a.json", JSON_A)
    write(folder / "c" / "b.ndjson", JSON_C)
    write(folder / "readme.txt", "not a study")
    write(folder / ".hidden.json", JSON_A)
    write(folder / "picture.png", b"\x89PNG")
    assert read(folder) == ["NCT99000001", "NCT99000002", "NCT99000004", "NCT99000003"]


def test_zip_archive_is_read_by_name(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {
        "b/2.xml": XML_D,
        "a.jsonl": f"{JSON_A}\n{JSON_B}",
        "readme.md": "#",
        "__MACOSX/a.jsonl": "resource fork",
        "c.json.gz": gzip.compress(JSON_C.encode()),
    }
    path = packed(tmp_path / "a.zip", members)
    assert read(path) == ["NCT99000001", "NCT99000002", "NCT99000004", "NCT99000003"]


def test_zip_archive_of_thousands_of_xml_files_is_read(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(3_000):
            xml = XML_D.replace("99000004", f"9900{number:04}")
            archive.writestr(f"NCT9900xxxx/NCT9900{number:04}.xml", xml)
    assert read(path) == [f"NCT9900{number:04}" for number in range(3_000)]


def test_aact_dump_is_read_from_folder_and_archive(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    write(folder / "studies.txt", STUDIES_TXT)
    write(folder / "eligibilities.txt.gz", gzip.compress(ELIGIBILITIES_TXT.encode()))
    write(folder / "facility_contacts.txt", "id|nct_id|name\n")
    tables: dict[str, str | bytes] = {
        "studies.txt": STUDIES_TXT,
        "eligibilities.txt": ELIGIBILITIES_TXT,
        "facility_contacts.txt": "id|nct_id|name\n",
    }
    archive = packed(tmp_path / "dump.zip", tables)
    assert read(folder) == ["NCT99000005"]
    assert read(archive) == ["NCT99000005"]


def test_aact_dump_may_lie_in_a_subfolder_of_the_archive(tmp_path: Path) -> None:
    tables: dict[str, str | bytes] = {
        "2026/studies.txt": STUDIES_TXT,
        "2026/eligibilities.txt": ELIGIBILITIES_TXT,
    }
    path = packed(tmp_path / "a.zip", tables)
    assert read(path) == ["NCT99000005"]


def test_paths_are_read_in_the_order_given(tmp_path: Path) -> None:
    second, first = write(tmp_path / "2.json", JSON_B), write(tmp_path / "1.json", JSON_A)
    assert read(second, first) == ["NCT99000002", "NCT99000001"]


def test_each_study_knows_its_place(tmp_path: Path) -> None:
    first = write(tmp_path / "1.jsonl", f"{JSON_A}\n{JSON_B}\n")
    second = write(tmp_path / "2.json", JSON_C)
    paths = [first, second]
    size = first.stat().st_size
    assert [item.place for item in iter_studies(paths) if isinstance(item, Fetched)] == [
        Place(str(first), 1, size),
        Place(str(first), 2, size),
        Place(str(second), 1, total_bytes(paths)),
    ]


def test_an_interrupted_run_goes_on_after_its_last_study(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "1.jsonl", f"{JSON_A}\noops\n{JSON_B}\n{JSON_C}\n"),
        write(tmp_path / "2.xml", XML_D),
    ]
    whole = list(iter_studies(paths))
    for number, item in enumerate(whole):
        if isinstance(item, Fetched):
            assert list(iter_studies(paths, after=item.place)) == whole[number + 1 :]


def test_a_place_in_a_file_that_is_not_read_again_is_no_place(tmp_path: Path) -> None:
    path = write(tmp_path / "1.json", JSON_A)
    assert read(path, after=Place("elsewhere.json", 7)) == ["NCT99000001"]


def test_a_study_that_comes_again_is_marked(tmp_path: Path) -> None:
    lines = write(tmp_path / "1.jsonl", f"{JSON_A}\n{JSON_B}\n{JSON_A}\n")
    again = write(tmp_path / "2.json", JSON_B)
    assert read(lines, again) == [
        "NCT99000001",
        "NCT99000002",
        "NCT99000001 again",
        "NCT99000002 again",
    ]


# --- what cannot be read ---------------------------------------------------------------------------------------------


def test_missing_path_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "1.json", JSON_A)
    with pytest.raises(SourceUnavailable, match=r"gone does not exist; give a file or folder"):
        iter_studies([path, tmp_path / "gone"])


def test_unreadable_path_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "1.json", JSON_A)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SourceUnavailable, match=r"1\.json may not be read; check its permissions"):
        iter_studies([path])


def test_folder_without_studies_is_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write(folder / "notes.txt", "no study")
    assert read(folder) == [f"folder: {NOTHING_HERE}"]


def test_archive_without_studies_is_rejected(tmp_path: Path) -> None:
    assert read(packed(tmp_path / "a.zip", {"notes.txt": ""})) == [f"a.zip: {NOTHING_HERE}"]


BAD = {
    "empty": (b"", "empty"),
    "spaces": (b" \n ", "empty"),
    "text": (b"Dear colleague", "neither JSON nor XML nor an AACT dump"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00", "neither JSON nor XML nor an AACT dump"),
    "web page": (
        b"<!DOCTYPE html><html><body/></html>",
        "XML of another schema: <html> instead of <clinical_study>",
    ),
    "table": (
        STUDIES_TXT.encode(),
        "one table of an AACT dump; give the folder or zip archive with all tables",
    ),
    "not an object": (b"[1]", ", line 1: a study must be a JSON object"),
    "without id": (b'{"protocolSection": {}}', ", line 1: the study has no NCT id"),
    "another JSON": (b'{"resourceType": "Bundle"}', ", line 1: the study has no NCT id"),
    "latin-1": (
        '[{"name": "Müller"}]'.encode("latin-1"),
        "not UTF-8 in the value at line 1, column 2",
    ),
    "broken archive": (
        b"PK\x03\x04broken",
        "not a zip archive that can be read: damaged: the packed data is not intact",
    ),
    "archive in gzip": (
        gzip.compress(b"PK\x03\x04"),
        "a zip archive inside another file; unpack it first",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_rejection_and_the_next_file_is_read(tmp_path: Path, name: str) -> None:
    content, reason = BAD[name]
    path = write(tmp_path / "1.json", content)
    where = "1.json" if reason.startswith(",") else "1.json: "
    assert read(path, write(tmp_path / "2.json", JSON_B)) == [f"{where}{reason}", "NCT99000002"]


def test_a_bad_line_is_rejected_with_its_number(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", f'{JSON_A}\n\n{{"a": \n{JSON_B}\n{{}}\n{JSON_C}\n')
    assert read(path) == [
        "NCT99000001",
        "a.jsonl, line 3: not valid JSON: Expecting value (column 7)",
        "NCT99000002",
        "a.jsonl, line 5: the study has no NCT id",
        "NCT99000003",
    ]


def test_a_fault_in_a_list_says_how_many_were_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", f"[\n{JSON_A},\n{JSON_B},\noops]")
    assert read(path) == [
        "NCT99000001",
        "NCT99000002",
        "a.json: not valid JSON: Expecting value at line 4, column 1; 2 records before that were read",
    ]


def test_cut_off_gzip_gives_all_studies_before_the_cut(tmp_path: Path) -> None:
    texts = [
        json.dumps(raw_study(f"NCT9900{n:04}", x={"y": os.urandom(40).hex()})) for n in range(3000)
    ]
    path = write(tmp_path / "a.jsonl.gz", gzip.compress("\n".join(texts).encode()))
    os.truncate(path, path.stat().st_size // 2)
    *studies, last = read(path)
    assert studies == [f"NCT9900{n:04}" for n in range(len(studies))]
    assert 1400 < len(studies) < 1600
    assert last == (
        "a.jsonl.gz: cut off: the packed data ends before its end mark; "
        f"{len(studies):,} records before that were read"
    )


def test_a_bad_member_is_rejected_and_the_next_one_read(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {
        "a.json": JSON_A,
        "b.json": "[oops]",
        "c.jsonl": f"oops\n{JSON_B}",
        "d.xml": "<a/>",
    }
    path = packed(tmp_path / "a.zip", members)
    assert read(path) == [
        "NCT99000001",
        "a.zip, b.json: not valid JSON: Expecting value at line 1, column 2",
        "a.zip, c.jsonl, line 1: not valid JSON: Expecting value (column 1)",
        "NCT99000002",
        "a.zip, d.xml: XML of another schema: <a> instead of <clinical_study>",
    ]


def test_rejections_never_quote_the_record(tmp_path: Path) -> None:
    secret = "Somebody Secret"
    path = write(
        tmp_path / "a.jsonl",
        f'{{"name": "{secret}"}}\n{{"name": "{secret}" oops}}\n"{secret}"\n<{secret}>\n',
    )
    assert len(read(path)) == 4
    assert secret not in "".join(read(path))


INTACT = {
    "a.json": f"[{JSON_A}, {JSON_B}]".encode(),
    "a.jsonl": f"{JSON_A}\n{JSON_B}\n".encode(),
    "a.xml": f"<studies>{XML_D}{XML_D}</studies>".encode(),
    "a.json.gz": gzip.compress(f"[{JSON_A}, {JSON_B}]".encode()),
}


@given(st.data())
def test_no_damage_is_fatal(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        zipped = packed(Path(folder) / "b.zip", {"a.json": JSON_A, "b/c.xml": XML_D})
        tables = {"studies.txt": STUDIES_TXT, "eligibilities.txt": ELIGIBILITIES_TXT}
        dump = packed(Path(folder) / "c.zip", tables)
        files = INTACT | {path.name: path.read_bytes() for path in (zipped, dump)}
        name = data.draw(st.sampled_from(sorted(files)))
        content = bytearray(files[name])
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(content)))
            length = data.draw(st.sampled_from([0, 1, 20, len(content)]))
            content[place : place + length] = data.draw(st.binary(max_size=4))
        for item in iter_studies([write(Path(folder) / name, bytes(content))]):
            assert isinstance(item, Fetched | Rejected)


def test_a_dump_with_a_missing_table_is_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    write(folder / "studies.txt", STUDIES_TXT)
    assert read(folder) == ["dump: an AACT dump without eligibilities.txt"]


@pytest.mark.shared
def test_development_data_is_read_whole(tmp_path: Path) -> None:
    folder = shared("data/trials/raw_v2")
    items = list(iter_studies([folder]))
    assert [item.study.nct_id for item in items if isinstance(item, Fetched)] == [
        path.stem for path in sorted(folder.iterdir())
    ]
    assert isinstance(items[-1], Fetched)
    assert items[-1].place.read_bytes == total_bytes([folder])


def test_digest_changes_with_the_files_and_outlives_what_cannot_be_reached(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("{}")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    before = files_digest([tmp_path])
    assert files_digest([tmp_path]) == before
    file.write_text("{ }")
    assert files_digest([tmp_path]) != before
