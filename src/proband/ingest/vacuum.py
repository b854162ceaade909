"""Removing what no kept generation can see."""

from __future__ import annotations

from proband.catalogue.catalogue import Catalogue
from proband.catalogue.vacuum import Vacuumed
from proband.model import Corpus
from proband.ports import IndexWriter


def vacuum(catalogue: Catalogue, index: IndexWriter, corpus: Corpus, keep: int) -> Vacuumed:
    """Keeps the `keep` newest readable generations and the one being built; how many rows went.

    The others become unreadable first, then their points go, then their rows: a kill in between leaves nothing that a
    reader could see half, and a next vacuum finishes the work.
    """
    kept = catalogue.retire_beyond(corpus, keep)
    building = catalogue.building(corpus)
    numbers = (*kept, building.number) if building else kept
    index.remove(catalogue.invisible_chunks(corpus, numbers))
    index.flush()
    removed = catalogue.remove_invisible(corpus, numbers)
    index.optimize()  # holes slow every search
    return removed
