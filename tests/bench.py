"""A workbench for imports: catalogue, index and indexer of small documents that are made of words.

A document's sections come from the text of a study's brief summary, one a line, so that a test sees at a glance which
chunks there must be: `lines("a", "b")` is a study with two chunks, "a" and "b".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from factories import study
from fakes import HashEmbedder
from proband.adapters.memory import MemoryIndex
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.generations import Generation
from proband.ingest.generation import finish
from proband.ingest.pipeline import DocumentLoader, Indexed, index_outbox
from proband.ingest.points import Analysis, Indexer
from proband.ingest.progress import Silent
from proband.model import (
    Corpus,
    Document,
    DocumentKey,
    Facets,
    Filter,
    Section,
    SectionKind,
    SparseVector,
    View,
)
from proband.ports import IndexWriter, Manifest
from proband.text.reading import plain
from proband.trials.registry import parse_study
from proband.trials.study import Study

TRIALS = Corpus.TRIALS
WINDOW = 12


def lines(nct_id: str, *texts: str, status: str = "RECRUITING") -> Study:
    """A study with one chunk a text."""
    return study(
        nct_id,
        descriptionModule={"briefSummary": "\n".join(texts)},
        statusModule={"overallStatus": status},
    )


def to_document(found: Study) -> Document:
    """The document of a study made by `lines`."""
    sections = (
        Section(SectionKind.BRIEF_SUMMARY, ordinal, "summary", reading, reading.text)
        for ordinal, reading in enumerate(map(plain, (found.brief_summary or "").split("\n")), 1)
    )
    return Document(found.key, tuple(sections), Facets(status=found.status or "UNKNOWN"))


def words_sparse(text: str) -> SparseVector:
    """One term a text: how many words it has."""
    return SparseVector((len(text.split()),), (1.0,))


def words_exact(text: str) -> tuple[str, ...]:
    """The words in capitals."""
    return tuple(word for word in text.split() if word.isupper())


ANALYSIS = Analysis(1, words_sparse, words_exact, words_sparse)


class Bench:
    """Catalogue and index with the steps of an import."""

    def __init__(
        self, catalogue: Catalogue, index: IndexWriter | None = None, batch_documents: int = 2
    ) -> None:
        self.catalogue = catalogue
        self.embedder = HashEmbedder(window_tokens=WINDOW)
        self.manifest = Manifest("hash", self.embedder.digest, 16, 1, 1)
        self.index = index or MemoryIndex(self.manifest)
        self.indexer = Indexer(catalogue, self.index, self.embedder, ANALYSIS, 2, batch_documents)

    def begin(self) -> Generation:
        """A new generation, or the unfinished one."""
        return self.catalogue.begin(TRIALS, "test", self.manifest)

    def index_all(self, built: Generation, load: DocumentLoader | None = None) -> Indexed:
        """Drains the outbox."""
        return index_outbox(self.indexer, built, load or self.loader(built), Silent())

    def finish(self, built: Generation) -> Generation:
        """Makes it visible."""
        return finish(self.catalogue, self.index, built)

    def imported(self, studies: Iterable[Study], removed: Iterable[str] = ()) -> Generation:
        """One whole import."""
        built = self.begin()
        self.catalogue.store_studies(built, studies)
        self.catalogue.remove_studies(built, removed)
        self.index_all(built)
        return self.finish(built)

    def loader(self, built: Generation) -> DocumentLoader:
        """Loads documents from the catalogue."""

        def load(keys: Sequence[str]) -> Iterator[Document]:
            ids = [DocumentKey.parse(key).parts[0] for key in keys]
            for raw in self.catalogue.raw_studies(ids, built.number).values():
                yield to_document(parse_study(raw))

        return load

    def catalogue_texts(self, number: int) -> dict[str, list[str]]:
        """The texts of each document in this generation, as the catalogue has them."""
        alive = [
            chunk_id
            for chunk_id, (born, died) in self.catalogue.lifetimes(TRIALS).items()
            if born <= number < died
        ]
        return _by_document(
            (found.document, (found.ordinal, found.part), found.text)
            for found in self.catalogue.chunk_texts(alive).values()
        )

    def index_texts(self, number: int) -> dict[str, list[str]]:
        """The same as the index has them: its points of this generation, read through the catalogue."""
        alive = [
            chunk_id for chunk_id, (born, died) in self.index.ids().items() if born <= number < died
        ]
        assert self.index.count(View(number, Filter())) == len(alive)
        texts = self.catalogue.chunk_texts(alive)
        points = self.index.fetch(alive)
        for chunk_id, found in points.items():
            assert found.document == texts[chunk_id].document
        return _by_document(
            (found.document, (found.ordinal, found.part), found.text) for found in texts.values()
        )


def _by_document(
    found: Iterable[tuple[str, tuple[int, int], str]],
) -> dict[str, list[str]]:
    groups: dict[str, list[tuple[tuple[int, int], str]]] = {}
    for document, place, text in found:
        groups.setdefault(DocumentKey.parse(document).parts[0], []).append((place, text))
    return {name: [text for _, text in sorted(texts)] for name, texts in groups.items()}
