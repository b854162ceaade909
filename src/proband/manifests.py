"""What an index is built with, and whether one fits: its manifest and how much it holds."""

from __future__ import annotations

from proband.catalogue.catalogue import Catalogue
from proband.errors import IndexOutOfStep, ManifestMismatch
from proband.ingest.chunker import CHUNKER_VERSION
from proband.ingest.points import Analysis
from proband.model import Corpus, Filter, View
from proband.ports import Embedder, Index, Manifest
from proband.records.mapping import ROWS_VERSION
from proband.trials.criteria import SPLITTER_VERSION
from proband.trials.documents import SECTIONS_VERSION


def manifest_of(
    model: str, embedder: Embedder, analysis: Analysis, corpus: Corpus = Corpus.TRIALS
) -> Manifest:
    """What an index of this corpus is built with, given these."""
    reading = (
        SECTIONS_VERSION * 100 + SPLITTER_VERSION if corpus is Corpus.TRIALS else ROWS_VERSION * 100
    )
    return Manifest(
        model=model,
        model_digest=embedder.digest,
        dimensions=embedder.dimensions,
        analyser_version=analysis.version,
        # One number for all, so that a change of any calls for a rebuild.
        chunker_version=CHUNKER_VERSION * 10_000 + reading,
    )


def check_manifest(built: Manifest, wanted: Manifest) -> None:
    """Raises ManifestMismatch when the index was built with another model, analyser or chunker."""
    if built == wanted:
        return
    names = {
        "model": "model_digest",
        "vector length": "dimensions",
        "analyser": "analyser_version",
        "chunker": "chunker_version",
    }
    other = [word for word, name in names.items() if getattr(built, name) != getattr(wanted, name)]
    raise ManifestMismatch(
        f"The index was built with another {' and '.join(other) or 'model name'} "
        f"(model {built.model}); run `proband index --rebuild`."
    )


def check_counts(catalogue: Catalogue, index: Index, corpus: Corpus = Corpus.TRIALS) -> None:
    """Raises IndexOutOfStep when the index does not hold as many chunks of the visible generation as the catalogue."""
    active = catalogue.active(corpus)
    if active is None:
        return
    held = index.count(View(active.number, Filter()))
    chunks = active.counts.chunks if active.counts else 0
    if held != chunks:
        raise IndexOutOfStep(
            f"The index holds {held:,} of the {chunks:,} chunks of generation {active.number}; "
            "run `proband reconcile`."
        )
