"""Why each study and passage was found, for a person to read: `--explain`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from proband.cli.names import place_of
from proband.cli.output import wrapped
from proband.model import Lane, SearchResult
from proband.search.explain import Standing, conditions, forms, reasons, standings

ORDER = (
    "A rank is that of the study among studies, at its best passage; a number for each form that was asked, "
    "- where it was not found. fused adds vote / (rrf_k + rank) over all of them (docs/search.md) and gives the order; "
    "equal ones stand by their id."
)


def show_reasons(out: Console, result: SearchResult) -> None:
    """What was asked, why the studies stand in this order, and where each passage was found; how long it took."""
    if result.plan:
        out.print("\n[bold]What was asked[/bold]")
        for number, form in enumerate(forms(result.plan), 1):
            wrapped(out, f"[dim]{number} ({', '.join(form.lanes)})[/dim] {escape(form.text)}")
        for condition in conditions(result.plan.where):
            wrapped(out, f"[dim]only where[/dim] {escape(condition)}")
    if standing := standings(result):
        out.print("\n[bold]Why the studies stand in this order[/bold]")
        for n, line in enumerate(table(standing, out.width)):
            out.print(f"[dim]{line}[/dim]" if n == 0 else line, soft_wrap=True, markup=n == 0)
        wrapped(out, f"[dim]{ORDER}[/dim]")
    _show_passages(out, result)
    out.print()
    for stage, took in result.timings_ms.items():
        out.print(f"[dim]{stage}: {took:.1f} ms[/dim]")


def table(standing: Sequence[Standing], width: int) -> list[str]:
    """A row a study below a heading, columns aligned to the right; where they are too wide only the best ranks."""
    lanes = list(dict.fromkeys(lane for one in standing for lane in one.ranks))
    lines = _aligned(standing, lanes, best_only=False)
    if max(map(len, lines)) > width:
        return _aligned(standing, lanes, best_only=True)
    return lines


def _aligned(standing: Sequence[Standing], lanes: Sequence[Lane], *, best_only: bool) -> list[str]:
    reranked = any(one.rerank for one in standing)
    rows = [["", "study", *lanes, *(["rerank"] if reranked else []), "fused"]]
    for rank, one in enumerate(standing, 1):
        cells = [_cell(one.ranks[lane], best_only=best_only) for lane in lanes]
        again = [f"{one.rerank.rank} ({one.rerank.score:.3f})" if one.rerank else "-"]
        score = f"{one.score:.4f}"
        rows.append(
            [f"{rank}.", one.document.parts[0], *cells, *(again if reranked else []), score]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(size) if n == 1 else cell.rjust(size)
            for n, (cell, size) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _cell(ranks: Sequence[int | None], *, best_only: bool) -> str:
    known = [rank for rank in ranks if rank is not None]
    if best_only or not known:
        return str(min(known)) if known else "-"
    return "/".join("-" if rank is None else str(rank) for rank in ranks)


def _show_passages(out: Console, result: SearchResult) -> None:
    """Each passage with lane, rank, score and the number of what found it."""
    out.print("\n[bold]Where each passage was found[/bold]")
    for reason in reasons(result):
        found = ", ".join(
            f"{place.lane} {place.rank} ({place.scale} {place.score:.4f}, asked {number})"
            for place, number in reason.places
        )
        wrapped(
            out,
            f"{reason.document.rpartition('/')[2]} {escape(place_of(reason.passage))}: [dim]{found}[/dim]",
        )
