"""From settings to adapters to engine: the only place that knows concrete classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proband.errors import HomeError
from proband.settings import Settings, home_folder, load_settings

if TYPE_CHECKING:
    from proband.adapters.ctgov import RegistryApi
    from proband.adapters.model_pull import ModelPuller
    from proband.adapters.model_store import ModelStore
    from proband.adapters.openvino import OpenVinoEmbedder
    from proband.adapters.qdrant_edge import QdrantEdgeIndex
    from proband.catalogue.catalogue import Catalogue
    from proband.engine import Engine
    from proband.ingest.points import Analysis
    from proband.ingest.progress import Progress
    from proband.model import DocumentKey
    from proband.ports import Manifest
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

    @property
    def index_folder(self) -> Path:
        """Where the trials index is."""
        return self.folder / "index" / "trials"


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
    _make_folder(home.folder)
    store = model_store(home)
    model_puller(home, store, progress).pull(store.card(home.settings.model.dense))
    Catalogue.create(home.catalogue_url).close()
    if not QdrantEdgeIndex.exists(home.index_folder):
        QdrantEdgeIndex.create(home.index_folder, manifest(home, embedder(home)))
    return home


def _make_folder(folder: Path) -> None:
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


def embedder(home: Home) -> OpenVinoEmbedder:
    """The dense model of the settings, its files verified. Raises ModelFileMissing, ModelFileWrong."""
    from proband.adapters.openvino import OpenVinoEmbedder, Runtime

    rules, store = home.settings.model, model_store(home)
    card = store.card(rules.dense)
    runtime = Runtime(threads=rules.threads, batch_tokens=rules.batch_tokens)
    return OpenVinoEmbedder(card, store.open(card), runtime, query_cache=rules.query_cache)


def analysis() -> Analysis:
    """How text becomes terms."""
    from proband.ingest.points import Analysis
    from proband.model import SparseVector
    from proband.text.analyser import ANALYSER_VERSION, terms
    from proband.text.bm25 import CHUNK, DOCUMENT, weights

    def sparse(text: str) -> SparseVector:
        return SparseVector(*weights(terms(text), CHUNK))

    def document(text: str) -> SparseVector:
        return SparseVector(*weights(terms(text), DOCUMENT))

    return Analysis(ANALYSER_VERSION, sparse, _exact_terms, document)


def _exact_terms(text: str, key: DocumentKey) -> tuple[str, ...]:
    from proband.text.exact import exact_terms, own_terms

    return tuple(dict.fromkeys((*own_terms(key.parts), *exact_terms(text))))


def manifest(home: Home, model: OpenVinoEmbedder) -> Manifest:
    """What this process would build an index with."""
    from proband.engine import manifest_of

    return manifest_of(home.settings.model.dense, model, analysis())


@contextmanager
def open_catalogue(folder: Path | None = None) -> Iterator[Catalogue]:
    """The catalogue alone. Raises CatalogueError when `proband init` has not made it."""
    from proband.catalogue.catalogue import Catalogue

    catalogue = Catalogue.open(read_home(folder).catalogue_url)
    try:
        yield catalogue
    finally:
        catalogue.close()


def open_index(home: Home, command: str) -> QdrantEdgeIndex:
    """The trials index. Raises CollectionMissing, IndexHeld."""
    from proband.adapters.qdrant_edge import QdrantEdgeIndex

    return QdrantEdgeIndex.open(home.index_folder, home.settings.index, command)


@contextmanager
def open_engine(
    command: str, folder: Path | None = None, *, rebuild: bool = False
) -> Iterator[Engine]:
    """Everything together, for one command; the index is held until the end.

    Raises ManifestMismatch when the index was built with something else, unless it is about to be rebuilt.
    """
    from proband.adapters.allocator import bound_arenas
    from proband.engine import Engine, check_manifest
    from proband.ingest.points import Indexer

    bound_arenas()
    home = read_home(folder)
    with open_catalogue(folder) as catalogue:
        index = open_index(home, command)
        try:
            model = embedder(home)
            if not rebuild:
                check_manifest(index.manifest(), manifest(home, model))
            indexer = Indexer(
                catalogue, index, model, analysis(), home.settings.chunk.overlap_tokens
            )
            with ThreadPoolExecutor(home.settings.search.admission, "recall") as pool:
                yield Engine(home.settings, home.settings.model.dense, indexer, pool)
        finally:
            index.close()


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

    def __call__(self, after: Place | None) -> Iterable[Fetched | Rejected]:
        """The studies after this place."""
        from proband.adapters.study_files import iter_studies

        return iter_studies([path.resolve() for path in self.paths], after=after)


def read_files(paths: Sequence[Path]) -> FileRead:
    """Reads studies from paths. Raises SourceUnavailable now when one does not exist."""
    read = FileRead(tuple(paths))
    read(None)
    return read
