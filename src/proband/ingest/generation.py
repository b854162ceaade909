"""The end of an import: the built generation becomes visible, or is given up."""

from __future__ import annotations

from proband.catalogue.catalogue import Catalogue
from proband.catalogue.generations import Generation
from proband.errors import GenerationIncomplete
from proband.model import FOREVER, Filter, View
from proband.ports import IndexWriter


def finish(catalogue: Catalogue, index: IndexWriter, built: Generation) -> Generation:
    """The generation that readers see from now on: `built`, or the active one when `built` changed nothing.

    Raises GenerationIncomplete, and activates nothing, when documents still wait for the index or when catalogue and
    index do not hold the same number of chunks.
    """
    waiting = catalogue.waiting_count(built)
    if waiting:
        raise GenerationIncomplete(
            f"{waiting} documents of generation {built.number} still wait for the index; "
            "run `proband index` to go on."
        )
    active = catalogue.active(built.corpus)
    if active and active.manifest == built.manifest and catalogue.is_unchanged(built):
        catalogue.discard(built)
        return active
    index.flush()
    counts = catalogue.counts(built.corpus, built.number)
    held = index.count(View(built.number, Filter()))
    if held != counts.chunks:
        raise GenerationIncomplete(
            f"Generation {built.number} has {counts.chunks} chunks in the catalogue and {held} in "
            "the index, so it was not made visible; run `proband reconcile`, then `proband index`."
        )
    return catalogue.activate(built, counts)


def roll_back(catalogue: Catalogue, index: IndexWriter, built: Generation) -> None:
    """Gives up a generation that is being built; what readers see is not touched.

    The index goes first and is asked what it holds: a killed run may have written what the catalogue does not know.
    """
    held = index.ids()
    index.remove([found for found, (born, _) in held.items() if born == built.number])
    revived = [
        found
        for found, (born, died) in held.items()
        if died == built.number and born != built.number
    ]
    index.expire(revived, FOREVER)
    index.flush()
    catalogue.roll_back(built)
