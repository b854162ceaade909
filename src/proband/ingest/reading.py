"""Whether each source of an unfinished generation was read to its end: half of one must never become visible."""

from __future__ import annotations

from proband.catalogue.catalogue import Catalogue
from proband.errors import GenerationIncomplete
from proband.model import Corpus

WHOLE = "whole"
"""The position of a checkpoint whose source was read to its end."""

STARTED = ""
"""The position of a checkpoint whose source is read anew when it was broken off."""


def require_read(catalogue: Catalogue, corpus: Corpus, except_for: str = "") -> None:
    """Raises GenerationIncomplete when the unfinished generation holds a source that was not read to its end."""
    building = catalogue.building(corpus)
    if building is None:
        return
    for source, reached in catalogue.checkpoints(building).items():
        if source != except_for and reached.position != WHOLE:
            raise GenerationIncomplete(
                f"The import of {source} was broken off; repeat it, and it goes on where it stopped, "
                "or give it up with `proband reconcile --roll-back`."
            )
