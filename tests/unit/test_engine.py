from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from catalogues import new_catalogue
from factories import raw_study
from fakes import HashEmbedder
from proband.adapters.ctgov import RegistryApi
from proband.adapters.memory import MemoryIndex
from proband.engine import Engine, study
from proband.errors import (
    GenerationIncomplete,
    IndexOutOfStep,
    ManifestMismatch,
    SourceError,
    UsageError,
)
from proband.ingest.points import Analysis, Indexer
from proband.ingest.progress import Silent
from proband.manifests import check_counts, check_manifest, manifest_of
from proband.model import CRITERIA, AnyOf, Corpus, Field, Filter, GeoPoint, Question, View
from proband.settings import CatalogueSettings, Settings, SyncSettings
from proband.trials.fetched import Fetched, Place, Rejected, read_study
from proband.trials.registry import parse_study
from proband.trials.sync import Removed, StudyQuery
from proband.wiring import analysis
from standin_registry import StandinRegistry, standin_registry, updated_study

ASTHMA = "Inclusion Criteria:\n\n* Severe eosinophilic asthma\n\nExclusion Criteria:\n\n* Smoker"


def engine_over(embedder: HashEmbedder, terms: Analysis, folder: Path) -> Engine:
    index = MemoryIndex(manifest_of("hash", embedder, terms))
    indexer = Indexer(new_catalogue(folder), index, embedder, terms)
    return Engine(Settings(), "hash", indexer, ThreadPoolExecutor(2))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = engine_over(HashEmbedder(64), analysis(), tmp_path)
    yield opened
    opened.pool.shutdown()
    opened.catalogue.close()


def reading(*raws: Any) -> Callable[[Place | None], Iterable[Fetched | Rejected]]:
    """Delivers these records, from where an interrupted run had come to."""

    def read(after: Place | None) -> Iterator[Fetched | Rejected]:
        for ordinal, raw in enumerate(raws, 1):
            if after is None or ordinal > after.ordinal:
                found = read_study(raw, f"record {ordinal}")
                yield found if isinstance(found, Rejected) else Fetched(found, Place("f", ordinal))

    return read


def asthma(nct_id: str = "NCT99000002", **modules: Any) -> dict[str, Any]:
    return raw_study(nct_id, eligibilityModule={"eligibilityCriteria": ASTHMA}, **modules)


def found_ids(engine: Engine, text: str, generation: int | None = None) -> list[str]:
    result = engine.search(Question(text), engine.seen(generation))
    return [hit.document.parts[0] for hit in result.hits]


def test_import_makes_studies_searchable_and_counts_what_it_did(engine: Engine) -> None:
    done = engine.import_studies("f", reading(raw_study(), asthma(), {"x": 1}), Silent())
    assert (done.generation, done.new, done.changed, done.unchanged) == (1, 2, 0, 0)
    assert [bad.where for bad in done.rejected] == ["record 3"]
    assert found_ids(engine, "severe eosinophilic asthma")[0] == "NCT99000002"


def test_passage_is_a_slice_of_the_published_text(engine: Engine) -> None:
    engine.import_studies("f", reading(asthma()), Silent())
    hit = engine.search(Question("severe eosinophilic asthma"), 1).hits[0]
    passage = next(found for found in hit.passages if found.field == "eligibilityCriteria")
    assert passage.span.of(ASTHMA) == passage.text == "Severe eosinophilic asthma"


def test_context_is_of_the_generation_of_the_search(engine: Engine) -> None:
    lines = "\n".join(f"* Rule {number}" for number in range(8))
    before = ASTHMA.replace("Inclusion Criteria:\n", f"Inclusion Criteria:\n\n{lines}")
    for published in (before, before.replace("Rule", "Law")):
        changed = raw_study("NCT99000002", eligibilityModule={"eligibilityCriteria": published})
        engine.import_studies(published, reading(changed), Silent())
    question = Question("severe eosinophilic asthma", Filter((AnyOf(Field.KIND, CRITERIA),)))
    for generation, word in ((1, "Rule"), (2, "Law")):
        around = engine.contexts(engine.search(question, generation), 100)
        texts = [one.text for context in around.values() for one in context.slices]
        assert len(texts) >= 5
        assert {text.split()[0] for text in texts} <= {word, "Severe", "Smoker"}


def test_same_import_again_embeds_nothing_and_makes_no_generation(engine: Engine) -> None:
    engine.import_studies("f", reading(raw_study(), asthma()), Silent())
    done = engine.import_studies("f", reading(raw_study(), asthma()), Silent())
    assert (done.generation, done.unchanged) == (1, 2)
    assert (done.indexed.new, done.indexed.embedded) == (0, 0)


def test_first_import_without_a_study_makes_nothing_visible(engine: Engine) -> None:
    with pytest.raises(
        SourceError, match=r"No study was read from f.*first of 1 not read: record 1"
    ):
        engine.import_studies("f", reading({"x": 1}), Silent())
    with pytest.raises(SourceError, match="No studies are imported yet"):
        engine.seen(None)
    assert engine.import_studies("f", reading(asthma()), Silent()).generation == 1


def test_file_with_an_older_record_does_not_replace_a_newer_one(engine: Engine) -> None:
    def updated(day: str, status: str) -> Any:
        module = {"overallStatus": status, "lastUpdatePostDateStruct": {"date": day}}
        return asthma(statusModule=module)

    engine.import_studies("new", reading(updated("2026-06-01", "COMPLETED")), Silent())
    done = engine.import_studies("old", reading(updated("2020-01", "RECRUITING")), Silent())
    assert (done.changed, done.unchanged) == (0, 1)
    assert [str(bad) for bad in done.rejected] == [
        "NCT99000002: older than the stored record, which stays"
    ]
    newer = engine.import_studies("newer", reading(updated("2026-06", "SUSPENDED")), Silent())
    assert newer.changed == 1


def test_changed_study_touches_only_its_own_chunks(engine: Engine) -> None:
    engine.import_studies("f", reading(raw_study(), asthma()), Silent())
    changed = asthma(statusModule={"overallStatus": "COMPLETED"})
    before = engine.indexer.index.count(View(1, Filter()))
    done = engine.import_studies("f", reading(raw_study(), changed), Silent())
    assert (done.generation, done.changed, done.unchanged) == (2, 1, 1)
    assert done.indexed.new == done.indexed.expired == 3
    assert done.indexed.embedded == 0
    assert engine.indexer.index.count(View(2, Filter())) == before


def test_older_generation_reads_as_it_was(engine: Engine) -> None:
    engine.import_studies("f", reading(asthma()), Silent())
    engine.import_studies(
        "f", reading(asthma(statusModule={"overallStatus": "COMPLETED"})), Silent()
    )
    statuses = [study(engine.catalogue, "NCT99000002", number) for number in (1, 2)]
    assert [found and found.status for found in statuses] == ["RECRUITING", "COMPLETED"]
    with pytest.raises(UsageError, match="Generation 7 cannot be read"):
        engine.seen(7)


class Broken(Exception):
    """Stands for a crash."""


def test_interrupted_import_shows_nothing_and_goes_on_where_it_stopped(engine: Engine) -> None:
    slow = replace(engine, settings=Settings(catalogue=CatalogueSettings(batch=1)))
    places: list[Place | None] = []

    def breaking(after: Place | None) -> Iterator[Fetched | Rejected]:
        places.append(after)
        yield from reading(raw_study())(after)
        raise Broken

    with pytest.raises(Broken):
        slow.import_studies("f", breaking, Silent())
    with pytest.raises(SourceError, match="No studies are imported yet"):
        engine.seen(None)

    def going_on(after: Place | None) -> Iterable[Fetched | Rejected]:
        places.append(after)
        return reading(raw_study(), asthma())(after)

    done = slow.import_studies("f", going_on, Silent())
    assert places == [None, Place("f", 1)]
    assert (done.resumed, done.new, done.indexed.documents) == (True, 1, 2)
    assert sorted(found_ids(engine, "asthma adults")) == ["NCT99000001", "NCT99000002"]


def broken_off(engine: Engine, source: str, digest: str | None = None) -> None:
    """Leaves an import of one study unfinished."""

    def breaking(after: Place | None) -> Iterator[Fetched | Rejected]:
        yield from reading(raw_study())(after)
        raise Broken

    slow = replace(engine, settings=Settings(catalogue=CatalogueSettings(batch=1)))
    with pytest.raises(Broken):
        slow.import_studies(source, breaking, Silent(), digest)


def test_half_a_source_never_becomes_visible_beside_another(engine: Engine) -> None:
    broken_off(engine, "half")
    with pytest.raises(GenerationIncomplete, match="import of half was broken off"):
        engine.import_studies("other", reading(asthma()), Silent())
    with pytest.raises(GenerationIncomplete, match="reconcile --roll-back"):
        engine.index(Silent())
    with pytest.raises(SourceError, match="No studies are imported yet"):
        engine.seen(None)
    engine.roll_back()
    assert engine.import_studies("other", reading(asthma()), Silent()).new == 1
    assert found_ids(engine, "asthma adults") == ["NCT99000002"]


def test_unfinished_import_of_a_source_that_changed_begins_anew(engine: Engine) -> None:
    broken_off(engine, "f", "before")
    done = engine.import_studies("f", reading(asthma("NCT99000003")), Silent(), "after")
    assert (done.new, done.resumed) == (1, False)
    assert found_ids(engine, "asthma adults") == ["NCT99000003"]


def test_unfinished_generation_can_be_indexed_or_given_up(engine: Engine) -> None:
    assert engine.index(Silent()) is None
    built = engine.catalogue.begin(Corpus.TRIALS, "import", engine.manifest)
    engine.catalogue.store_studies(built, [parse_study(asthma())])
    given_up = engine.roll_back()
    assert given_up is not None
    assert engine.catalogue.active(built.corpus) is None
    assert engine.index(Silent()) is None


def test_rebuild_makes_all_chunks_anew_and_reuses_their_vectors(engine: Engine) -> None:
    engine.import_studies("f", reading(asthma()), Silent())
    newer = replace(engine.indexer.analysis, version=engine.indexer.analysis.version + 1)
    other = replace(engine, indexer=replace(engine.indexer, analysis=newer))
    with pytest.raises(ManifestMismatch, match=r"another analyser .*index --rebuild"):
        check_manifest(engine.indexer.index.manifest(), other.manifest)
    done = other.rebuild(Silent())
    assert (done.generation, done.indexed.new, done.indexed.embedded) == (2, 3, 0)
    check_manifest(engine.indexer.index.manifest(), other.manifest)
    assert found_ids(other, "severe eosinophilic asthma") == ["NCT99000002"]


def test_rebuild_into_an_emptied_index_retires_what_it_does_not_hold(engine: Engine) -> None:
    engine.import_studies("f", reading(raw_study()), Silent())
    engine.import_studies("f", reading(raw_study(), asthma()), Silent())
    engine.indexer.index.remove(list(engine.indexer.index.ids()))
    with pytest.raises(IndexOutOfStep, match=r"holds 0 of the \d+ chunks .*proband reconcile"):
        check_counts(engine.catalogue, engine.indexer.index)
    assert engine.rebuild(Silent()).generation == 2
    check_counts(engine.catalogue, engine.indexer.index)
    assert engine.reconcile(repair=False).agrees
    with pytest.raises(UsageError, match="these can: \\[2\\]"):
        engine.seen(1)


def test_vacuum_keeps_what_kept_generations_see(engine: Engine) -> None:
    for status in ("RECRUITING", "SUSPENDED", "COMPLETED"):
        engine.import_studies(
            "f", reading(asthma(statusModule={"overallStatus": status})), Silent()
        )
    engine.vacuum(keep=1)
    assert found_ids(engine, "severe eosinophilic asthma") == ["NCT99000002"]
    with pytest.raises(UsageError, match="these can: \\[3\\]"):
        engine.seen(2)
    assert engine.reconcile(repair=False).agrees


def test_lost_points_are_found_and_written_again(engine: Engine) -> None:
    engine.import_studies("f", reading(asthma()), Silent())
    index = engine.indexer.index
    index.remove(list(index.ids())[:2])
    assert len(engine.reconcile(repair=True).missing) == 2
    assert engine.reconcile(repair=False).agrees


def test_old_id_shows_the_study_that_has_it_now(engine: Engine) -> None:
    module = {"nctId": "NCT99000005", "nctIdAliases": ["NCT99000905"], "briefTitle": "T"}
    engine.import_studies("f", reading(raw_study(identificationModule=module)), Silent())
    found = study(engine.catalogue, "NCT99000905", 1)
    assert found is not None
    assert found.nct_id == "NCT99000005"
    assert study(engine.catalogue, "NCT99000999", 1) is None


def located(*cities: tuple[str, str, float, float]) -> dict[str, Any]:
    locations = [
        {"city": city, "country": country, "geoPoint": {"lat": latitude, "lon": longitude}}
        for city, country, latitude, longitude in cities
    ]
    return raw_study(contactsLocationsModule={"locations": locations})


def test_place_is_where_the_sites_of_that_city_are(engine: Engine) -> None:
    both = located(("Leeds", "United Kingdom", 53.8, -1.5), ("York", "United Kingdom", 54.0, -1.1))
    engine.import_studies("f", reading(both), Silent())
    assert engine.place("leeds", 1) == GeoPoint(53.8, -1.5)
    with pytest.raises(UsageError, match="No site is in a city called 'Atlantis'"):
        engine.place("Atlantis", 1)


def test_ambiguous_place_asks_back(engine: Engine) -> None:
    both = located(
        ("Boston", "United States", 42.4, -71.1), ("Boston", "United Kingdom", 53.0, 0.0)
    )
    engine.import_studies("f", reading(both), Silent())
    with pytest.raises(UsageError, match=r"Boston, United Kingdom .*; Boston, United States"):
        engine.place("Boston", 1)
    assert engine.place("Boston, United Kingdom", 1) == GeoPoint(53.0, 0.0)


# --- sync, against the stand-in registry


@pytest.fixture
def registry() -> Iterator[StandinRegistry]:
    with standin_registry() as running:
        running.add(
            updated_study("NCT99000001", "2026-08-01"), updated_study("NCT99000002", "2026-09-01")
        )
        yield running


def sync(
    engine: Engine, registry: StandinRegistry, query: StudyQuery, *, sweep: bool = True
) -> Any:
    settings = SyncSettings(base_url=registry.url, requests_per_second=10)
    with RegistryApi(settings) as api:
        return engine.sync_studies(query, api, Silent(), sweep=sweep)


def test_second_sync_asks_only_for_what_was_updated_since(
    engine: Engine, registry: StandinRegistry
) -> None:
    first, _ = sync(engine, registry, StudyQuery())
    assert (first.new, first.removed) == (2, 0)
    registry.add(updated_study("NCT99000003", "2026-09-05"))
    registry.refresh("2026-09-05T09:00:06")
    registry.asked.clear()
    second, _ = sync(engine, registry, StudyQuery(), sweep=False)
    assert (second.new, second.unchanged) == (1, 0)
    assert "RANGE[2026-09-02,MAX]" in registry.pages_asked()[0]["filter.advanced"]


def test_sync_removes_what_the_registry_no_longer_has_and_nothing_else(
    engine: Engine, registry: StandinRegistry
) -> None:
    engine.import_studies("mine", reading(raw_study("NCT99000009")), Silent())
    sync(engine, registry, StudyQuery())
    del registry.studies["NCT99000001"]
    registry.refresh("2026-09-05T09:00:06")
    done, gone = sync(engine, registry, StudyQuery())
    assert (done.removed, gone) == (1, Removed(("NCT99000001",)))
    marks = engine.catalogue.study_marks(done.generation)
    assert [mark.nct_id for mark in marks] == ["NCT99000002", "NCT99000009"]


def test_sync_from_a_given_day_leaves_the_remembered_day_alone(
    engine: Engine, registry: StandinRegistry
) -> None:
    sync(engine, registry, StudyQuery(since=date(2026, 9, 1)), sweep=False)
    assert engine.catalogue.last_sync(StudyQuery().name) is None
