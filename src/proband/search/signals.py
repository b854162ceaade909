"""What the gate sees: how much of a question the best document answers, and what stands beside that.

The score reads late interaction (Khattab and Zaharia, "ColBERT", SIGIR 2020) word by word: it is the share of the
question's words, each by how much it says, that the document has something near to. A question that has no answer here
mostly has a word, a disease or a drug, that nothing near answers to (decision 016).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from proband.model import (
    AnyOf,
    Breadth,
    ChunkId,
    ExactTerm,
    Field,
    Filter,
    Float32Matrix,
    Grouped,
    Lane,
    QueryPlan,
    Scale,
    SectionKind,
    Signals,
    SparseVector,
    View,
    WordMatch,
)
from proband.ports import ShownChunk, TokenEmbedder
from proband.search.exact import question_weights
from proband.search.plan import fitting
from proband.search.polarity import agreement, asks_for_exclusion
from proband.search.recall import Reader
from proband.search.rerank import best_cosines
from proband.text.analyser import STOP_WORDS, terms
from proband.text.bm25 import term_hash
from proband.text.exact import holds_phrase

SIGNALS_VERSION = 1
"""Part of what a calibration is made with: raised when the score or its passages change."""

DOCUMENTS = 2
"""How many of the first are read: what answers is not always the first."""

PASSAGES = 12
"""Of a document, best first: what one question can find in it."""

NEAR = 0.55
"""Cosine of two words at which one is half an answer to the other."""

STEEPNESS = 0.05
"""Of the step from no answer to an answer: 0.4 counts 5%, 0.7 counts 95%."""

RAREST = 8.0
"""IDF from which on a word is as rare as can be: it stands in one of 3,000 chunks."""

WRITTEN_DEPTH = 100
"""Chunks looked through for an identifier that the exact lane lacks: one written small is no term of it."""

_WORD = re.compile(r"[^\W_]+")


EXCLUDING = SectionKind.EXCLUSION_CRITERION

Passages = Sequence[tuple[SectionKind, str]]
"""Of one document: kind and text, best first."""


def look(
    plan: QueryPlan,
    groups: Sequence[Grouped],
    absent: Sequence[str],
    whole: View,
    reader: Reader,
    *,
    weigh: bool = True,
) -> Signals | None:
    """What the gate sees of the best of `groups`; None when there is none.

    Args:
        absent: quoted phrases that were not found.
        whole: what the asker sees without the question's filter: there it is counted how rare a word is.
        weigh: whether to measure the score, which takes longer than the search. A cross-encoder has measured it.
    """
    if not groups:
        return None
    best, *_ = groups
    ids = [one.chunk_id for group in groups[:DOCUMENTS] for one in group.candidates[:PASSAGES]]
    shown = reader.texts.chunk_texts(ids)
    read = [_texts(group, shown) for group in groups[:DOCUMENTS]]
    exact = _Exact(plan, whole.narrowed(plan.where), reader)
    matches = _words(plan, read, whole, reader) if weigh and not reader.pairs else []
    words = sorted(matches, key=score, reverse=True)
    scores = _by_pairs(groups) if reader.pairs else [score(some) for some in words]
    kinds = [kind for kind, _ in read[0]]
    return Signals(
        score=scores[0] if scores else None,
        scale=Scale.SIGMOID if reader.pairs else Scale.COVERAGE,
        margin=scores[0] - scores[1] if len(scores) > 1 else None,
        lanes=tuple(sorted({place.lane for one in best.candidates for place in one.found})),
        exact=exact.held(best.document, read[0]),
        absent=(*exact.nowhere(), *absent),
        looked_up=exact.is_all_that_is_asked() or exact.owns(best.document),
        words=words[0] if words else (),
        rare=_literal(words[0], read[0]) if words else 0.0,
        polarity=agreement(plan.standalone, read[0]),
        excluding=bool(kinds) and kinds[0] is EXCLUDING,
    )


def _by_pairs(groups: Sequence[Grouped]) -> list[float]:
    """The cross-encoder's scores of the documents that it read, best first."""
    return sorted(
        (place.score for one in groups for place in one.found if place.scale is Scale.SIGMOID),
        reverse=True,
    )


def score(words: Sequence[WordMatch]) -> float:
    """The share of the question that is answered, each word by the square of its rarity; 0 without words."""
    weights = [word.rarity**2 for word in words]
    total = math.fsum(weights)
    if not total:
        return 0.0
    return math.fsum(w * answered(word) for w, word in zip(weights, words, strict=True)) / total


def answered(word: WordMatch) -> float:
    """How far a word is answered, 0 to 1: a step at `NEAR`, because cosines of unrelated words are anything below."""
    return 1 / (1 + math.exp((NEAR - word.nearest) / STEEPNESS))


def _texts(group: Grouped, shown: Mapping[ChunkId, ShownChunk]) -> Passages:
    """The passages of a document that have a text, best first."""
    found = (shown.get(one.chunk_id) for one in group.candidates[:PASSAGES])
    return tuple((chunk.kind, chunk.text) for chunk in found if chunk and chunk.text)


def _words(
    plan: QueryPlan,
    read: Sequence[Passages],
    whole: View,
    reader: Reader,
) -> list[tuple[WordMatch, ...]]:
    """For each document that was read, how near it comes to each word.

    Whom a study does not take is no answer, unless the question is about that. Empty without token vectors or words,
    and for broad questions.
    """
    if reader.tokens is None or plan.breadth is Breadth.BROAD:
        return []
    if not asks_for_exclusion(plan.standalone):
        read = [[one for one in some if one[0] is not EXCLUDING] for some in read]
    parts = [variant.text for variant in plan.variants if Lane.DENSE in variant.lanes]
    asked = list(_asked_words(parts, reader, reader.tokens))
    if not asked:
        return []
    rarities = _rarities([word for word, _ in asked], whole, reader, reader.tokens)
    return [
        tuple(
            WordMatch(word, rarity, near)
            for (word, _), rarity, near in zip(asked, rarities, nearness, strict=True)
        )
        for nearness in _nearness([vectors for _, vectors in asked], read, reader, reader.tokens)
    ]


def _asked_words(
    parts: Sequence[str], reader: Reader, tokens: TokenEmbedder
) -> Iterator[tuple[str, Float32Matrix]]:
    """The words that carry meaning, each with the vectors of its tokens."""
    spans, vectors = reader.embedder.token_spans(parts), tokens.token_vectors(parts)
    for part, places, rows in zip(parts, spans, vectors, strict=True):
        for word in _WORD.finditer(part):
            if word[0].lower() in STOP_WORDS or not terms(word[0]):
                continue
            mine = [row for row, (start, end) in enumerate(places) if _within(start, end, word)]
            if mine:
                yield word[0], rows[mine]


def _within(start: int, end: int, word: re.Match[str]) -> bool:
    return word.start() <= start and end <= word.end()


def _nearness(
    words: Sequence[Float32Matrix], read: Sequence[Passages], reader: Reader, tokens: TokenEmbedder
) -> Iterator[list[float]]:
    """For each document the best cosine of each word with a word of it, the mean over the word's tokens."""
    question = np.concatenate(words)
    ends = np.cumsum([len(rows) for rows in words])[:-1]
    texts = [_joined(passages, reader) for passages in read]
    vectors = iter(tokens.token_vectors([text for text in texts if text]))
    for text in texts:
        rows = next(vectors) if text else question[:0]
        nearest = best_cosines(question, rows) if len(rows) else np.zeros(len(question), np.float32)
        yield [float(one.mean()) for one in np.split(nearest, ends)]


def _joined(passages: Passages, reader: Reader) -> str:
    """The passages one after the other, as many as fit the model's window: one inference instead of one each."""
    text = ". ".join(text.rstrip(". ") for _, text in passages)
    return fitting(text, reader.embedder)[0]


def _rarities(
    words: Sequence[str], whole: View, reader: Reader, tokens: TokenEmbedder
) -> list[float]:
    """How much each word says: the IDF of its rarest term as a share of `RAREST`, by its specificity squared.

    A word that stands in no chunk may be the one that matters ("ruxolitinib") or a layman's word for what does ("dad").
    """
    wanted = {term for word in words for term in terms(word)}
    idf = partial(_idf, whole=whole, reader=reader)
    known = dict(zip(wanted, reader.pool.map(idf, wanted), strict=True))
    rare = [max(min(known[term] / RAREST, 1.0) for term in terms(word)) for word in words]
    special = tokens.specificity(words)
    return [one * other**2 for one, other in zip(rare, special, strict=True)]


def _idf(term: str, whole: View, reader: Reader) -> float:
    """The engine's IDF of a term, from what it scores alone; `RAREST` when no chunk holds it."""
    key = term_hash(term)
    ranking = reader.index.lexical(SparseVector((key,), (1.0,)), whole, 1)
    for hit in ranking.hits:
        terms_held = reader.index.fetch([hit.chunk_id])[hit.chunk_id].sparse
        return hit.score / terms_held.values[terms_held.indices.index(key)]
    return RAREST


def _literal(words: Sequence[WordMatch], read: Passages) -> float:
    """The share of the words' weight whose words stand in the passages as they are."""
    held = {term for _, text in read for term in terms(text)}
    total = math.fsum(word.rarity**2 for word in words)
    found = math.fsum(word.rarity**2 for word in words if held.issuperset(terms(word.word)))
    return found / total if total else 0.0


class _Exact:
    """What was asked for exactly: identifiers and quoted phrases, and where they stand."""

    def __init__(self, plan: QueryPlan, view: View, reader: Reader) -> None:
        self._names = plan.exact
        self._plan, self._view, self._reader = plan, view, reader

    def held(self, document: str, read: Passages) -> tuple[int, int]:
        """How many of them the best document holds, and how many were asked."""
        mine = self._view.narrowed(Filter((AnyOf(Field.DOCUMENT, (document,)),)))
        names = [name for name in self._names if self._stands(name, mine)]
        texts = [text for _, text in read]
        phrases = [p for p in self._plan.phrases if any(holds_phrase(text, p) for text in texts)]
        return len(names) + len(phrases), len(self._names) + len(self._plan.phrases)

    def owns(self, document: str) -> bool:
        """Whether the question names this document by an identifier of its own."""
        mine = self._view.narrowed(Filter((AnyOf(Field.DOCUMENT, (document,)),)))
        own = [term for name in self._names for term in name.tiers[0]]
        return bool(self._reader.index.exact(own, mine, 1).hits)

    def nowhere(self) -> list[str]:
        """The identifiers that no chunk of the view holds, in no spelling either."""
        return [
            name.text
            for name in self._names
            if not self._stands(name, self._view) and not self._is_written(name.text)
        ]

    def is_all_that_is_asked(self) -> bool:
        """Whether nothing is asked beside them."""
        if self._plan.alone:
            return True
        rest = self._plan.standalone
        for phrase in self._plan.phrases:
            rest = rest.replace(phrase, " ")
        names = [_letters(name.text) for name in self._names]
        words = [word for word in _WORD.findall(rest) if word.lower() not in STOP_WORDS]
        return bool(self._names or self._plan.phrases) and all(
            any(_letters(word) in name for name in names) for word in words
        )

    def _stands(self, name: ExactTerm, view: View) -> bool:
        every = [term for tier in name.tiers for term in tier]
        return bool(self._reader.index.exact(every, view, 1).hits)

    def _is_written(self, name: str) -> bool:
        found = self._reader.index.lexical(question_weights(name), self._view, WRITTEN_DEPTH)
        texts = self._reader.texts.chunk_texts(hit.chunk_id for hit in found.hits)
        return any(_letters(name) in _letters(chunk.text) for chunk in texts.values())


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).upper()
