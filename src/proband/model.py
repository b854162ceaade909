"""The vocabulary: the values that flow through proband, as frozen dataclasses.

Each word means one thing here, in the JSON, on the command line and in the prose; `docs/glossary.md` lists them.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import NewType
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt

from proband.text.reading import Reading, Span

ChunkId = NewType("ChunkId", str)
"""A UUID in its 36-character form: the id of a chunk and of its point in the index."""

Float32Vector = npt.NDArray[np.float32]
Float32Matrix = npt.NDArray[np.float32]

FOREVER = 2**31 - 1
"""`died` of what is alive, and the upper age of a study that states none. A number, because filters compare numbers."""

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://proband.invalid/keys")
"""Namespace of every UUIDv5 that proband makes; changing it changes every id."""


class Corpus(StrEnum):
    """What is searched: studies, or rows copied from a facility's databases."""

    TRIALS = "trials"
    RECORDS = "records"


@lru_cache(maxsize=1024)
def _encoded(part: str) -> str:
    """Percent-encoded. Remembered: each chunk spells its document's key several times, 16 of 150 CPU s an import."""
    return quote(part, safe="")


@dataclass(frozen=True, slots=True, order=True)
class DocumentKey:
    """source / collection / key parts, e.g. `ctgov/studies/NCT99000001`.

    Parts are percent-encoded, so composite keys cannot collide.
    """

    source: str
    collection: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return "/".join(
            quote(part, safe="") for part in (self.source, self.collection, *self.parts)
        )

    @classmethod
    def parse(cls, text: str) -> DocumentKey:
        """The key that `str` wrote. Raises ValueError when there are fewer than three parts."""
        parts = tuple(unquote(part) for part in text.split("/"))
        if len(parts) < 3:
            raise ValueError(f"not a document key: {text!r}")
        return cls(parts[0], parts[1], parts[2:])

    @property
    def extid(self) -> str:
        """UUIDv5 of the key: the same in every rebuilt database."""
        return str(uuid.uuid5(NAMESPACE, str(self)))


class SectionKind(StrEnum):
    """What part of a document a text is."""

    INCLUSION_CRITERION = "INCLUSION_CRITERION"
    EXCLUSION_CRITERION = "EXCLUSION_CRITERION"
    ELIGIBILITY_UNPARSED = "ELIGIBILITY_UNPARSED"
    TITLE = "TITLE"
    CONDITION = "CONDITION"
    BRIEF_SUMMARY = "BRIEF_SUMMARY"
    DETAILED_DESCRIPTION = "DETAILED_DESCRIPTION"
    INTERVENTION = "INTERVENTION"
    OUTCOME = "OUTCOME"
    ROW = "ROW"
    """A record row as sentences."""
    TEXT = "TEXT"
    """A paragraph of a record row's free text."""


CRITERIA = (
    SectionKind.INCLUSION_CRITERION,
    SectionKind.EXCLUSION_CRITERION,
    SectionKind.ELIGIBILITY_UNPARSED,
)


@dataclass(frozen=True, slots=True)
class GeoPoint:
    """Latitude and longitude in degrees (WGS 84)."""

    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Facets:
    """The closed set of filterable fields of a document; every chunk carries its document's.

    Ages are in days; a study that states no lower (upper) age has 0 (`FOREVER`). `sites` are the enrolling sites that
    have coordinates. `conditions` are folded names. A fact that the registry does not state is "UNKNOWN".

    Of a record row: `patient` is `records.record.patient_key`, "" for nobody; `table` is `source/table`; the days,
    since 1970-01-01, are the first and the last that its date may mean. Undated they are `FOREVER` and `-FOREVER`, so
    that no span of days holds it.
    """

    status: str = "UNKNOWN"
    study_type: str = "UNKNOWN"
    phases: tuple[str, ...] = ()
    sex: str = "UNKNOWN"
    min_age_days: int = 0
    max_age_days: int = FOREVER
    conditions: tuple[str, ...] = ()
    sites: tuple[GeoPoint, ...] = ()
    patient: str = ""
    table: str = ""
    first_day: int = FOREVER
    last_day: int = -FOREVER
    facility: str = ""
    sensitivity: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One text of a document, before it is cut to the model's window.

    Args:
        kind: what part of the document it is.
        ordinal: place among the document's sections of this kind, from 1.
        field: which published text the reading's offsets point into.
        reading: the clean text and where it was published.
        embed_text: what is embedded and analysed: the text with its abbreviated parents. Never quoted.
        parents: texts of the ancestors, outermost first, in full.
        labels: grouping labels above it, outermost first; never embedded.
        arms: the arms, cohorts, phases, parts or roles that it binds; empty: all.
        above: what `parents` were read from, in the same published text.
        exact: exact terms beside those in its text, such as the names of the drug that it describes.
    """

    kind: SectionKind
    ordinal: int
    field: str
    reading: Reading
    embed_text: str
    parents: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    above: tuple[Reading, ...] = ()
    exact: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One study or one record row: its key, its sections in order, its facets.

    `exact` are the terms by which it answers to its own identifiers (`text.exact.own_terms`).
    """

    key: DocumentKey
    sections: tuple[Section, ...]
    facets: Facets
    exact: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """The indexed unit: a section, or a part of one that is longer than the model's window.

    `text` is the clean reading of `span` of the published `field`; it can be cited. `embed_text` is what was embedded
    and analysed; it is never quoted. `part` counts from 0 within the section. A document's first title stands for the
    whole document: its `document_text` is analysed for the lane of documents, and is neither embedded nor quoted.
    `exact` are the exact terms of its document and its section beside those in its text.
    """

    document: DocumentKey
    kind: SectionKind
    ordinal: int
    part: int
    field: str
    span: Span
    text: str
    embed_text: str
    facets: Facets
    parents: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    document_text: str = ""
    exact: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term weights of one text: `indices` are distinct unsigned 32-bit term hashes in ascending order."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk as the index holds it: vectors and what filters need, no text.

    `exact` holds the exact terms of the chunk: of its text, its section and its document; `text.exact` lists their
    forms. `document_terms` are those of the whole document, where the chunk stands for it.
    """

    id: ChunkId
    document: str
    kind: SectionKind
    ordinal: int
    dense: Float32Vector
    sparse: SparseVector
    exact: tuple[str, ...]
    facets: Facets
    born: int
    died: int = FOREVER
    document_terms: SparseVector | None = None


# --- what a reader may see -------------------------------------------------------------------------------------------


class Field(StrEnum):
    """The names that filters may use. KEYWORD fields hold one or several strings, the ages hold integers."""

    DOCUMENT = "document"
    KIND = "kind"
    STATUS = "status"
    STUDY_TYPE = "study_type"
    PHASES = "phases"
    SEX = "sex"
    CONDITIONS = "conditions"
    EXACT = "exact"
    MIN_AGE_DAYS = "min_age_days"
    MAX_AGE_DAYS = "max_age_days"
    SITES = "sites"
    PATIENT = "patient"
    TABLE = "table"
    FIRST_DAY = "first_day"
    LAST_DAY = "last_day"
    FACILITY = "facility"
    SENSITIVITY = "sensitivity"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The keyword field holds at least one of `values`. No values: nothing matches."""

    field: Field
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The keyword field holds none of `values`."""

    field: Field
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AtMost:
    """The integer field is at most `value`."""

    field: Field
    value: int


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The integer field is at least `value`."""

    field: Field
    value: int


@dataclass(frozen=True, slots=True)
class Near:
    """One of the points of the field lies within `radius_km` kilometres (great circle) of the place."""

    field: Field
    place: GeoPoint
    radius_km: float


Condition = AnyOf | NoneOf | AtMost | AtLeast | Near


@dataclass(frozen=True, slots=True)
class Filter:
    """A conjunction: what fits has to fit every condition. No condition: everything fits."""

    conditions: tuple[Condition, ...] = ()

    def narrowed(self, other: Filter) -> Filter:
        """What fits both filters."""
        return Filter(
            self.conditions + tuple(c for c in other.conditions if c not in self.conditions)
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """What the asker may see, from the asker's identity. A scope can be narrowed, never widened."""

    filter: Filter

    @classmethod
    def public(cls) -> Scope:
        """The scope of published studies: everything."""
        return cls(Filter())

    @classmethod
    def patients(cls, keys: Iterable[str]) -> Scope:
        """The rows of these patients and of nobody else (`records.record.patient_key`); no keys: nothing."""
        return cls(Filter((AnyOf(Field.PATIENT, tuple(sorted(set(keys)))),)))

    @classmethod
    def nobody(cls) -> Scope:
        """Nothing at all."""
        return cls.patients(())

    def narrowed(self, where: Filter) -> Scope:
        """This scope with more conditions, such as tables, days, facilities or sensitivities."""
        return Scope(self.filter.narrowed(where))

    def view(self, generation: int, where: Filter) -> View:
        """What this asker sees of one generation, narrowed by `where`."""
        return View(generation, self.filter.narrowed(where))


@dataclass(frozen=True, slots=True)
class View:
    """One generation of one corpus through scope and filter. Every retrieval function requires one."""

    generation: int
    where: Filter

    def narrowed(self, where: Filter) -> View:
        """This view with more conditions."""
        return View(self.generation, self.where.narrowed(where))


# --- asking ----------------------------------------------------------------------------------------------------------


class Lane(StrEnum):
    """One way of recalling chunks.

    DOCUMENT is lexical over whole documents: its hit is the title of one, and what matched may stand anywhere in it.
    RERANK recalls nothing: it orders the best of what the others found once more.
    """

    DENSE = "dense"
    LEXICAL = "lexical"
    DOCUMENT = "document"
    EXACT = "exact"
    RERANK = "rerank"


class Scale(StrEnum):
    """What a score is. Scores of different scales never meet in arithmetic."""

    COSINE = "cosine"
    BM25 = "bm25"
    MATCHES = "matches"
    RRF = "rrf"
    MAXSIM = "maxsim"
    SIGMOID = "sigmoid"
    COVERAGE = "coverage"


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found by one lane: its one-based rank and the score in that ranking's scale."""

    chunk_id: ChunkId
    document: str
    kind: SectionKind
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits of one query in one lane, best first; equal scores stand in order of chunk id.

    `vote` is what it counts in fusion: lanes that read the same evidence share one vote.
    """

    lane: Lane
    scale: Scale
    hits: tuple[Hit, ...]
    variant: int = 0
    vote: float = 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """Where a candidate was found: lane, which variant of the question, one-based rank, score, its scale and vote."""

    lane: Lane
    variant: int
    rank: int
    score: float
    scale: Scale
    vote: float = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fused chunk: its RRF score and every place where it was found."""

    chunk_id: ChunkId
    document: str
    kind: SectionKind
    score: float
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Grouped:
    """One document of a result: its strongest candidate first, the others as "also matched".

    `found` is its place in each ranking, among documents: what its score is made of.
    """

    document: str
    score: float
    candidates: tuple[Candidate, ...]
    found: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What the user asked, with the filter the user chose and how many documents are wanted."""

    text: str
    where: Filter = Filter()
    top_k: int = 10


@dataclass(frozen=True, slots=True)
class Variant:
    """One form of the question, and in which sections it is looked for (none: all)."""

    text: str
    lanes: tuple[Lane, ...] = (Lane.DENSE, Lane.LEXICAL)
    kinds: tuple[SectionKind, ...] = ()


class Breadth(StrEnum):
    """What a question needs of its answer: a POINTED one has an answer or none, a BROAD one more or less of one."""

    POINTED = "pointed"
    BROAD = "broad"


@dataclass(frozen=True, slots=True)
class ExactTerm:
    """One thing that a question names exactly, and the index terms that stand for it.

    Args:
        text: the words of the question.
        tiers: index terms, the nearest first (`TIERS`): a hit in one tier comes before all hits in later ones.
        names: whether these words can only be the name of a document.
    """

    text: str
    tiers: tuple[tuple[str, ...], ...]
    names: bool = False


TIERS = ("own", "own, loosely", "equal", "descendant", "synonym")
"""How near an exact hit is: the document's own identifier, the same without zeros and hyphens, the same code or name,
a code below it, another name of the same drug."""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What is run for a question.

    `exact` is what the question names exactly, `phrases` the texts that the user put in quotation marks. `alone`: it
    asks for nothing else than `exact`, so what holds the names comes before what is only near.
    """

    standalone: str
    variants: tuple[Variant, ...]
    exact: tuple[ExactTerm, ...]
    phrases: tuple[str, ...]
    where: Filter
    breadth: Breadth = Breadth.POINTED
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it is shown: verbatim text with its place, and where each lane ranked it."""

    chunk_id: ChunkId
    kind: SectionKind
    ordinal: int
    part: int
    field: str
    span: Span
    text: str
    parents: tuple[str, ...]
    labels: tuple[str, ...]
    arms: tuple[str, ...]
    score: float
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class DocumentHit:
    """One document of a search result, its passages best first; `found` as in `Grouped`."""

    document: DocumentKey
    score: float
    scale: Scale
    passages: tuple[Passage, ...]
    found: tuple[Found, ...] = ()


# --- accepting and refusing ------------------------------------------------------------------------------------------


class RefusalKind(StrEnum):
    """Why there is no answer."""

    NOTHING_FITS = "nothing_fits"
    """The filter lets no document through."""
    NOT_THERE = "not_there"
    """Nothing was found, or an identifier or quoted phrase that was asked for stands nowhere."""
    TOO_WEAK = "too_weak"
    """What is nearest does not reach the threshold."""


class Agreement(StrEnum):
    """Whether question and passages say the same of what both name as positive or negative, given or not given."""

    AGREES = "agrees"
    OPPOSES = "opposes"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class WordMatch:
    """A word of the question.

    Args:
        rarity: how much it says, 0 to 1: rare in the corpus and special in general language.
        nearest: the best cosine with a word of the document.
    """

    word: str
    rarity: float
    nearest: float


@dataclass(frozen=True, slots=True)
class Signals:
    """What the gate saw.

    Args:
        score: of the document that answers most of the question, among the first few, in `scale`; the only one that has
            a threshold. None: not measured.
        margin: how far it is above the next best score.
        lanes: where the first document was found.
        exact: how many of the exact terms and phrases asked stand in it, and how many were asked.
        absent: what was asked exactly and stands nowhere in what was searched.
        looked_up: the question is nothing but exact terms and phrases, or names the first document by its identifier.
        words: the question's words that carry meaning, in its order, with the document that scored best.
        rare: the share of the words' weight whose words stand in the first document literally.
        polarity: between the question and the first document's passages.
        excluding: the first passage is an exclusion criterion.
    """

    score: float | None = None
    scale: Scale = Scale.COVERAGE
    margin: float | None = None
    lanes: tuple[Lane, ...] = ()
    exact: tuple[int, int] = (0, 0)
    absent: tuple[str, ...] = ()
    looked_up: bool = False
    words: tuple[WordMatch, ...] = ()
    rare: float = 0.0
    polarity: Agreement = Agreement.SILENT
    excluding: bool = False


@dataclass(frozen=True, slots=True)
class Searched:
    """Where an answer was looked for: one generation through a plan's lanes and filter.

    `passages` is how many of its chunks the filter lets through, `documents` of how many documents; None where to count
    these would take seconds.
    """

    generation: int
    plan: QueryPlan
    passages: int
    documents: int | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """There is an answer, or nothing speaks against one. `uncertified` says why weak matches were not held back."""

    signals: Signals
    threshold: float | None = None
    uncertified: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """There is no answer: why, in a sentence, and where it was looked for."""

    kind: RefusalKind
    reason: str
    searched: Searched
    signals: Signals
    threshold: float | None = None
    uncertified: str = ""


Decision = Accepted | Refused


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found in one generation, best first.

    A refused search has no hits: what is nearest stands in `nearest` and is not an answer.
    `missing` are documents that the index named and the catalogue lacks: skipped, counted, never an error.
    `timings_ms` maps a stage to its duration in milliseconds. `plan` is what was run, filters read from the question
    included, so that nothing narrows a search unseen. `absent` are the quoted phrases that no
    passage looked through holds.
    """

    generation: int
    hits: tuple[DocumentHit, ...]
    missing: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    plan: QueryPlan | None = None
    absent: tuple[str, ...] = ()
    decision: Decision | None = None
    nearest: tuple[DocumentHit, ...] = ()
