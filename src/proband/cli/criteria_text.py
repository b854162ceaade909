"""A split for a person to read: a tree of criteria with their sides, labels, arms and parents."""

from __future__ import annotations

from dataclasses import asdict

from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from proband.trials.criterion import Criterion, CriterionKind, Split

COLOURS = {
    CriterionKind.INCLUSION: "green",
    CriterionKind.EXCLUSION: "red",
    CriterionKind.UNPARSED: "yellow",
}
SIDES = {
    CriterionKind.INCLUSION: "Inclusion",
    CriterionKind.EXCLUSION: "Exclusion",
    CriterionKind.UNPARSED: "Unparsed: the text does not say which list",
}


class _Branch:
    """A branch of the tree and the branches that were last added below it."""

    def __init__(self, tree: Tree, name: str) -> None:
        self.tree = tree
        self.name = name
        self.last: _Branch | None = None

    def below(self, name: str, shown: str) -> _Branch:
        """The branch of that name when it was the last one added, else a new one."""
        if self.last is None or self.last.name != name:
            self.last = _Branch(self.tree.add(shown), name)
        return self.last


def as_tree(split: Split) -> Tree:
    """The criteria in order, under their side, arms, labels and parents."""
    root = _Branch(Tree("Eligibility criteria", guide_style="dim"), "")
    for criterion in split.criteria:
        colour = COLOURS[criterion.kind]
        branch = root.below(criterion.kind, f"[bold {colour}]{SIDES[criterion.kind]}[/]")
        for arm in criterion.arms:
            branch = branch.below(f"@{arm}", f"[cyan]{escape(arm)}[/] only")
        for label in criterion.labels:
            branch = branch.below(f"#{label}", f"[italic]{escape(label)}[/]")
        for parent in criterion.parents:
            branch = branch.below(parent, escape(parent))
        branch.below(criterion.text, _line(criterion, colour))
    return root.tree


def _line(criterion: Criterion, colour: str) -> str:
    return f"[{colour}]{criterion.ordinal}[/] {escape(criterion.text)}"


def summary(split: Split) -> Text:
    """How many criteria, whether the list is said to go on elsewhere, and the account of all characters."""
    counts = [
        f"{sum(criterion.kind is kind for criterion in split.criteria)} {kind.lower()}"
        for kind in CriterionKind
    ]
    account = asdict(split.account)
    total = account.pop("characters")
    held = ", ".join(f"{name} {size:,}" for name, size in account.items() if size)
    parts = [", ".join(counts), f"{total:,} characters: {held or 'none'}"]
    if split.incomplete:
        parts.insert(1, "the text says that further criteria stand elsewhere")
    return Text(". ".join(parts) + f"; unaccounted {split.account.unaccounted}.", style="dim")
