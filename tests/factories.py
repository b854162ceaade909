"""Builders with defaults, so that a test states only what matters to it."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import numpy as np

from proband.model import (
    Chunk,
    ChunkId,
    Document,
    DocumentKey,
    Facets,
    Float32Vector,
    Point,
    Section,
    SectionKind,
    SparseVector,
)
from proband.text.reading import Span, plain
from proband.trials.registry import parse_study
from proband.trials.study import Study

RECIPE = "hash-words-16 1"
"""What `ingest.identity.recipe` says of the fake embedder and the first analyser."""

CRITERIA = "Inclusion Criteria:\n\n* Age 18 or older\n\nExclusion Criteria:\n\n* Pregnancy"


def raw_study(nct_id: str = "NCT99000001", **modules: dict[str, Any]) -> dict[str, Any]:
    """An API v2 object with an id, a title, a status and criteria; `modules` are added or replace the default ones."""
    protocol: dict[str, Any] = {
        "identificationModule": {"nctId": nct_id, "briefTitle": "Imaginol in Adults"},
        "statusModule": {"overallStatus": "RECRUITING"},
        "eligibilityModule": {"eligibilityCriteria": CRITERIA},
    }
    return {"protocolSection": protocol | modules}


def study(nct_id: str = "NCT99000001", **modules: dict[str, Any]) -> Study:
    """The study that `raw_study` describes."""
    return parse_study(raw_study(nct_id, **modules))


def section(
    text: str = "Age 18 or older",
    kind: SectionKind = SectionKind.INCLUSION_CRITERION,
    ordinal: int = 1,
    prefix: str = "",
) -> Section:
    """A section that was published as `text` alone; `prefix` stands before it in what is embedded."""
    return Section(kind, ordinal, "text", plain(text), prefix + plain(text).text)


def document(name: str = "NCT99000001", *sections: Section, **facets: Any) -> Document:
    """A document of these sections with these facets."""
    key = DocumentKey("ctgov", "studies", (name,))
    return Document(key, sections or (section(),), Facets(**facets))


def chunk(text: str = "Age 18 or older", name: str = "NCT99000001", **fields: Any) -> Chunk:
    """A chunk of document `name` whose span is all of `text`; `fields` replace others."""
    whole = Chunk(
        document=DocumentKey("ctgov", "studies", (name,)),
        kind=SectionKind.INCLUSION_CRITERION,
        ordinal=1,
        part=0,
        field="text",
        span=Span(0, len(text)),
        text=text,
        embed_text=text,
        facets=Facets(),
    )
    return replace(whole, **fields)


DIMENSIONS = 512
"""So many that a single point is large enough for Qdrant Edge to build a segment of it."""


def vector(*components: float) -> Float32Vector:
    """A vector with these first components and zeros after them."""
    made = np.zeros(DIMENSIONS, np.float32)
    made[: len(components)] = components
    return made


def point(number: int, **fields: Any) -> Point:
    """The point whose id ends in `number`, born in generation 1; `fields` replace others.

    Its vector turns with the number, so that no two of the first thousand are equally near to anything.
    """
    whole = Point(
        id=chunk_id(number),
        document="ctgov/studies/NCT99000001",
        kind=SectionKind.INCLUSION_CRITERION,
        ordinal=1,
        dense=vector(np.cos(number / 1000), np.sin(number / 1000)),
        sparse=SparseVector((1,), (1.0,)),
        exact=(),
        facets=Facets(),
        born=1,
    )
    return replace(whole, **fields)


def chunk_id(number: int) -> ChunkId:
    """Ids in the order of their numbers."""
    return ChunkId(str(uuid.UUID(int=number)))
