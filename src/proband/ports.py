"""The ports: what proband needs from the outside, each with its contract in prose, and nothing else.

Adapters satisfy them structurally; `tests/contract` runs every adapter through one suite that compares values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from proband.model import (
    ChunkId,
    DocumentKey,
    Field,
    Float32Matrix,
    Float32Vector,
    Point,
    Ranking,
    Section,
    SectionKind,
    SparseVector,
    View,
)
from proband.text.reading import Span


class Embedder(Protocol):
    """Turns text into unit vectors.

    Same text, same bytes out, whatever the order of calls or the batch. Text of more than `window_tokens` tokens
    raises TextTooLong: a silently cut tail would be unsearchable. May be called from many threads.
    """

    @property
    def digest(self) -> str:
        """sha256 over the model's files and the precision: vectors of different digests are not compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def window_tokens(self) -> int:
        """Tokens that one text may have, the special ones included."""
        ...

    def token_spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """For each text the half-open character range of each of its tokens, without the special ones."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Float32Matrix:
        """`(len(texts), dimensions)` float32, row i for text i, rows of norm 1. Equal texts are embedded once."""
        ...

    def embed_query(self, text: str) -> Float32Vector:
        """`(dimensions,)` float32 of norm 1; recent normalised texts come from a cache."""
        ...


class TokenEmbedder(Protocol):
    """Turns each token of a text into a unit vector, in the light of the others. May be called from many threads."""

    def token_vectors(self, texts: Sequence[str]) -> list[Float32Matrix]:
        """For each text `(tokens, dimensions)` float32, rows of norm 1, without the special tokens.

        Raises TextTooLong as an Embedder does.
        """
        ...

    def specificity(self, words: Sequence[str]) -> list[float]:
        """For each word how special it is in general language, whatever the corpus.

        0 for the most common word, 1 for one that the model's vocabulary has no token of its own for; between them the
        logarithm of its place in the vocabulary, which stands in order of frequency.
        """
        ...


class PairScorer(Protocol):
    """A cross-encoder: reads a question and a passage together. May be called from many threads."""

    def score_pairs(self, query: str, passages: Sequence[str]) -> Float32Vector:
        """The logit of each passage, `(len(passages),)` float32. Raises TextTooLong for a pair beyond the window."""
        ...


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index was built with. A reader compares it with what it is about to use."""

    model: str
    model_digest: str
    dimensions: int
    analyser_version: int
    chunker_version: int


class Index(Protocol):
    """Reads one corpus. Filters and generation are applied before the cut, in every lane.

    Rankings are best first, at most `limit` long, ranks one-based, equal scores in order of chunk id. A view that
    nothing fits gives an empty ranking. Search is exact when at most `exact_below` points fit the view.
    """

    def manifest(self) -> Manifest:
        """What the index was built with. Raises CollectionMissing."""
        ...

    def dense(self, vector: Float32Vector, view: View, limit: int) -> Ranking:
        """Nearest points by cosine."""
        ...

    def lexical(self, terms: SparseVector, view: View, limit: int) -> Ranking:
        """Points by BM25: dot product of the term weights with the engine's IDF. No terms: empty ranking."""
        ...

    def document(self, terms: SparseVector, view: View, limit: int) -> Ranking:
        """As `lexical`, over the points that have `document_terms`, by these and with an IDF of their own."""
        ...

    def exact(self, terms: Sequence[str], view: View, limit: int) -> Ranking:
        """Points that hold any of the exact terms, by how many of them they hold. No terms: empty ranking."""
        ...

    def held(self, terms: Sequence[str], view: View) -> frozenset[str]:
        """Those of the exact terms that any point in the view holds."""
        ...

    def fetch(self, ids: Sequence[ChunkId]) -> dict[ChunkId, Point]:
        """The points of these ids, of any generation; unknown ids are absent."""
        ...

    def count(self, view: View) -> int:
        """How many points fit the view, exactly."""
        ...

    def facets(self, field: Field, view: View, limit: int) -> list[tuple[str, int]]:
        """The values of a keyword field that filters of this corpus name, most frequent first, ties by value."""
        ...


class IndexWriter(Index, Protocol):
    """Writes one corpus. Writing the same point again changes nothing. One writer at a time: IndexHeld."""

    def write(self, points: Sequence[Point]) -> None:
        """Adds or replaces points by id."""
        ...

    def expire(self, ids: Sequence[ChunkId], generation: int) -> None:
        """Sets `died` of these points, so that readers from this generation on no longer see them."""
        ...

    def remove(self, ids: Sequence[ChunkId]) -> None:
        """Removes points for good, from all generations."""
        ...

    def ids(self) -> Mapping[ChunkId, tuple[int, int]]:
        """Every point's (born, died), for reconciliation."""
        ...

    def describe(self, manifest: Manifest) -> None:
        """Replaces the manifest after a rebuild. Raises ValueError for other dimensions than the index has."""
        ...

    def flush(self) -> None:
        """Returns when everything written survives a kill of the process."""
        ...

    def optimize(self) -> None:
        """Builds what makes search fast. Results do not depend on it."""
        ...

    def close(self) -> None:
        """Gives the index back to other processes."""
        ...


class ShownChunk(Protocol):
    """What of a chunk is shown and cited; the words are those of `model.Chunk`."""

    @property
    def kind(self) -> SectionKind: ...
    @property
    def ordinal(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def field(self) -> str: ...
    @property
    def span(self) -> Span: ...
    @property
    def text(self) -> str: ...
    @property
    def parents(self) -> tuple[str, ...]: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def arms(self) -> tuple[str, ...]: ...


class Texts(Protocol):
    """Where the texts of chunks are kept: the catalogue."""

    def chunk_texts(self, ids: Iterable[ChunkId]) -> Mapping[ChunkId, ShownChunk]:
        """The chunks of these ids, of any generation; unknown ids are absent."""
        ...


class Sections(Protocol):
    """Where whole documents are kept, to show what stands around a chunk."""

    def sections(
        self, documents: Iterable[DocumentKey], generation: int
    ) -> Mapping[str, tuple[Section, ...]]:
        """The sections of these documents as they are in this generation, in order, by key; unknown keys are absent."""
        ...
