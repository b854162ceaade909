from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import pytest

from factories import RECIPE, chunk
from proband.catalogue.chunk_rows import chunk_digest, facets_digest, text_digest
from proband.ingest.identity import chunk_id, identified, recipe
from proband.model import NAMESPACE, DocumentKey, Facets, SectionKind
from proband.ports import Manifest


def test_id_is_the_uuid_of_key_section_ordinal_part_and_text() -> None:
    digest = text_digest("Age 18 or older")
    name = f"ctgov/studies/NCT99000001/INCLUSION_CRITERION/1/0/{digest.hex()}"
    assert chunk_id(chunk(), digest) == str(uuid.uuid5(NAMESPACE, name))
    assert chunk_id(chunk(), digest, 7) == str(uuid.uuid5(NAMESPACE, name + "/7"))


@pytest.mark.parametrize(
    "change",
    [
        {"document": DocumentKey("ctgov", "studies", ("NCT99000002",))},
        {"kind": SectionKind.EXCLUSION_CRITERION},
        {"ordinal": 2},
        {"part": 1},
        {"embed_text": "Adults: Age 18 or older"},
    ],
)
def test_another_place_or_text_has_another_id(change: dict[str, Any]) -> None:
    (first,) = identified([chunk()], RECIPE)
    (other,) = identified([replace(chunk(), **change)], RECIPE)
    assert first.id != other.id


def test_facets_do_not_change_the_id_but_the_digest() -> None:
    (first,) = identified([chunk()], RECIPE)
    (other,) = identified([chunk(facets=Facets(status="COMPLETED"))], RECIPE)
    assert first.id == other.id
    assert first.digest != other.digest


def test_chunks_of_a_document_carry_their_digests_in_order() -> None:
    facets = Facets(status="RECRUITING")
    chunks = [chunk("A", facets=facets), chunk("B", ordinal=2, facets=facets)]
    found = identified(chunks, RECIPE)
    assert [new.chunk for new in found] == chunks
    assert {new.facets_digest for new in found} == {facets_digest(facets)}
    assert [new.text_digest for new in found] == [text_digest("A"), text_digest("B")]
    assert found[0].digest == chunk_digest(chunks[0], facets_digest(facets), RECIPE)
    assert identified([], RECIPE) == ()


def test_recipe_names_what_makes_the_vectors_and_not_the_chunker() -> None:
    manifest = Manifest("hash", "hash-words-16", 16, 1, 1)
    assert recipe(manifest) == RECIPE
    assert recipe(replace(manifest, chunker_version=2)) == RECIPE
    assert recipe(replace(manifest, analyser_version=2)) != RECIPE
    assert recipe(replace(manifest, model_digest="other")) != RECIPE
