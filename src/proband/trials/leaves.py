"""Walks the tree in reading order: each line gets its class, each criterion its parents, labels and arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from proband.text.reading import Reading
from proband.trials import line_scope, roles, wording
from proband.trials.arms import ArmNames
from proband.trials.criterion import CriterionKind
from proband.trials.headers import Side
from proband.trials.roles import Kind, Role
from proband.trials.standing import Standing, merged
from proband.trials.tree import Node

CLASS_OF = {
    Kind.HEADER: "header",
    Kind.SCOPE: "scope",
    Kind.LABEL: "label",
    Kind.EVERYBODY: "label",
    Kind.PARENT: "criterion",
    Kind.CRITERION: "criterion",
    Kind.NOTE: "note",
    Kind.INCOMPLETE: "note",
    Kind.FILLER: "filler",
}
"""The class of the account in which the characters of a line count."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A criterion before it is numbered."""

    kind: CriterionKind
    reading: Reading
    above: tuple[Reading, ...]
    labels: tuple[str, ...]
    arms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """What a line stands under. `said`: in a mixed list, the side that the line above it says."""

    side: Side
    above: tuple[Reading, ...] = ()
    labels: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    said: Side | None = None


@dataclass(slots=True)
class Walk:
    """One walk over a tree; `leaves`, `classes` (published start, end, class of each line) and `incomplete` grow."""

    apart: bool
    """Whether the block has an exclusion list, so that `Eligibility` means inclusion."""
    older: bool
    known: ArmNames
    leaves: list[Leaf] = field(default_factory=list)
    classes: list[tuple[int, int, str]] = field(default_factory=list)
    incomplete: bool = False
    standing: Standing = field(default_factory=Standing)

    def over(self, top: list[Node]) -> None:
        """Walks the whole tree."""
        first = next((n for n, node in enumerate(top) if not _is_item(node)), len(top))
        self._list(top[:first], self._place())
        for node, following in pairwise((*top[first:], None)):
            if node is not None:
                self._outside(node, following)

    def _outside(self, node: Node, following: Node | None) -> None:
        role = roles.outside(node, following, self.standing.side, self.older, self.known)
        self._book(node, role)
        if role.kind is Kind.PARENT:
            self._list(node.below, self._under(node, self._place()))
        elif role.kind is Kind.CRITERION:
            under = self._criterion(node, self._place())
            self._list(node.below, under if roles.ends_in_colon(node.text) else self._place())
        else:
            self._stand(node, role)
            self._list(node.below, self._place())

    def _stand(self, node: Node, role: Role) -> None:
        """A heading outside the lists stays in force for the lines after it."""
        style = (roles.ends_in_colon(node.text), node.text.isupper())
        if role.header:
            self.standing.open_list(replace(role.header, side=self._resolved(role.header.side)))
            self.incomplete |= role.header.partial
        elif role.kind is Kind.SCOPE:
            self.standing.open_scope(role.arms, style)
        elif role.label and role.kind is Kind.EVERYBODY:
            self.standing.end_scope(role.label, style)
        elif role.label:
            self.standing.open_label(role.label, style)

    def _resolved(self, side: Side) -> Side:
        if side is not Side.ELIGIBILITY:
            return side
        return Side.INCLUSION if self.apart else Side.MIXED

    def _list(self, nodes: Sequence[Node], place: Place) -> None:
        """List items. A heading without items of its own holds for its siblings, up to the next such heading."""
        here = place
        among_scopes = any(map(roles.names_scope, nodes))
        for node in nodes:
            role = roles.in_list(node, place.side, self.known, among_scopes)
            self._book(node, role)
            heads = role.kind in (Kind.SCOPE, Kind.LABEL) and not roles.texts_below(node)
            under = self._below(node, role, place if heads else here)
            self._list(node.below, under)
            here = under if heads else here

    def _below(self, node: Node, role: Role, place: Place) -> Place:
        """The place of the lines below an item."""
        if role.kind is Kind.CRITERION:
            return self._criterion(node, place)
        if role.kind is Kind.PARENT:
            return self._under(node, place)
        if role.kind is Kind.SCOPE:
            return replace(place, arms=merged(place.arms, role.arms))
        if role.label:
            return replace(
                place, labels=(*place.labels, role.label.text), side=role.label.side or place.side
            )
        return place

    def _book(self, node: Node, role: Role) -> None:
        self.classes.append((node.line.start, node.line.end, CLASS_OF[role.kind]))
        self.incomplete |= role.kind is Kind.INCOMPLETE
        if role.kind in (Kind.CRITERION, Kind.PARENT) or (
            role.kind is Kind.FILLER and wording.is_filler(node.text)
        ):
            self.standing.fresh = False

    def _place(self) -> Place:
        standing = self.standing
        return Place(
            standing.current_side(), (), standing.current_labels(), standing.current_arms()
        )

    def _criterion(self, node: Node, place: Place) -> Place:
        under = self._under(node, place)
        kind = _kind(place.side, under.said)
        self.leaves.append(Leaf(kind, node.line.reading, place.above, place.labels, under.arms))
        return under

    @staticmethod
    def _under(node: Node, place: Place) -> Place:
        """The place of the lines below a parent."""
        said = (wording.side_of(node.text) or place.said) if place.side is Side.MIXED else None
        arms = merged(place.arms, line_scope.of_text(node.text))
        return replace(place, above=(*place.above, node.line.reading), arms=arms, said=said)


def _is_item(node: Node) -> bool:
    """Whether the top line is an item of a list that has no line above it."""
    return bool(node.line.marks) and not node.line.header


def _kind(side: Side, said: Side | None) -> CriterionKind:
    if side in (Side.INCLUSION, Side.EXCLUSION):
        return CriterionKind(side)
    return CriterionKind(said) if said else CriterionKind.UNPARSED
