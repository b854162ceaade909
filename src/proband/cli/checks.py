"""The checks of `proband doctor`, in the order in which a failure of one explains those after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proband.errors import ProbandError
from proband.model import Corpus, Filter, View
from proband.wiring import (
    Home,
    check_index,
    gates,
    manifest,
    model_store,
    open_catalogue,
    open_index,
    read_home,
)
from proband.wiring import embedder as open_embedder

if TYPE_CHECKING:
    from proband.catalogue.catalogue import Catalogue
    from proband.ports import Manifest

TRIALS = Corpus.TRIALS


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: whether it is right, and in one sentence what was seen or what to do."""

    name: str
    ok: bool
    says: str


def examine() -> Iterator[Check]:
    """Looks at settings, home, model, catalogue and index, and compares them. Ends at what makes the rest moot."""
    try:
        home = read_home()
    except ProbandError as error:
        yield Check("settings", False, str(error))
        return
    yield Check(
        "settings", True, f"{home.folder}, {'offline' if home.settings.offline else 'online'}"
    )
    yield _model(home)
    with ExitStack() as opened:
        try:
            yield from _stores(home, opened)
        except ProbandError as error:
            yield Check("stores", False, str(error))


def _model(home: Home) -> Check:
    try:
        store = model_store(home)
        card = store.card(home.settings.model.dense)
        wrong = [check for check in store.verify(card) if check.state != "present"]
    except ProbandError as error:
        return Check("model", False, str(error))
    if not wrong:
        return Check("model", True, f"{card.name}, every byte as published")
    files = ", ".join(f"{check.file.name} {check.state}" for check in wrong)
    source = " --from DIRECTORY" if home.settings.offline else ""
    return Check(
        "model",
        False,
        f"{card.name}: {files}; `proband models pull {card.name}{source}` brings what is published",
    )


def _gate(home: Home, catalogue: Catalogue, fitting: Manifest, generation: int) -> Check:
    """A broken calibration stops every search; one that does not fit is no fault."""
    try:
        uncertified = gates(home, catalogue, fitting).of(generation).uncertified
    except ProbandError as error:
        return Check("gate", False, str(error))
    return Check("gate", True, f"uncertified: {uncertified}" if uncertified else "certified")


def _stores(home: Home, opened: ExitStack) -> Iterator[Check]:
    from proband.ingest.reconcile import compare

    catalogue = opened.enter_context(open_catalogue())
    active, building = catalogue.active(TRIALS), catalogue.building(TRIALS)
    if active is None:
        yield Check("catalogue", True, "no studies yet; run `proband trials import PATH`")
    else:
        studies = catalogue.study_count(active.number)
        yield Check("catalogue", True, f"generation {active.number}, {studies:,} studies")
    if building:
        waiting = catalogue.waiting_count(building)
        yield Check(
            "import",
            False,
            f"generation {building.number} is unfinished, {waiting:,} documents wait; import again, "
            "run `proband index`, or give it up with `proband reconcile --roll-back`",
        )
    index = open_index(home, "proband doctor")
    opened.callback(index.close)
    try:
        model = open_embedder(home)
        check_index(home, index, model)
        if active:  # a damaged file shows when vectors are read
            index.dense(model.embed_query("age"), View(active.number, Filter()), 10)
        yield Check("index", True, f"model {index.manifest().model}, analyser and chunker fit")
        if active:
            yield _gate(home, catalogue, manifest(home, model), active.number)
    except ProbandError as error:
        yield Check("index", False, str(error))
    if active:
        held = index.count(View(active.number, Filter()))
        chunks = catalogue.counts(TRIALS, active.number).chunks
        yield Check(
            "counts", held == chunks, f"{chunks:,} chunks in the catalogue, {held:,} in the index"
        )
    found = compare(catalogue, index, TRIALS)
    yield Check(
        "agreement",
        found.agrees,
        "catalogue and index hold the same"
        if found.agrees
        else f"{len(found.missing):,} chunks missing in the index, {len(found.orphaned):,} unknown to the "
        f"catalogue, {len(found.misdated):,} with other lifetimes; run `proband reconcile`",
    )
