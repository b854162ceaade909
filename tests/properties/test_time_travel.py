"""Any order of imports: each kept generation reads exactly its own documents, in catalogue and index alike."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bench import TRIALS, Bench, lines
from catalogues import new_catalogue
from proband.catalogue.catalogue import Changes
from proband.catalogue.generations import Generation
from proband.errors import CatalogueError
from proband.ingest.generation import roll_back
from proband.ingest.reconcile import compare
from proband.ingest.vacuum import vacuum

NAMES = tuple(f"NCT9900000{number}" for number in range(1, 5))
TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d e", " ".join("fghijklmnopqrst")]), max_size=3)
STUDIES = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(TEXTS, st.sampled_from(["RECRUITING", "COMPLETED"]))
)
Corpus = dict[str, tuple[tuple[str, ...], str]]


class Imports(RuleBasedStateMachine):
    """Imports against a model that keeps a plain copy of every generation."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.catalogue = new_catalogue(Path(self.folder.name))
        self.bench = Bench(self.catalogue)
        self.kept: dict[int, Corpus] = {}
        self.coming: Corpus | None = None

    @initialize(studies=STUDIES)
    def first_import(self, studies: dict[str, tuple[list[str], str]]) -> None:
        self.store(studies)
        self.finish()

    @rule(studies=STUDIES, removed=st.sets(st.sampled_from(NAMES), max_size=2))
    def store(
        self, studies: dict[str, tuple[list[str], str]], removed: frozenset[str] = frozenset()
    ) -> None:
        """Stores into the generation being built, whether it is a new or an unfinished one."""
        built = self.bench.begin()
        before = self.kept[max(self.kept)] if self.kept else {}
        coming = dict(before if self.coming is None else self.coming)
        found = {name: (tuple(texts), status) for name, (texts, status) in studies.items()}
        self.catalogue.store_studies(
            built, [lines(name, *texts, status=status) for name, (texts, status) in found.items()]
        )
        self.catalogue.remove_studies(built, removed)
        coming |= found
        self.coming = {name: study for name, study in coming.items() if name not in removed}

    @precondition(lambda self: self.coming is not None)
    @rule(after=st.integers(0, 2))
    def lose_power(self, after: int) -> None:
        """Drains until the commit of one batch is lost: its points are in the index, its rows are not."""
        committed = 0

        def commit(built: Generation, changes: Changes) -> None:
            nonlocal committed
            if committed == after:
                raise CatalogueError("power cut")
            committed += 1
            type(self.catalogue).commit(self.catalogue, built, changes)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(self.catalogue, "commit", commit)
            with suppress(CatalogueError):
                self.bench.index_all(self.bench.begin())

    @precondition(lambda self: self.coming is not None)
    @rule()
    def finish(self) -> None:
        built = self.bench.begin()
        self.bench.index_all(built)
        visible = self.bench.finish(built)
        assert self.coming is not None
        if visible.number not in self.kept:
            self.kept[visible.number] = self.coming
        assert self.kept[visible.number] == self.coming
        self.coming = None
        assert compare(self.catalogue, self.bench.index, TRIALS).agrees

    @precondition(lambda self: self.coming is not None)
    @rule()
    def give_up(self) -> None:
        roll_back(self.catalogue, self.bench.index, self.bench.begin())
        self.coming = None
        assert compare(self.catalogue, self.bench.index, TRIALS).agrees

    @precondition(lambda self: self.kept)
    @rule(keep=st.integers(1, 3))
    def vacuum(self, keep: int) -> None:
        vacuum(self.catalogue, self.bench.index, TRIALS, keep)
        self.kept = {number: self.kept[number] for number in sorted(self.kept)[-keep:]}

    @invariant()
    def every_kept_generation_reads_as_it_was(self) -> None:
        assert [found.number for found in self.catalogue.readable(TRIALS)] == sorted(
            self.kept, reverse=True
        )
        for number, corpus in self.kept.items():
            texts = {name: shown(texts) for name, (texts, _) in corpus.items() if shown(texts)}
            assert self.bench.catalogue_texts(number) == texts
            assert self.bench.index_texts(number) == texts
            cards = self.catalogue.studies(NAMES, number)
            assert {name: card.status for name, card in cards.items()} == {
                name: status for name, (_, status) in corpus.items()
            }
            assert self.statuses_in_index(number) == {
                name: {status} for name, (texts, status) in corpus.items() if shown(texts)
            }

    def statuses_in_index(self, number: int) -> dict[str, set[str]]:
        alive = [i for i, (born, died) in self.bench.index.ids().items() if born <= number < died]
        found: dict[str, set[str]] = {}
        for point in self.bench.index.fetch(alive).values():
            found.setdefault(point.document.rsplit("/", 1)[1], set()).add(point.facets.status)
        return found

    def teardown(self) -> None:
        self.catalogue.close()
        self.folder.cleanup()


def shown(texts: tuple[str, ...]) -> list[str]:
    """The chunks of these texts: the long one is cut in the middle."""
    cut = {" ".join("fghijklmnopqrst"): ["f g h i j k l m n o", "n o p q r s t"]}
    return [part for text in texts for part in cut.get(text, [text])]


TestImports = Imports.TestCase
TestImports.settings = settings(max_examples=30, stateful_step_count=12, deadline=None)
