"""A point as Qdrant holds it: named vectors and a payload. The same for Edge and for a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proband.model import (
    ChunkId,
    Corpus,
    Facets,
    Field,
    GeoPoint,
    Point,
    SectionKind,
    SparseVector,
)

DENSE = "dense"
SPARSE = "bm25"
DOCUMENT_TERMS = "document"
BORN = "born"
DIED = "died"
ORDINAL = "ordinal"

LABELS = "labels"
"""One payload field for the fields of few values, as `kind=TITLE`.

Edge keeps flags for each indexed field and segment: four fields fewer took 0.1 s off opening 354,546 points.
"""

ROW_LABELS = (Field.TABLE, Field.FACILITY, Field.SENSITIVITY)
LABELLED = (
    *(Field.KIND, Field.STATUS, Field.STUDY_TYPE, Field.PHASES, Field.SEX),
    *ROW_LABELS,
)
KEYWORDS = (Field.DOCUMENT, *LABELLED, Field.CONDITIONS, Field.EXACT, Field.PATIENT)
AGES = (Field.MIN_AGE_DAYS, Field.MAX_AGE_DAYS)
DAYS = (Field.FIRST_DAY, Field.LAST_DAY)
INTEGERS = (*AGES, *DAYS)
OF_ROWS = (Field.PATIENT, *ROW_LABELS, *DAYS)
LIFETIME = (BORN, DIED)
PLACES = (Field.SITES,)

INDEXED: Mapping[Corpus, tuple[tuple[Field, ...], tuple[Field, ...], tuple[Field, ...]]] = {
    Corpus.TRIALS: (
        (Field.DOCUMENT, Field.KIND, Field.CONDITIONS, Field.EXACT),
        AGES,
        PLACES,
    ),
    Corpus.RECORDS: ((Field.DOCUMENT, Field.KIND, Field.EXACT, Field.PATIENT), DAYS, ()),
}
"""The fields of each corpus that its filters name: keywords, integers, places. KIND stands for all labels.

Another field may be filtered too, but every payload is read for it.
"""


def keyword(field: Field, value: str) -> tuple[str, str]:
    """The payload field where a keyword field is indexed, and how this value is written there."""
    return (LABELS, f"{field}={value}") if field in LABELLED else (field.value, str(value))


def payload_of(point: Point) -> dict[str, Any]:
    """What filters and hits need. Empty lists are left out: an absent field matches no value either."""
    facets = point.facets
    lists = {
        Field.PHASES.value: list(facets.phases),
        LABELS: _labels(point),
        Field.CONDITIONS.value: list(facets.conditions),
        Field.EXACT.value: list(point.exact),
        Field.SITES.value: [{"lat": p.latitude, "lon": p.longitude} for p in facets.sites],
    }
    return {
        Field.DOCUMENT.value: point.document,
        Field.KIND.value: point.kind.value,
        ORDINAL: point.ordinal,
        Field.STATUS.value: facets.status,
        Field.STUDY_TYPE.value: facets.study_type,
        Field.SEX.value: facets.sex,
        Field.MIN_AGE_DAYS.value: facets.min_age_days,
        Field.MAX_AGE_DAYS.value: facets.max_age_days,
        BORN: point.born,
        DIED: point.died,
        **_row(facets),
    } | {name: values for name, values in lists.items() if values}


def _row(facets: Facets) -> dict[str, Any]:
    """What a record row has besides; a study has none of it."""
    words = {field.value: getattr(facets, field.value) for field in (Field.PATIENT, *ROW_LABELS)}
    dated = facets.first_day <= facets.last_day
    days = {field.value: getattr(facets, field.value) for field in DAYS} if dated else {}
    return {name: word for name, word in words.items() if word} | days


def _labels(point: Point) -> list[str]:
    facets = point.facets
    held = (point.kind, facets.status, facets.study_type, facets.sex)
    fields = (Field.KIND, Field.STATUS, Field.STUDY_TYPE, Field.SEX)
    named = [*zip(fields, held, strict=True), *((Field.PHASES, phase) for phase in facets.phases)]
    named += [(field, word) for field in ROW_LABELS if (word := getattr(facets, field.value))]
    return [keyword(field, value)[1] for field, value in named]


def point_of(
    chunk_id: ChunkId,
    payload: Mapping[str, Any],
    dense: Sequence[float],
    sparse: SparseVector,
    document_terms: SparseVector | None,
) -> Point:
    """The point that `payload_of` described; `dense` has norm 1, as Qdrant keeps it for cosine."""
    return Point(
        id=chunk_id,
        document=payload[Field.DOCUMENT],
        kind=SectionKind(payload[Field.KIND]),
        ordinal=payload[ORDINAL],
        dense=np.array(dense, np.float32),
        sparse=sparse,
        exact=tuple(payload.get(Field.EXACT, ())),
        facets=_facets_of(payload),
        born=payload[BORN],
        died=payload[DIED],
        document_terms=document_terms,
    )


def _facets_of(payload: Mapping[str, Any]) -> Facets:
    return Facets(
        status=payload[Field.STATUS],
        study_type=payload[Field.STUDY_TYPE],
        phases=tuple(payload.get(Field.PHASES, ())),
        sex=payload[Field.SEX],
        min_age_days=payload[Field.MIN_AGE_DAYS],
        max_age_days=payload[Field.MAX_AGE_DAYS],
        conditions=tuple(payload.get(Field.CONDITIONS, ())),
        sites=tuple(GeoPoint(p["lat"], p["lon"]) for p in payload.get(Field.SITES, ())),
        **{field.value: payload[field] for field in OF_ROWS if field in payload},
    )
