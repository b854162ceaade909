"""Names of the sample's studies, however written, lead to a study that holds them: the benchmark, small."""

from __future__ import annotations

import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from fakes import HashEmbedder
from library import Library
from proband.ingest.chunker import cut
from proband.ingest.points import Analysis, point
from proband.model import ChunkId, DocumentKey, Question, Scope
from proband.search.pipeline import rank
from proband.search.recall import Reader
from proband.settings import SearchSettings
from proband.trials.documents import study_document
from proband.trials.registry import parse_study
from proband.wiring import analysis
from sample_corpus import raw_studies

FILE = Path(__file__).parents[3] / "benchmarks" / "quality" / "exact.py"
COUNT = 100


def benchmark() -> ModuleType:
    """The module `benchmarks/quality/exact.py`."""
    spec = spec_from_file_location("exact_questions", FILE)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def library() -> Library:
    """The whole sample."""
    library = Library(HashEmbedder(64, window_tokens=10_000))
    documents = [study_document(parse_study(raw)) for raw in raw_studies().values()]
    analyse: Analysis = analysis()
    for chunks in cut(documents, library.embedder, 0):
        for chunk in chunks:
            place = f"{chunk.document} {chunk.kind} {chunk.ordinal} {chunk.part}"
            chunk_id = ChunkId(str(uuid.uuid5(uuid.NAMESPACE_OID, place)))
            library.chunks[chunk_id] = chunk
            vector = library.embedder.embed_query(chunk.text)
            library.index.write([point(chunk_id, chunk, vector, analyse, 1)])
    return library


def test_names_lead_to_a_study_that_holds_them(library: Library) -> None:
    exact = benchmark()
    names = exact.Names(raw_studies())
    questions = exact.asked(names, COUNT, seed=7)
    with ThreadPoolExecutor(2) as pool:
        reader = Reader(library.index, library.embedder, library, pool)
        missed = [
            one.text
            for one in questions
            if not any(names.holds(nct_id, one) for nct_id in top(one.text, reader, exact.TOP))
        ]
    assert len(questions) == COUNT
    assert len(missed) <= COUNT // 100, missed


def top(question: str, reader: Reader, count: int) -> list[str]:
    groups = rank(Question(question), Scope.public(), 1, reader, SearchSettings()).groups
    return [DocumentKey.parse(group.document).parts[0] for group in groups[:count]]
