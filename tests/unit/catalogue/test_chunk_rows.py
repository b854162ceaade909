from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from factories import RECIPE, chunk
from proband.catalogue.chunk_rows import (
    chunk_digest,
    facets_body,
    facets_digest,
    facets_from,
    text_digest,
)
from proband.model import DocumentKey, Facets, GeoPoint, SectionKind
from proband.text.reading import Span

FULL = Facets(
    status="RECRUITING",
    study_type="INTERVENTIONAL",
    phases=("PHASE1", "PHASE2"),
    sex="FEMALE",
    min_age_days=6574,
    max_age_days=9131,
    conditions=("zebra pox", "asthma"),
    sites=(GeoPoint(55.70584, 13.19321), GeoPoint(-1.5, 0.0)),
)


@pytest.mark.parametrize("facets", [Facets(), FULL])
def test_facets_come_back_from_their_body(facets: Facets) -> None:
    assert facets_from(facets_body(facets)) == facets


def test_places_are_written_as_latitude_and_longitude() -> None:
    assert facets_body(FULL)["sites"] == [[55.70584, 13.19321], [-1.5, 0.0]]


@pytest.mark.parametrize(
    "change",
    [
        {"document": DocumentKey("ctgov", "studies", ("NCT99000002",))},
        {"kind": SectionKind.EXCLUSION_CRITERION},
        {"ordinal": 2},
        {"part": 1},
        {"field": "title"},
        {"span": Span(1, 15)},
        {"text": "Age 19 or older"},
        {"embed_text": "Adults: Age 18 or older"},
        {"parents": ("Adults",)},
        {"labels": ("Adults",)},
        {"arms": ("Adults",)},
        {"document_text": "Adults"},
        {"exact": ("=nct99000001",)},
    ],
)
def test_every_field_of_a_chunk_changes_its_digest(change: dict[str, Any]) -> None:
    facets = facets_digest(FULL)
    assert chunk_digest(replace(chunk(), **change), facets, RECIPE) != chunk_digest(
        chunk(), facets, RECIPE
    )


def test_facets_change_the_digest_of_their_chunks() -> None:
    other = facets_digest(replace(FULL, status="COMPLETED"))
    assert other != facets_digest(FULL)
    assert chunk_digest(chunk(), other, RECIPE) != chunk_digest(
        chunk(), facets_digest(FULL), RECIPE
    )


def test_another_model_or_analyser_changes_the_digest() -> None:
    facets = facets_digest(FULL)
    digests = {chunk_digest(chunk(), facets, made_by) for made_by in ("m 1", "m 2", "n 1")}
    assert len(digests) == 3


def test_text_moved_between_two_fields_changes_the_digest() -> None:
    facets = facets_digest(FULL)
    joined = chunk_digest(chunk(parents=("a", "b")), facets, RECIPE)
    assert joined != chunk_digest(chunk(parents=("a",), labels=("b",)), facets, RECIPE)
    assert joined != chunk_digest(chunk(parents=("a b",)), facets, RECIPE)


def test_text_digest_is_the_sha256_of_utf_8() -> None:
    assert text_digest("").hex().startswith("e3b0c44298fc1c149afbf4c8996fb924")
    assert len(text_digest("≥ 18 år")) == 32
