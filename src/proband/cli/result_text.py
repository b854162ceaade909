"""A search result for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from proband.catalogue.studies import StudyCard
from proband.cli.decision_text import show_refusal, show_signals, show_standing
from proband.cli.explain_text import show_reasons
from proband.cli.names import name_of, place_of
from proband.cli.output import console, wrapped
from proband.model import ChunkId, DocumentHit, Passage, Refused, SearchResult, SectionKind
from proband.search.around import Relation
from proband.search.expand import Context, Cut, Slice
from proband.search.explain import conditions, lanes

COLOURS = {
    SectionKind.INCLUSION_CRITERION: "green",
    SectionKind.EXCLUSION_CRITERION: "red",
    SectionKind.ELIGIBILITY_UNPARSED: "yellow",
}

BAR = "   | "
NOTHING: Mapping[ChunkId, Context] = {}


def show_result(
    result: SearchResult,
    cards: Mapping[str, StudyCard],
    explain: bool,
    around: Mapping[ChunkId, Context] = NOTHING,
) -> None:
    """Prints the studies with their passages, or that nothing was found and where it was looked for.

    What stands `around` a passage is printed dimmed, each line after a bar.
    """
    out = console()
    if isinstance(result.decision, Refused):
        show_refusal(out, result.decision, nearest=bool(result.nearest))
    else:
        for phrase in result.absent:
            found = (
                f'No passage with the wording "{phrase}" was found; what follows is only near it.'
            )
            wrapped(out, f"{escape(found)}\n", margin="")
    for rank, hit in enumerate((*result.hits, *result.nearest), 1):
        _show_hit(out, rank, hit, cards.get(hit.document.parts[0]), around)
    if result.decision is None and not result.hits:
        out.print("Nothing found.")
    wrapped(out, f"[dim]{escape(_foot(result))}[/dim]", margin="")
    if result.decision:
        show_standing(out, result.decision, result.plan)
    if explain:
        show_reasons(out, result)
        if result.decision:
            show_signals(out, result.decision)


def _show_hit(
    out: Console,
    rank: int,
    hit: DocumentHit,
    card: StudyCard | None,
    around: Mapping[ChunkId, Context],
) -> None:
    nct_id = hit.document.parts[0]
    facts = " · ".join(_facts(card)) if card else ""
    wrapped(
        out,
        f"[bold]{rank}. {escape(nct_id)}[/bold]  {escape(facts)}  [dim]{hit.scale} {hit.score:.4f}[/dim]",
        margin="",
    )
    if card and card.title != nct_id:
        wrapped(out, f"[bold]{escape(card.title)}[/bold]")
    for number, passage in enumerate(hit.passages):
        if around and number:
            out.print()  # else it is not plain to which passage a line between two belongs
        show_passage(out, passage, around.get(passage.chunk_id))
    out.print()


def _facts(card: StudyCard) -> Iterator[str]:
    yield card.status or "status not stated"
    yield from (
        phase.replace("PHASE", "phase ").replace("EARLY_", "early ") for phase in card.phases
    )
    if card.last_update:
        yield f"as of {card.last_update}"


def show_passage(out: Console, passage: Passage, context: Context | None) -> None:
    """Prints the passage with what stands around it, in the order of the document."""
    if context is None:
        wrapped(out, _passage(passage, passage.parents))
        return
    given = {one.text for one in context.before if one.relation is Relation.PARENT}
    parents = [parent for parent in passage.parents if parent not in given]
    for one in context.before:
        wrapped(out, _slice(one), BAR)
    wrapped(out, _passage(passage, parents))
    for one in context.after:
        wrapped(out, _slice(one), BAR)
    if context.left_out:
        more = "line" if context.left_out == 1 else "lines"
        wrapped(out, f"[dim]({context.left_out} more {more} around it not shown whole)[/dim]", BAR)


def _slice(one: Slice) -> str:
    start, end = ("... " if one.cut is Cut.START else ""), (" ..." if one.cut is Cut.END else "")
    above = "".join(f"{text} > " for text in (*one.arms, *one.labels))
    place = f"{one.field} {one.span.start}-{one.span.end}"
    return f"[dim]{escape(f'{_named(one)}{above}{start}{one.text}{end}  ({place})')}[/dim]"


def _named(one: Slice) -> str:
    if one.relation is Relation.PART or one.ordinal is None:
        return ""
    return f"{name_of(one.kind)} {one.ordinal}  "


def _passage(passage: Passage, parents: Sequence[str]) -> str:
    colour = COLOURS.get(passage.kind, "cyan")
    above = "".join(f"{escape(text)} > " for text in (*passage.arms, *passage.labels, *parents))
    ranks = ", ".join(f"{lane} {rank}" for lane, rank in lanes(passage.found).items())
    return (
        f"[{colour}]{escape(place_of(passage))}[/{colour}]  [dim]{above}[/dim]{escape(passage.text)}  "
        f"[dim]({ranks}; {escape(passage.field)} {passage.span.start}-{passage.span.end})[/dim]"
    )


def _foot(result: SearchResult) -> str:
    took = sum(result.timings_ms.values())
    shown = len(result.hits) + len(result.nearest)
    parts = [f"generation {result.generation}", f"{shown} studies", f"{took:.0f} ms"]
    if result.plan and result.plan.where.conditions:
        parts.append("only where " + "; ".join(conditions(result.plan.where)))
    if result.missing:
        parts.append(
            f"not in the catalogue, skipped: {', '.join(result.missing)} (run `proband reconcile`)"
        )
    return " · ".join(parts)
