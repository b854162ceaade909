from __future__ import annotations

from dataclasses import replace

import pytest

from factories import study
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.checkpoints import Checkpoint
from proband.catalogue.generations import Counts, Generation, GenerationState
from proband.errors import CatalogueError, ManifestMismatch
from proband.model import Corpus
from proband.ports import Manifest

TRIALS = Corpus.TRIALS


def activated(catalogue: Catalogue, manifest: Manifest, *nct_ids: str) -> Generation:
    """One more visible generation, with these studies new or as they were."""
    built = catalogue.begin(TRIALS, "import", manifest)
    catalogue.store_studies(built, [study(nct_id) for nct_id in nct_ids])
    return catalogue.activate(built, Counts(len(nct_ids), 0))


def states(catalogue: Catalogue) -> dict[int, GenerationState]:
    with catalogue._reading() as connection:
        rows = connection.exec_driver_sql("SELECT number, state FROM generation ORDER BY number")
        return {number: GenerationState(state) for number, state in rows}


def test_new_catalogue_has_no_generation(catalogue: Catalogue) -> None:
    assert catalogue.active(TRIALS) is None
    assert catalogue.building(TRIALS) is None
    assert catalogue.readable(TRIALS) == ()


def test_first_generation_is_number_one_and_is_not_visible_while_it_is_built(
    catalogue: Catalogue, built: Generation, manifest: Manifest
) -> None:
    assert (built.number, built.state, built.runs) == (1, GenerationState.BUILDING, 1)
    assert built.manifest == manifest
    assert built.counts is None
    assert not built.resumed
    assert catalogue.active(TRIALS) is None
    assert catalogue.building(TRIALS) == built


def test_beginning_again_resumes_the_unfinished_generation(
    catalogue: Catalogue, built: Generation, manifest: Manifest
) -> None:
    again = catalogue.begin(TRIALS, "sync", manifest)
    assert (again.number, again.runs, again.cause) == (built.number, 2, "sync")
    assert again.resumed
    assert again.created_at == built.created_at


@pytest.mark.parametrize(
    "change",
    [
        {"model_digest": "other"},
        {"dimensions": 32},
        {"analyser_version": 2},
        {"chunker_version": 2},
    ],
)
def test_unfinished_generation_is_not_resumed_with_another_manifest(
    catalogue: Catalogue, built: Generation, manifest: Manifest, change: dict[str, object]
) -> None:
    with pytest.raises(ManifestMismatch, match="Generation 1 was begun with model hash"):
        catalogue.begin(TRIALS, "import", replace(manifest, **change))  # type: ignore[arg-type]
    assert catalogue.building(TRIALS) == built


def test_activation_makes_one_generation_visible_and_retires_the_one_before(
    catalogue: Catalogue, manifest: Manifest
) -> None:
    activated(catalogue, manifest, "NCT99000001")
    second = activated(catalogue, manifest, "NCT99000002")
    assert catalogue.active(TRIALS) == second
    assert (second.number, second.counts) == (2, Counts(1, 0))
    assert second.activated_at is not None
    assert second.activated_at >= second.created_at
    assert [found.number for found in catalogue.readable(TRIALS)] == [2, 1]
    assert states(catalogue) == {1: GenerationState.RETIRED, 2: GenerationState.ACTIVE}


def test_generation_is_activated_only_once(catalogue: Catalogue, built: Generation) -> None:
    catalogue.activate(built, Counts(0, 0))
    with pytest.raises(CatalogueError, match="Generation 1 of trials is not being built any more"):
        catalogue.activate(built, Counts(0, 0))
    assert states(catalogue) == {1: GenerationState.ACTIVE}


def test_failed_activation_leaves_the_visible_generation_visible(
    catalogue: Catalogue, manifest: Manifest
) -> None:
    first = activated(catalogue, manifest, "NCT99000001")
    given_up = catalogue.begin(TRIALS, "import", manifest)
    catalogue.roll_back(given_up)
    with pytest.raises(CatalogueError, match="not being built"):
        catalogue.activate(given_up, Counts(0, 0))
    assert catalogue.active(TRIALS) == first


def test_activation_ends_the_run_with_its_checkpoints_and_entries(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study()], Checkpoint("a.json", "1"))
    catalogue.activate(built, Counts(1, 0))
    assert catalogue.checkpoints(built) == {}
    assert catalogue.waiting_count(built) == 0


def test_roll_back_restores_every_study_as_it_was(catalogue: Catalogue, manifest: Manifest) -> None:
    first = activated(catalogue, manifest, "NCT99000001", "NCT99000002", "NCT99000003")
    before = catalogue.study_marks(first.number)
    built = catalogue.begin(TRIALS, "import", manifest)
    changed = study("NCT99000001", statusModule={"overallStatus": "COMPLETED"})
    catalogue.store_studies(built, [changed, study("NCT99000004")], Checkpoint("a.json", "2"))
    catalogue.remove_studies(built, ["NCT99000002"])
    catalogue.roll_back(built)
    assert catalogue.study_marks(first.number) == before
    assert catalogue.study_marks(built.number) == before
    assert catalogue.checkpoints(built) == {}
    assert states(catalogue)[built.number] is GenerationState.ROLLED_BACK


def test_number_of_a_generation_that_was_given_up_is_not_used_again(
    catalogue: Catalogue, built: Generation, manifest: Manifest
) -> None:
    catalogue.roll_back(built)
    assert catalogue.begin(TRIALS, "import", manifest).number == 2


def test_generation_without_writes_is_unchanged_and_can_be_discarded(
    catalogue: Catalogue, manifest: Manifest
) -> None:
    first = activated(catalogue, manifest, "NCT99000001")
    built = catalogue.begin(TRIALS, "import", manifest)
    catalogue.store_studies(built, [study("NCT99000001")], Checkpoint("a.json", "1"))
    assert catalogue.is_unchanged(built)
    catalogue.discard(built)
    assert states(catalogue) == {first.number: GenerationState.ACTIVE}
    assert catalogue.checkpoints(built) == {}


@pytest.mark.parametrize("nct_id", ["NCT99000001", "NCT99000002"])
def test_changed_removed_or_new_study_makes_a_generation_changed(
    catalogue: Catalogue, manifest: Manifest, nct_id: str
) -> None:
    activated(catalogue, manifest, "NCT99000001")
    built = catalogue.begin(TRIALS, "import", manifest)
    catalogue.store_studies(built, [study(nct_id, statusModule={"overallStatus": "COMPLETED"})])
    assert not catalogue.is_unchanged(built)


def test_corpora_have_generations_of_their_own(
    catalogue: Catalogue, built: Generation, manifest: Manifest
) -> None:
    records = catalogue.begin(Corpus.RECORDS, "import", manifest)
    assert records.number == 1
    catalogue.store_studies(built, [study()])
    assert catalogue.is_unchanged(records)
    catalogue.activate(records, Counts(0, 0))
    assert catalogue.building(TRIALS) == built
    assert catalogue.active(TRIALS) is None


def test_generations_beyond_the_kept_ones_cannot_be_read_any_more(
    catalogue: Catalogue, manifest: Manifest
) -> None:
    for nct_id in ("NCT99000001", "NCT99000002", "NCT99000003"):
        activated(catalogue, manifest, nct_id)
    assert catalogue.retire_beyond(TRIALS, 2) == (3, 2)
    assert [found.number for found in catalogue.readable(TRIALS)] == [3, 2]
    assert states(catalogue)[1] is GenerationState.VACUUMED
    assert catalogue.retire_beyond(TRIALS, 5) == (3, 2)
