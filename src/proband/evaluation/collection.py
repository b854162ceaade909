"""Judged collections: topics, grades, and the documents of those that bring their own.

Two layouts are read: BEIR's (Thakur and others, NeurIPS 2021: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`) and a
TREC pool over studies that the home holds (`topics.jsonl`, `qrels.txt`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from proband.errors import SourceUnavailable, UsageError
from proband.evaluation.jsonl import lines, row
from proband.model import Document, DocumentKey, Facets, Section, SectionKind
from proband.text.reading import Reading, plain

SOURCE = "eval"
CORPUS, QUERIES, JUDGEMENTS = "corpus.jsonl", "queries.jsonl", Path("qrels") / "test.tsv"
BEIR_DEPTH, POOL_DEPTH = 100, 1000
"""Documents a topic: recall@100 needs no more; `search --topics` writes 1,000."""
ELIGIBLE, EXCLUDED = 2, 1
TOPICS, POOL = "topics.jsonl", "qrels.txt"
_SENTENCE_END = re.compile(r"[.!?]['\")\]]*\s")

Grades = Mapping[str, Mapping[str, int]]
"""By topic, the grade of each judged document."""


class Measure(StrEnum):
    """What a ranking is worth, from 0 to 1; docs/evaluation.md says where each comes from."""

    NDCG = "nDCG@10"
    CONDENSED = "nDCG@10 condensed"
    RECALL = "recall@100"
    MRR = "MRR"
    PAIRS = "pairs in order"


@dataclass(frozen=True, slots=True)
class Collection:
    """Topics with judgements.

    Args:
        name: what tables and floors call it.
        topics: text by id.
        grades: of the judged documents by topic; every topic has an entry.
        measures: what it is scored by.
        depth: how many documents a topic are looked at.
        relevant: the lowest grade that answers the topic.
        against: by topic, documents that have to stand below every one that answers it.
        kinds: what kind of question a topic is, where the collection says so.
        filters: what was chosen beside a topic's text, as options of `proband search`.
    """

    name: str
    topics: Mapping[str, str]
    grades: Grades
    measures: tuple[Measure, ...]
    depth: int
    relevant: int = 1
    against: Mapping[str, AbstractSet[str]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def scored(self) -> list[str]:
        """The topics that something answers, in order."""
        return [topic for topic in self.topics if self.answers(topic)]

    def answers(self, topic: str) -> set[str]:
        """The documents that answer a topic."""
        grades = self.grades[topic]
        return {document for document, grade in grades.items() if grade >= self.relevant}

    def of_kind(self, kind: str) -> Collection:
        """The topics of one kind alone."""
        topics = {topic: text for topic, text in self.topics.items() if self.kinds[topic] == kind}
        return replace(self, topics=topics)


def is_beir(folder: Path) -> bool:
    """Whether the folder has BEIR's layout."""
    return (folder / CORPUS).is_file()


def is_pool(folder: Path) -> bool:
    """Whether the folder holds topics and judgements of a TREC pool."""
    return (folder / POOL).is_file()


def read_beir(folder: Path) -> Collection:
    """The judged queries of the test split. Raises SourceUnavailable, UsageError naming file and line."""
    queries = {str(one["_id"]): str(one["text"]) for one in _rows(folder / QUERIES, "_id", "text")}
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(lines(folder / JUDGEMENTS), 1):
        if number > 1:  # the first line names the columns
            topic, document, grade = _fields(line, 3, folder / JUDGEMENTS, number)
            grades[topic][document] = _grade(grade, folder / JUDGEMENTS, number)
    topics = {topic: text for topic, text in queries.items() if topic in grades}
    measures = (Measure.NDCG, Measure.RECALL, Measure.MRR)
    judged = {topic: grades[topic] for topic in topics}
    return Collection(folder.resolve().name, topics, judged, measures, BEIR_DEPTH)


def read_pool(folder: Path) -> Collection:
    """Topics and grades of a pool: 2 eligible, 1 excluded, 0 not relevant. Raises SourceUnavailable, UsageError."""
    topics = {str(one["id"]): str(one["text"]) for one in _rows(folder / TOPICS, "id", "text")}
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(lines(folder / POOL), 1):
        topic, _, document, grade = _fields(line, 4, folder / POOL, number)
        grades[topic][document] = _grade(grade, folder / POOL, number)
    judged = {topic: grades[topic] for topic in topics}
    excluded = {
        topic: {document for document, grade in found.items() if grade == EXCLUDED}
        for topic, found in judged.items()
    }
    measures = (Measure.NDCG, Measure.CONDENSED, Measure.RECALL, Measure.MRR, Measure.PAIRS)
    return Collection(
        folder.resolve().name, topics, judged, measures, POOL_DEPTH, ELIGIBLE, excluded
    )


def documents(folder: Path, name: str) -> Iterator[Document]:
    """The documents of a folder in BEIR's layout, in its order."""
    for one in _rows(folder / CORPUS, "_id", "text"):
        yield document(name, str(one["_id"]), str(one.get("title") or ""), str(one["text"]))


def documents_digest(folder: Path) -> str:
    """sha256 of the documents' file. Raises SourceUnavailable."""
    try:
        with (folder / CORPUS).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceUnavailable(f"{folder / CORPUS} cannot be read: {error.strerror}.") from error


def document(name: str, key: str, title: str, text: str) -> Document:
    """One text of a collection as a document: title and text.

    Every document begins with a title, which stands for the whole of it in the lane of documents; where none was
    given it is the first sentence.
    """
    whole = plain(text)
    named = plain(title)
    if named.text:
        sections = (_section(SectionKind.TITLE, "title", named),)
    else:
        found = _SENTENCE_END.search(whole.text)
        opening = found.end() if found else len(whole.text)
        sections = (_section(SectionKind.TITLE, "text", whole.slice(0, opening).strip()),)
        whole = whole.slice(opening).strip()
    body = (_section(SectionKind.BRIEF_SUMMARY, "text", whole),) if whole.text else ()
    return Document(DocumentKey(SOURCE, name, (key,)), (*sections, *body), Facets())


def _section(kind: SectionKind, field: str, reading: Reading) -> Section:
    return Section(kind, 1, field, reading, reading.text)


def _rows(path: Path, *names: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines(path), 1):
        yield row(line, f"{path}, line {number}", *names)


def _fields(line: str, count: int, path: Path, number: int) -> list[str]:
    fields = line.split()
    if len(fields) != count:
        raise UsageError(f"{path}, line {number}: needs {count} columns, has {len(fields)}.")
    return fields


def _grade(text: str, path: Path, number: int) -> int:
    if not text.lstrip("-").isdigit():
        raise UsageError(f"{path}, line {number}: {text!r} is not a grade.")
    return int(text)
