"""What a judged collection is asked of: an index of its own, the studies of the home, or the sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proband.cli.progress import StderrProgress
from proband.cli.wanted import options_of, wanted_filter
from proband.errors import SourceUnavailable
from proband.evaluation.collection import (
    Collection,
    documents,
    documents_digest,
    is_beir,
    is_pool,
    read_beir,
    read_pool,
)
from proband.evaluation.questions import read_questions
from proband.evaluation.result import Judged
from proband.model import Question
from proband.settings import home_folder
from proband.wiring import open_search, read_home
from proband.wiring_fixed import open_collection

SAMPLE = "sample"


@contextmanager
def opened(name: str, progress: StderrProgress) -> Iterator[Judged]:
    """The collection of this name, folder or file, with the search that answers it. Raises SourceUnavailable."""
    folder = Path(name)
    if name == SAMPLE:
        with _sample() as judged:
            yield judged
    elif is_beir(folder):
        with _beir(folder, progress) as judged:
            yield judged
    elif is_pool(folder):
        with _over_studies(read_pool(folder), None) as judged:
            yield judged
    elif folder.is_file():
        with _over_studies(read_questions(folder, folder.stem), None) as judged:
            yield judged
    else:
        raise SourceUnavailable(
            f"{folder} is no judged collection: it has neither corpus.jsonl nor qrels.txt."
        )


@contextmanager
def _beir(folder: Path, progress: StderrProgress) -> Iterator[Judged]:
    found = read_beir(folder)
    digest, texts = documents_digest(folder), documents(folder, found.name)
    with open_collection(found.name, digest, texts, progress) as ask:
        questions = {
            topic: Question(text, top_k=found.depth) for topic, text in found.topics.items()
        }
        yield Judged(found, questions, ask, read_home().settings.search.rrf_k)


@contextmanager
def _sample() -> Iterator[Judged]:
    """The sample's questions over its studies, in the folder that `proband demo` uses."""
    from proband.cli.demo import import_sample
    from proband.sample import questions_file

    home = home_folder() / "demo"
    import_sample(home)
    with _over_studies(read_questions(questions_file(), SAMPLE), home) as judged:
        yield judged


@contextmanager
def _over_studies(found: Collection, home: Path | None) -> Iterator[Judged]:
    with open_search("proband evaluate", home) as engine:
        seen = engine.seen(None)
        questions = {
            topic: Question(
                text,
                wanted_filter(options_of(found.filters.get(topic, {}), topic), engine, seen),
                found.depth,
            )
            for topic, text in found.topics.items()
        }
        yield Judged(
            found,
            questions,
            lambda question: engine.rank(question, seen),
            engine.settings.search.rrf_k,
        )
