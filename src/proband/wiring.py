"""From settings to adapters to engine: the only place that knows concrete classes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proband.errors import HomeError, ManifestMismatch
from proband.model import Corpus
from proband.settings import Settings, home_folder, load_settings

if TYPE_CHECKING:
    from proband.adapters.ctgov import RegistryApi
    from proband.adapters.model_pull import ModelPuller
    from proband.adapters.model_store import ModelStore
    from proband.adapters.openvino import OpenVinoEmbedder, OpenVinoReranker
    from proband.adapters.qdrant_edge import QdrantEdgeIndex
    from proband.catalogue.catalogue import Catalogue
    from proband.certificates import Gates
    from proband.engine import Engine
    from proband.ingest.points import Analysis
    from proband.ingest.progress import Progress
    from proband.ports import Manifest, PairScorer, TokenEmbedder
    from proband.records.schema import SchemaTable
    from proband.trials.fetched import Fetched, Place, Rejected


@dataclass(frozen=True, slots=True)
class Home:
    """Where one installation keeps everything."""

    folder: Path
    models: Path
    settings: Settings

    @property
    def catalogue_url(self) -> str:
        """The catalogue's SQLAlchemy URL."""
        return self.settings.catalogue.url or f"sqlite:///{self.folder / 'catalogue.sqlite'}"

    def index_folder(self, corpus: Corpus = Corpus.TRIALS) -> Path:
        """Where the index of this corpus is."""
        return self.folder / "index" / corpus.value

    @property
    def gate_file(self) -> Path:
        """What `proband gate calibrate` writes."""
        return self.folder / "gate.json"


def read_home(folder: Path | None = None) -> Home:
    """The home of the environment, or the given folder with the environment's models."""
    default = home_folder()
    where = folder or default
    return Home(where, default / "models", load_settings(where))


def create_home(progress: Progress, folder: Path | None = None) -> Home:
    """Makes what is absent: folder, model, catalogue, index. What is there is left as it is.

    Raises HomeError when the folder cannot be written, ModelError when the model cannot be had.
    """
    from proband.adapters.qdrant_edge import QdrantEdgeIndex
    from proband.catalogue.catalogue import Catalogue

    home = read_home(folder)
    make_folder(home.folder)
    _share_models(home)
    store = model_store(home)
    model_puller(home, store, progress).pull(store.card(home.settings.model.dense))
    Catalogue.create(home.catalogue_url).close()
    absent = [one for one in Corpus if not QdrantEdgeIndex.exists(home.index_folder(one))]
    if absent:
        model = embedder(home)
    for corpus in absent:
        folder, rules = home.index_folder(corpus), home.settings.index
        shutil.rmtree(folder, ignore_errors=True)  # what is left of a broken one
        QdrantEdgeIndex.create(folder, manifest(home, model, corpus), rules, corpus)
    return home


def make_folder(folder: Path) -> None:
    """Makes a folder that can be written. Raises HomeError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise HomeError(
            f"The home folder {folder} cannot be written ({error.strerror}); "
            "make it writable or set PROBAND_HOME to another folder."
        ) from error


def _share_models(home: Home) -> None:
    """Links the models into a home folder that is not the environment's, so that it can become that."""
    link = home.folder / "models"
    if link != home.models and not link.exists():
        link.symlink_to(home.models, target_is_directory=True)


def model_store(home: Home) -> ModelStore:
    """The models of this home."""
    from proband.adapters.model_card import load_cards
    from proband.adapters.model_store import ModelStore

    return ModelStore(home.models, load_cards(home.folder))


def model_puller(home: Home, store: ModelStore, progress: Progress) -> ModelPuller:
    """What brings models into the store; while offline it only reads folders."""
    from proband.adapters.model_hub import Hub
    from proband.adapters.model_pull import ModelPuller

    hub = Hub(home.settings.model.hub_url)
    return ModelPuller(store, hub, offline=home.settings.offline, advance=progress.advance)


def embedder(home: Home, *, for_questions: bool = False) -> OpenVinoEmbedder:
    """The dense model of the settings, its files verified. Raises ModelFileMissing, ModelFileWrong."""
    from proband.adapters.openvino import OpenVinoEmbedder, Runtime

    rules, store = home.settings.model, model_store(home)
    card = store.card(rules.dense)
    runtime = Runtime(
        rules.threads,
        rules.batch_tokens,
        # 40 passages took 105-120 ms side by side and 134-145 one at a time; a question 2.7 ms instead of 1.5.
        one_at_a_time=for_questions and not home.settings.search.rerank_documents,
        token_vectors=for_questions,
    )
    return OpenVinoEmbedder(card, store.open(card), runtime, query_cache=rules.query_cache)


def reranker(home: Home) -> OpenVinoReranker | None:
    """The cross-encoder of the settings, its files verified; None: late interaction.

    Raises UnknownModel, ModelFileMissing, ModelFileWrong, ModelError when the model is no reranker.
    """
    from proband.adapters.model_card import ModelKind
    from proband.adapters.openvino import OpenVinoReranker, Runtime
    from proband.errors import ModelError

    rules, store = home.settings.model, model_store(home)
    if not rules.reranker:
        return None
    card = store.card(rules.reranker)
    if card.kind is not ModelKind.RERANKER:
        raise ModelError(
            f"{card.name} is no reranker; `proband models list` says which models are."
        )
    runtime = Runtime(rules.threads, rules.batch_tokens, one_at_a_time=True)
    return OpenVinoReranker(card, store.open(card), runtime)


def analysis() -> Analysis:
    """How text becomes terms."""
    from proband.ingest.points import Analysis
    from proband.model import SparseVector
    from proband.text.analyser import ANALYSER_VERSION, terms
    from proband.text.bm25 import CHUNK, DOCUMENT, weights
    from proband.text.exact import exact_terms

    def sparse(text: str) -> SparseVector:
        return SparseVector(*weights(terms(text), CHUNK))

    def document(text: str) -> SparseVector:
        return SparseVector(*weights(terms(text), DOCUMENT))

    return Analysis(ANALYSER_VERSION, sparse, exact_terms, document)


def manifest(home: Home, model: OpenVinoEmbedder, corpus: Corpus = Corpus.TRIALS) -> Manifest:
    """What this process would build an index of this corpus with."""
    from proband.manifests import manifest_of

    return manifest_of(home.settings.model.dense, model, analysis(), corpus)


@contextmanager
def open_catalogue(folder: Path | None = None) -> Iterator[Catalogue]:
    """The catalogue alone. Raises CatalogueError when `proband init` has not made it."""
    from proband.catalogue.catalogue import Catalogue

    catalogue = Catalogue.open(read_home(folder).catalogue_url)
    try:
        yield catalogue
    finally:
        catalogue.close()


def open_index(home: Home, command: str, corpus: Corpus = Corpus.TRIALS) -> QdrantEdgeIndex:
    """The index of this corpus. Raises CollectionMissing, IndexHeld."""
    from proband.adapters.qdrant_edge import QdrantEdgeIndex

    return QdrantEdgeIndex.open(home.index_folder(corpus), home.settings.index, command)


@contextmanager
def open_engine(command: str, folder: Path | None = None) -> Iterator[Engine]:
    """Everything together, for one command; the index is held until the end.

    Raises ManifestMismatch when the index was built with something else.
    """
    with _checked(command, folder) as engine:
        yield engine


@contextmanager
def _checked(command: str, folder: Path | None, *, for_questions: bool = False) -> Iterator[Engine]:
    home = read_home(folder)
    with opened(home, command, for_questions=for_questions) as (catalogue, index, model):
        check_index(home, index, model)
        tokens = model if for_questions else None
        pairs = reranker(home) if for_questions else None
        with _engine(home, catalogue, index, model, tokens, pairs) as engine:
            yield engine


@contextmanager
def open_search(command: str, folder: Path | None = None) -> Iterator[Engine]:
    """As `open_engine`, for questions alone. Raises IndexOutOfStep when the index lacks what the catalogue has."""
    from proband.manifests import check_counts

    with _checked(command, folder, for_questions=True) as engine:
        check_counts(engine.catalogue, engine.indexer.index)
        yield engine


@contextmanager
def open_rebuild(command: str) -> Iterator[Engine]:
    """As `open_engine`, to rebuild the index, whatever it was built with.

    Vectors of another length, or other settings of the graph, need another collection: it is made beside the present
    one, and takes its place when the rebuild has ended. A rebuild that is broken off leaves the present one as it was.
    """
    home = read_home()
    with opened(home, command) as (catalogue, index, model):
        wanted = manifest(home, model)
        fits = index.is_laid_out_for(wanted, home.settings.index)
        target = nullcontext(index) if fits else replacing(home, index, wanted, command)
        with target as written, _engine(home, catalogue, written, model) as engine:
            yield engine


def check_index(
    home: Home,
    index: QdrantEdgeIndex,
    model: OpenVinoEmbedder,
    corpus: Corpus = Corpus.TRIALS,
) -> None:
    """Raises ManifestMismatch when the index was built with something else than this process uses."""
    from proband.manifests import check_manifest

    wanted = manifest(home, model, corpus)
    check_manifest(index.manifest(), wanted)
    if not index.is_laid_out_for(wanted, home.settings.index):
        raise ManifestMismatch(
            "The index was made with other settings of its graph or by an older version; "
            "run `proband index --rebuild`."
        )


@contextmanager
def opened(
    home: Home, command: str, corpus: Corpus = Corpus.TRIALS, *, for_questions: bool = False
) -> Iterator[tuple[Catalogue, QdrantEdgeIndex, OpenVinoEmbedder]]:
    """The stores and the model of a home. The model is compiled while the stores are opened."""
    from proband.adapters.allocator import bound_arenas

    bound_arenas()
    with ThreadPoolExecutor(1, "model") as beside:
        coming = beside.submit(embedder, home, for_questions=for_questions)
        with (
            open_catalogue(home.folder) as catalogue,
            closing(open_index(home, command, corpus)) as index,
        ):
            yield catalogue, index, coming.result()


@contextmanager
def _engine(
    home: Home,
    catalogue: Catalogue,
    index: QdrantEdgeIndex,
    model: OpenVinoEmbedder,
    tokens: TokenEmbedder | None = None,
    pairs: PairScorer | None = None,
) -> Iterator[Engine]:
    from proband.engine import Engine
    from proband.ingest.points import Indexer

    indexer = Indexer(catalogue, index, model, analysis())
    gate = gates(home, catalogue, manifest(home, model)) if tokens else None
    with ThreadPoolExecutor(home.settings.search.admission, "recall") as pool:
        yield Engine(home.settings, home.settings.model.dense, indexer, pool, tokens, gate, pairs)


def gates(home: Home, catalogue: Catalogue, fitting: Manifest) -> Gates:
    """The gate of each generation of a home. Raises SettingsError when its calibration cannot be read."""
    from proband.certificates import Gates, read_certificate

    certificate, settings = read_certificate(home.gate_file), home.settings
    return Gates(certificate, fitting, settings.search, catalogue, settings.model.reranker)


@contextmanager
def replacing(
    home: Home,
    present: QdrantEdgeIndex,
    wanted: Manifest,
    command: str,
    corpus: Corpus = Corpus.TRIALS,
) -> Iterator[QdrantEdgeIndex]:
    """An empty index that replaces `present` unless what is done with it fails."""
    from proband.adapters.qdrant_edge import QdrantEdgeIndex

    place, rules = home.index_folder(corpus), home.settings.index
    folder = place.with_name(f"{place.name}.next")
    shutil.rmtree(folder, ignore_errors=True)
    QdrantEdgeIndex.create(folder, wanted, rules, corpus)
    with closing(QdrantEdgeIndex.open(folder, rules, command)) as coming:
        yield coming
    present.close()
    shutil.rmtree(place)
    folder.replace(place)


def open_registry(settings: Settings) -> RegistryApi:
    """The registry's API, to be used as a context manager."""
    from proband.adapters.ctgov import RegistryApi

    return RegistryApi(settings.sync, offline=settings.offline)


@dataclass(frozen=True, slots=True)
class FileRead:
    """Reads studies from paths; `name` is the same for the same paths, so that an import can resume."""

    paths: Sequence[Path]

    @property
    def name(self) -> str:
        """The paths, absolute."""
        return " ".join(str(path.resolve()) for path in self.paths)[:500]

    @property
    def digest(self) -> str:
        """Changes when a file is added, removed or written."""
        from proband.adapters.study_files import files_digest

        return files_digest(self.paths)

    def __call__(self, after: Place | None) -> Iterable[Fetched | Rejected]:
        """The studies after this place."""
        from proband.adapters.study_files import iter_studies

        return iter_studies([path.resolve() for path in self.paths], after=after)


def read_files(paths: Sequence[Path]) -> FileRead:
    """Reads studies from paths. Raises SourceUnavailable now when one does not exist."""
    read = FileRead(tuple(paths))
    read(None)
    return read


def read_schema(url: str, schema: str = "") -> tuple[SchemaTable, ...]:
    """The tables of a database. Raises SourceUnavailable when it cannot be read."""
    from proband.adapters.sql_schema import read_schema

    return read_schema(url, schema)
