"""`proband search --topics`: many questions, one TREC run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proband.cli.progress import StderrProgress
from proband.cli.wanted import wanted_filter
from proband.errors import SourceUnavailable, UsageError
from proband.evaluation.jsonl import lines, row
from proband.model import DocumentKey, Question, Scale
from proband.search.pipeline import Ranked

TAG = f"proband-{Scale.RRF}"


class Topic(NamedTuple):
    """One question of a batch."""

    id: str
    text: str


def write_run(topics: Path, run_file: Path, depth: int, filters: dict[str, Any]) -> None:
    """Writes one line a study, best first: `id Q0 NCT rank score tag`. The file appears when it is whole."""
    from proband.wiring import open_search

    wanted = read_topics(topics)
    unfinished = run_file.with_name(run_file.name + ".part")
    with open_search("proband search --topics") as engine, StderrProgress() as progress:
        seen = engine.seen(None)
        where = wanted_filter(filters, engine, seen)
        with _writable(unfinished) as out:
            for done, topic in enumerate(wanted, 1):
                out.writelines(
                    run_lines(
                        topic.id, engine.rank(Question(topic.text, where, depth), seen), depth
                    )
                )
                progress.advance("topics", done, len(wanted))
    os.replace(unfinished, run_file)


def run_lines(topic: str, ranked: Ranked, depth: int) -> Iterator[str]:
    """The lines of one topic. The score falls strictly with the rank, so that every reader sorts alike."""
    for rank, group in enumerate(ranked.groups[:depth], 1):
        nct_id = DocumentKey.parse(group.document).parts[0]
        yield f"{topic} Q0 {nct_id} {rank} {group.score - rank * 1e-9:.9f} {TAG}\n"


def read_topics(path: Path) -> tuple[Topic, ...]:
    """The topics of a file, all checked. Raises SourceUnavailable, or UsageError naming the line."""
    first: dict[str, int] = {}
    topics: list[Topic] = []
    for number, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        topic = _topic(line, where)
        if topic.id in first:
            raise UsageError(
                f"{where}: id {topic.id} already stands in line {first[topic.id]}; "
                "in a TREC run each id is one topic."
            )
        first[topic.id] = number
        topics.append(topic)
    return tuple(topics)


def _topic(line: str, where: str) -> Topic:
    found = row(line, where, "id", "text")
    name, text = found["id"], found["text"]
    if not isinstance(name, str | int) or not isinstance(text, str):
        raise UsageError(f'{where}: "id" must be a text or a whole number, "text" a text.')
    topic = Topic(str(name), text)
    if not topic.id or any(character.isspace() for character in topic.id):
        raise UsageError(f"{where}: an id in a TREC run cannot be empty or hold white space.")
    if not any(character.isalnum() for character in topic.text):
        raise UsageError(f"{where}: topic {topic.id} holds no word to search for.")
    return topic


def _writable(path: Path) -> Any:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be written: {error.strerror}.") from error
