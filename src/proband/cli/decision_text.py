"""Whether a search was accepted or refused, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape

from proband.cli.output import wrapped
from proband.model import Accepted, Agreement, Breadth, Decision, QueryPlan, Refused, Signals
from proband.search.explain import forms

POLARITY = {
    Agreement.AGREES: "the passages agree with what the question denies or gives a sign",
    Agreement.OPPOSES: "the passages say the opposite of what the question denies or gives a sign",
    Agreement.SILENT: "the question denies nothing that the passages speak of",
}


def show_refusal(out: Console, refused: Refused, *, nearest: bool) -> None:
    """Why there is no answer, where it was looked for, and the heading of what is nearest, if anything is."""
    wrapped(out, f"[bold]{escape(refused.reason)}[/bold]", margin="")
    searched = refused.searched
    asked = _lanes(searched.plan) or "nothing"
    wrapped(
        out,
        f"[dim]Searched: generation {searched.generation}, {searched.passages:,} passages, by {asked}.[/dim]",
        margin="",
    )
    out.print()
    if nearest:
        out.print("[bold]Nearest passages, not an answer:[/bold]\n")


def _lanes(plan: QueryPlan) -> str:
    return ", ".join(dict.fromkeys(lane for form in forms(plan) for lane in form.lanes))


def show_standing(out: Console, decision: Decision, plan: QueryPlan | None) -> None:
    """That weak matches are not held back, and why, where that could have mattered."""
    weighed = plan is not None and plan.breadth is Breadth.POINTED and bool(plan.variants)
    weighed = weighed and isinstance(decision, Accepted) and not decision.signals.looked_up
    if weighed and decision.uncertified:
        wrapped(out, f"[dim]uncertified: {escape(decision.uncertified)}[/dim]", margin="")


def show_signals(out: Console, decision: Decision) -> None:
    """What the gate saw."""
    out.print("\n[bold]What the gate saw[/bold]")
    for line in _lines(decision.signals, decision.threshold):
        wrapped(out, f"[dim]{escape(line)}[/dim]")


def _lines(signals: Signals, threshold: float | None) -> Iterator[str]:
    if signals.score is not None:
        needed = "no threshold" if threshold is None else f"threshold {threshold:.4f}"
        margin = "" if signals.margin is None else f", {signals.margin:+.4f} to the next best"
        yield f"score {signals.score:.4f} ({signals.scale}, {needed}){margin}"
    if signals.words:
        words = (f"{word.word} {word.nearest:.2f} ({word.rarity:.2f})" for word in signals.words)
        yield f"nearest to each word (what it weighs): {', '.join(words)}"
        yield f"{signals.rare:.0%} of the question's weight stands in the first document literally"
    held, asked = signals.exact
    if asked:
        absent = f"; nowhere: {', '.join(signals.absent)}" if signals.absent else ""
        yield f"{held} of {asked} exact terms and phrases stand in the first document{absent}"
    if signals.lanes:
        yield f"the first document was found by {', '.join(signals.lanes)}"
    side = "an exclusion criterion" if signals.excluding else "no exclusion criterion"
    yield f"{POLARITY[signals.polarity]}; the first passage is {side}"
