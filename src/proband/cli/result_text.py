"""A search result for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from proband.catalogue.studies import StudyCard
from proband.cli.output import console
from proband.model import DocumentHit, Passage, SearchResult, SectionKind
from proband.search.explain import conditions, lanes, reasons

COLOURS = {
    SectionKind.INCLUSION_CRITERION: "green",
    SectionKind.EXCLUSION_CRITERION: "red",
    SectionKind.ELIGIBILITY_UNPARSED: "yellow",
}
WORDS = {
    SectionKind.INCLUSION_CRITERION: "inclusion",
    SectionKind.EXCLUSION_CRITERION: "EXCLUSION",
    SectionKind.ELIGIBILITY_UNPARSED: "eligibility (side not stated)",
}


def show_result(result: SearchResult, cards: Mapping[str, StudyCard], explain: bool) -> None:
    """Prints the studies with their passages, or that nothing was found and where it was looked for."""
    out = console()
    for rank, hit in enumerate(result.hits, 1):
        _show_hit(out, rank, hit, cards.get(hit.document.parts[0]))
    if not result.hits:
        out.print("Nothing found.")
    out.print(f"[dim]{escape(_foot(result))}[/dim]")
    if explain:
        _show_reasons(out, result)


def _show_hit(out: Console, rank: int, hit: DocumentHit, card: StudyCard | None) -> None:
    nct_id = hit.document.parts[0]
    facts = " · ".join(_facts(card)) if card else ""
    out.print(
        f"[bold]{rank}. {escape(nct_id)}[/bold]  {escape(facts)}  [dim]{hit.scale} {hit.score:.4f}[/dim]"
    )
    if card and card.title != nct_id:
        out.print(Padding(f"[bold]{escape(card.title)}[/bold]", (0, 0, 0, 3)))
    for passage in hit.passages:
        out.print(Padding(_passage(passage), (0, 0, 0, 3)))
    out.print()


def _facts(card: StudyCard) -> Iterator[str]:
    yield card.status or "status not stated"
    yield from (
        phase.replace("PHASE", "phase ").replace("EARLY_", "early ") for phase in card.phases
    )
    if card.last_update:
        yield f"as of {card.last_update}"


def _passage(passage: Passage) -> str:
    colour = COLOURS.get(passage.kind, "cyan")
    word = WORDS.get(passage.kind, passage.kind.replace("_", " ").lower())
    place = f"{word} {passage.ordinal}"
    above = "".join(
        f"{escape(text)} > " for text in (*passage.arms, *passage.labels, *passage.parents)
    )
    ranks = ", ".join(f"{lane} {rank}" for lane, rank in lanes(passage).items())
    return (
        f"[{colour}]{escape(place)}[/{colour}]  [dim]{above}[/dim]{escape(passage.text)}  "
        f"[dim]({ranks}; {escape(passage.field)} {passage.span.start}-{passage.span.end})[/dim]"
    )


def _foot(result: SearchResult) -> str:
    took = sum(result.timings_ms.values())
    parts = [f"generation {result.generation}", f"{len(result.hits)} studies", f"{took:.0f} ms"]
    if result.plan and result.plan.where.conditions:
        parts.append("only where " + ", ".join(conditions(result.plan.where)))
    if result.missing:
        parts.append(
            f"not in the catalogue, skipped: {', '.join(result.missing)} (run `proband reconcile`)"
        )
    return " · ".join(parts)


def _show_reasons(out: Console, result: SearchResult) -> None:
    from rich.table import Table

    table = Table(title="Where each passage was found", title_justify="left")
    for column in ("study", "passage", "lane", "rank", "score", "scale", "asked"):
        table.add_column(column)
    for reason in reasons(result):
        passage, found = reason.passage, reason.found
        table.add_row(
            reason.document.rpartition("/")[2],
            f"{passage.kind} {passage.ordinal}",
            found.lane,
            str(found.rank),
            f"{found.score:.4f}",
            found.scale,
            escape(reason.asked[:60]),
        )
    out.print(table)
    for stage, took in result.timings_ms.items():
        out.print(f"[dim]{stage}: {took:.1f} ms[/dim]")
