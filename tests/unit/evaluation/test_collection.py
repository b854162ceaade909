from __future__ import annotations

from pathlib import Path

import pytest

from judged import beir_folder, pool_folder
from proband.errors import SourceUnavailable, UsageError
from proband.evaluation.collection import (
    document,
    documents,
    documents_digest,
    read_beir,
    read_pool,
)
from proband.model import DocumentKey, SectionKind


def test_only_queries_with_judgements_of_the_test_split_are_asked(tmp_path: Path) -> None:
    found = read_beir(beir_folder(tmp_path / "tiny"))
    assert found.name == "tiny"
    assert found.topics == {"1": "lens of the eye", "2": "microscopy of lungs"}
    assert found.grades == {"1": {"lens": 1}, "2": {"lung": 1, "heart": 0}}
    assert found.answers("2") == {"lung"}


def test_of_a_pool_only_eligible_studies_answer_and_excluded_ones_are_against(
    tmp_path: Path,
) -> None:
    found = read_pool(pool_folder(tmp_path))
    assert found.scored == ["1"]
    assert found.answers("1") == {"A"}
    assert found.against == {"1": {"B"}, "2": {"D"}}


def test_a_document_has_its_title_and_its_text_as_sections(tmp_path: Path) -> None:
    lung = list(documents(beir_folder(tmp_path), "tiny"))[1]
    assert lung.key == DocumentKey("eval", "tiny", ("lung",))
    assert [(section.kind, section.reading.text) for section in lung.sections] == [
        (SectionKind.TITLE, "Lungs under the microscope"),
        (SectionKind.BRIEF_SUMMARY, "Electron microscopy of bronchi."),
    ]


def test_without_a_title_the_first_sentence_stands_for_it_and_nothing_is_lost() -> None:
    text = "the lens of the\neye . it is clear ."
    title, body = document("tiny", "1", "", text).sections
    assert (title.kind, title.reading.text) == (SectionKind.TITLE, "the lens of the eye .")
    assert (body.kind, body.reading.text) == (SectionKind.BRIEF_SUMMARY, "it is clear .")
    assert title.reading.span.of(text) == "the lens of the\neye ."
    assert body.reading.span.of(text) == "it is clear ."


def test_a_text_of_one_sentence_without_a_title_is_only_a_title() -> None:
    (title,) = document("tiny", "1", "", "the lens of the eye").sections
    assert (title.kind, title.reading.text) == (SectionKind.TITLE, "the lens of the eye")


def test_another_document_gives_another_digest(tmp_path: Path) -> None:
    one = beir_folder(tmp_path / "one")
    other = beir_folder(tmp_path / "other", {"lens": ("", "another text")})
    assert documents_digest(one) == documents_digest(beir_folder(tmp_path / "same"))
    assert documents_digest(one) != documents_digest(other)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = beir_folder(tmp_path)
    (folder / "queries.jsonl").unlink()
    with pytest.raises(SourceUnavailable, match=r"queries\.jsonl cannot be read"):
        read_beir(folder)


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("queries.jsonl", '{"_id": "1"}\n', r'queries\.jsonl, line 1: needs an object with "_id"'),
        ("queries.jsonl", "[]\n", r"queries\.jsonl, line 1"),
        ("qrels/test.tsv", "head\n1 lens\n", r"line 2: needs 3 columns, has 2"),
        ("qrels/test.tsv", "head\n1 lens much\n", r"line 2: 'much' is not a grade"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, file: str, content: str, says: str) -> None:
    folder = beir_folder(tmp_path)
    (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        read_beir(folder)
