"""The JSON shape of a search result (design, section 11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.catalogue.studies import StudyCard
from proband.model import (
    TIERS,
    ChunkId,
    Decision,
    DocumentHit,
    ExactTerm,
    Found,
    Passage,
    QueryPlan,
    Refused,
    SearchResult,
    Signals,
)
from proband.search.expand import Context, Slice
from proband.search.explain import conditions, forms, lanes

NOTHING: Mapping[ChunkId, Context] = {}


def result_object(
    result: SearchResult,
    cards: Mapping[str, StudyCard],
    explain: bool,
    around: Mapping[ChunkId, Context] = NOTHING,
) -> dict[str, Any]:
    """The result as one JSON object; with `explain` also what was run and every place of every passage.

    A passage that `around` names has its context.
    """
    found: dict[str, Any] = {
        "generation": result.generation,
        "hits": [_hit(hit, cards, explain, around) for hit in result.hits],
        "outcome": "refuse" if isinstance(result.decision, Refused) else "answer",
        "refusal": _refusal(result.decision) if isinstance(result.decision, Refused) else None,
        "nearest": [_hit(hit, cards, explain, around) for hit in result.nearest],
        "gate": _gate(result.decision) if result.decision else None,
        "missing": list(result.missing),
        "absent": list(result.absent),
        "timings_ms": {stage: round(ms, 3) for stage, ms in result.timings_ms.items()},
    }
    if result.plan:
        found["where"] = list(conditions(result.plan.where))
    if explain and result.plan:
        plan = result.plan
        found["plan"] = {
            "variants": [
                {"text": variant.text, "lanes": list(variant.lanes), "kinds": list(variant.kinds)}
                for variant in plan.variants
            ],
            "exact": [_exact_term(term) for term in plan.exact],
            "alone": plan.alone,
            "phrases": list(plan.phrases),
        }
    return found


def _refusal(refused: Refused) -> dict[str, Any]:
    searched = refused.searched
    return {
        "kind": refused.kind,
        "reason": refused.reason,
        "searched": {
            "generation": searched.generation,
            "documents": searched.documents,
            "passages": searched.passages,
            "where": list(conditions(searched.plan.where)),
            "forms": _forms(searched.plan),
        },
    }


def _forms(plan: QueryPlan) -> list[dict[str, Any]]:
    return [{"lanes": list(form.lanes), "text": form.text} for form in forms(plan)]


def _gate(decision: Decision) -> dict[str, Any]:
    return {
        "certified": not decision.uncertified,
        "uncertified": decision.uncertified or None,
        "threshold": decision.threshold,
        **_signals(decision.signals),
    }


def _signals(signals: Signals) -> dict[str, Any]:
    held, asked = signals.exact
    return {
        "score": signals.score,
        "scale": signals.scale,
        "margin": signals.margin,
        "lanes": list(signals.lanes),
        "exact": {"held": held, "asked": asked, "absent": list(signals.absent)},
        "looked_up": signals.looked_up,
        "words": [
            {"word": word.word, "rarity": round(word.rarity, 4), "nearest": round(word.nearest, 4)}
            for word in signals.words
        ],
        "rare": round(signals.rare, 4),
        "polarity": signals.polarity,
        "excluding": signals.excluding,
    }


def _exact_term(term: ExactTerm) -> dict[str, Any]:
    tiers = zip(TIERS, term.tiers, strict=True)
    return {"text": term.text, "terms": {tier: list(held) for tier, held in tiers if held}}


def _hit(
    hit: DocumentHit,
    cards: Mapping[str, StudyCard],
    explain: bool,
    around: Mapping[ChunkId, Context],
) -> dict[str, Any]:
    nct_id = hit.document.parts[0]
    card = cards.get(nct_id)
    why = {"lanes": lanes(hit.found), "found": _found(hit.found)} if explain else {}
    return {
        "document": str(hit.document),
        "nct_id": nct_id,
        "title": card.title if card else None,
        "status": card.status if card else None,
        "score": hit.score,
        "scale": hit.scale,
        **why,
        "passages": [
            _passage(passage, explain) | _context(around.get(passage.chunk_id))
            for passage in hit.passages
        ],
    }


def _context(context: Context | None) -> dict[str, Any]:
    if context is None:
        return {}
    return {
        "context": [
            _slice(one, side)
            for side, slices in (("before", context.before), ("after", context.after))
            for one in slices
        ],
        "context_tokens": context.tokens,
        "context_left_out": context.left_out,
    }


def _slice(one: Slice, side: str) -> dict[str, Any]:
    return {
        "relation": one.relation,
        "side": side,
        "section": one.kind,
        "ordinal": one.ordinal,
        "text": one.text,
        "field": one.field,
        "span": [one.span.start, one.span.end],
        "labels": list(one.labels),
        "arms": list(one.arms),
        "cut": one.cut,
    }


def _passage(passage: Passage, explain: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": passage.chunk_id,
        "section": passage.kind,
        "ordinal": passage.ordinal,
        "part": passage.part,
        "text": passage.text,
        "field": passage.field,
        "span": [passage.span.start, passage.span.end],
        "parents": list(passage.parents),
        "labels": list(passage.labels),
        "arms": list(passage.arms),
        "score": passage.score,
        "lanes": lanes(passage.found),
    }
    if explain:
        shown["found"] = _found(passage.found)
    return shown


def _found(found: Iterable[Found]) -> list[dict[str, Any]]:
    return [
        {
            "lane": place.lane,
            "variant": place.variant,
            "rank": place.rank,
            "score": place.score,
            "scale": place.scale,
            "vote": place.vote,
        }
        for place in found
    ]
