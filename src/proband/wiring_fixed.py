"""Wiring for documents that are no studies: an index of their own, searched as studies are."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from proband.wiring import Home, analysis, embedder, make_folder, manifest, read_home, reranker

if TYPE_CHECKING:
    from proband.catalogue.chunk_rows import NewChunk
    from proband.ingest.progress import Progress
    from proband.model import Document, Question
    from proband.ports import Manifest
    from proband.search.pipeline import Ranked
    from proband.settings import IndexSettings


@contextmanager
def open_collection(
    name: str, digest: str, documents: Iterable[Document], progress: Progress
) -> Iterator[Callable[[Question], Ranked]]:
    """Searches documents that are no studies as studies are searched: same stages, same settings.

    They have an index of their own in the home's folder `evaluation`. It is made anew when `digest`, which stands for
    the documents, or what an index is built with has changed; vectors of unchanged texts are reused.
    """
    from proband.adapters.allocator import bound_arenas
    from proband.adapters.qdrant_edge import QdrantEdgeIndex
    from proband.ingest.fixed import GENERATION, FixedTexts, fixed_chunks
    from proband.model import Scope
    from proband.search.pipeline import rank
    from proband.search.recall import Reader
    from proband.trials.filters import narrative_filter

    bound_arenas()
    home = read_home()
    folder, rules = home.folder / "evaluation" / name, home.settings.search
    model = embedder(home, for_questions=True)
    fitting = manifest(home, model)
    chunks = fixed_chunks(documents, model, fitting)
    texts = FixedTexts({new.id: new.chunk for new in chunks})
    _make_fixed(home, folder, digest, chunks, fitting, progress)
    with (
        closing(
            QdrantEdgeIndex.open(folder / "index", home.settings.index, "proband evaluate")
        ) as index,
        ThreadPoolExecutor(rules.admission, "recall") as pool,
    ):
        reader = Reader(index, model, texts, pool, model, reranker(home))
        yield lambda question: rank(
            question, Scope.public(), GENERATION, reader, rules, narrative_filter
        )


def _make_fixed(
    home: Home,
    folder: Path,
    digest: str,
    chunks: Sequence[NewChunk],
    wanted: Manifest,
    progress: Progress,
) -> None:
    """Makes the index of a fixed set of documents unless the one in `folder` was made of the same with the same.

    Raises IndexHeld when another process searches the one that is to be replaced.
    """
    from proband.adapters.qdrant_edge import QdrantEdgeIndex
    from proband.adapters.vector_file import read_vectors, write_vectors
    from proband.ingest.fixed import fixed_vectors, write_fixed

    made, place, kept = folder / "made_of.txt", folder / "index", folder / "vectors.npz"
    rules = home.settings.index
    says = f"{digest} {wanted} {rules}"
    whole = QdrantEdgeIndex.exists(place)
    if whole and made.is_file() and made.read_text(encoding="utf-8") == says:
        return
    if whole:
        _require_free(place, rules)
    shutil.rmtree(place, ignore_errors=True)
    made.unlink(missing_ok=True)
    make_folder(folder)
    model = embedder(home)  # for many texts at once, which is not how it runs for questions
    vectors = fixed_vectors(chunks, read_vectors(kept, model.digest), model, progress)
    write_vectors(kept, model.digest, vectors)
    QdrantEdgeIndex.create(place, wanted, rules)
    with closing(QdrantEdgeIndex.open(place, rules, "proband evaluate")) as index:
        write_fixed(chunks, vectors, index, analysis())
    made.write_text(says, encoding="utf-8")


def _require_free(place: Path, rules: IndexSettings) -> None:
    """Raises IndexHeld when another process has the index open; one that cannot be opened is free."""
    from proband.adapters.qdrant_edge import QdrantEdgeIndex
    from proband.errors import IndexHeld, StoreError

    try:
        QdrantEdgeIndex.open(place, rules, "proband evaluate").close()
    except IndexHeld:
        raise
    except StoreError:
        return
