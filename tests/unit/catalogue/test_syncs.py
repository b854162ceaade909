from __future__ import annotations

from factories import study
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.generations import Generation
from proband.catalogue.syncs import Synced


def test_query_that_was_never_asked_has_no_sync(catalogue: Catalogue) -> None:
    assert catalogue.last_sync("all studies") is None


def test_last_sync_of_a_query_replaces_the_one_before(catalogue: Catalogue) -> None:
    for day in ("2026-09-04T09:00:06", "2026-09-05T09:00:06"):
        catalogue.record_sync(Synced("condition pain", day))
    assert catalogue.last_sync("condition pain") == Synced("condition pain", "2026-09-05T09:00:06")


def test_only_living_studies_that_the_registry_delivered_are_named(
    catalogue: Catalogue, built: Generation
) -> None:
    catalogue.store_studies(built, [study("NCT99000001"), study("NCT99000002")])
    catalogue.deliver(["NCT99000002", "NCT99000003", "NCT99000002"])
    catalogue.deliver(["NCT99000002"])
    assert catalogue.delivered(built.number) == ("NCT99000002",)
