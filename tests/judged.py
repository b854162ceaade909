"""Small judged collections, on disk in BEIR's layout and in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from proband.evaluation.collection import Collection, Measure
from proband.evaluation.result import Evaluated, results
from proband.evaluation.stages import Stage

DOCUMENTS = {
    "lens": ("", "the lens of the eye . it is clear in most vertebrates ."),
    "lung": ("Lungs under the microscope", "Electron microscopy of bronchi."),
    "heart": ("Hearts", "Rhythm of the failing heart."),
}
QUERIES = {"1": "lens of the eye", "2": "microscopy of lungs", "unjudged": "anything"}
JUDGED = {"1": {"lens": 1}, "2": {"lung": 1, "heart": 0}}


def beir_folder(
    folder: Path, documents: Mapping[str, tuple[str, str]] = DOCUMENTS, grade: str | None = None
) -> Path:
    """A collection of three documents and two judged queries; `grade` replaces every grade."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    _write(
        folder / "corpus.jsonl",
        [{"_id": name, "title": title, "text": text} for name, (title, text) in documents.items()],
    )
    _write(
        folder / "queries.jsonl", [{"_id": name, "text": text} for name, text in QUERIES.items()]
    )
    rows = [
        f"{topic}\t{document}\t{grade or found}"
        for topic, grades in JUDGED.items()
        for document, found in grades.items()
    ]
    head = "query-id\tcorpus-id\tscore"
    (folder / "qrels" / "test.tsv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return folder


def pool_folder(folder: Path) -> Path:
    """A TREC pool of two topics: one with an eligible and an excluded study, one without an eligible."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "topics.jsonl", [{"id": "1", "text": "lens"}, {"id": "2", "text": "lung"}])
    (folder / "qrels.txt").write_text("1 0 A 2\n1 0 B 1\n1 0 C 0\n2 0 D 1\n", encoding="utf-8")
    return folder


def judged(
    grades: Mapping[str, Mapping[str, int]],
    relevant: int = 1,
    against: Mapping[str, set[str]] | None = None,
) -> Collection:
    """A collection of these judgements, scored by everything."""
    topics = dict.fromkeys(grades, "?")
    return Collection("made", topics, grades, tuple(Measure), 100, relevant, against or {})


def evaluated_as(kinds: Mapping[str, int], wrong: Mapping[Stage, int] | None = None) -> Evaluated:
    """An evaluation with so many topics of each kind, each answered first but for the first `wrong` of a stage."""
    names = [f"{kind}-{number}" for kind, count in kinds.items() for number in range(count)]
    collection = replace(
        judged({name: {"A": 1} for name in names}),
        kinds={name: name.rpartition("-")[0] for name in names},
        topics={name: f"<what> {name} asks" for name in names},
        measures=(Measure.NDCG, Measure.MRR),
    )
    runs = {
        stage: {
            name: ["B", "A"] if number < (wrong or {}).get(stage, 0) else ["A"]
            for number, name in enumerate(names)
        }
        for stage in (Stage.DENSE, Stage.FUSED, Stage.RERANKED)
    }
    return results(collection, runs, dict.fromkeys(names, 0.1))


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
