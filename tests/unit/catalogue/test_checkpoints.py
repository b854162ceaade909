from __future__ import annotations

from factories import study
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.checkpoints import Checkpoint
from proband.catalogue.generations import Generation
from proband.model import Corpus
from proband.ports import Manifest


def test_last_checkpoint_of_each_source_is_kept(catalogue: Catalogue, built: Generation) -> None:
    for reached in (
        Checkpoint("a.json", "500", "digest a"),
        Checkpoint("b.json", "500"),
        Checkpoint("a.json", "1000", "digest a"),
    ):
        catalogue.store_studies(built, [study()], reached)
    assert catalogue.checkpoints(built) == {
        "a.json": Checkpoint("a.json", "1000", "digest a"),
        "b.json": Checkpoint("b.json", "500"),
    }


def test_checkpoint_is_kept_when_every_study_was_unchanged(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [], Checkpoint("empty.json", "0"))
    assert catalogue.checkpoints(built) == {"empty.json": Checkpoint("empty.json", "0")}


def test_checkpoints_survive_resuming_and_belong_to_one_corpus(
    catalogue: Catalogue, built: Generation, manifest: Manifest
) -> None:
    catalogue.store_studies(built, [], Checkpoint("a.json", "500"))
    resumed = catalogue.begin(Corpus.TRIALS, "import", manifest)
    records = catalogue.begin(Corpus.RECORDS, "import", manifest)
    assert list(catalogue.checkpoints(resumed)) == ["a.json"]
    assert catalogue.checkpoints(records) == {}
