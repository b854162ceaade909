"""Walks the tree and says of each line what it is; criteria come out with parents, labels and arms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from proband.text.reading import Reading
from proband.trials import labels, lead, line_scope, scope, wording
from proband.trials.criterion import CriterionKind
from proband.trials.headers import Side, read_sentence
from proband.trials.labels import Label
from proband.trials.standing import Standing, merged
from proband.trials.tree import Node


@dataclass(frozen=True, slots=True)
class Leaf:
    """A criterion before it is numbered."""

    kind: CriterionKind
    reading: Reading
    parents: tuple[str, ...]
    labels: tuple[str, ...]
    arms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """What a line stands under."""

    side: Side
    parents: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    said: Side | None = None


@dataclass(slots=True)
class Walk:
    """One walk over a tree. Afterwards: the leaves, the class of each line, and whether the list is said to go on."""

    published: str
    apart: bool
    """Whether the block has an exclusion list, so that `Eligibility` means inclusion."""
    older: bool
    leaves: list[Leaf] = field(default_factory=list)
    classes: list[tuple[int, int, str]] = field(default_factory=list)
    incomplete: bool = False
    standing: Standing = field(default_factory=Standing)

    def over(self, top: list[Node]) -> None:
        """Walks the whole tree."""
        for n, node in enumerate(top):
            self._outside(node, top[n + 1] if n + 1 < len(top) else None)

    def _book(self, node: Node, name: str) -> None:
        self.classes.append((node.line.start, node.line.end, name))

    def _outside(self, node: Node, following: Node | None) -> None:
        """A line outside the lists, or an item of the outermost list."""
        line = node.line
        if line.header and not (line.header.weak and self.standing.side is line.header.side):
            self._open_list(node)
            return self._list(node.below)
        if line.marks:
            return self._siblings([node], self._place())
        if self._is_aside(node):
            return self._list(node.below)
        text, style = node.text, (node.text.endswith((":", "：")), node.text.isupper())
        if label := labels.read_fixed(text, self.older):
            self.standing.open_label(replace(label, length=1), style)
            return self._headed(node, "label")
        if line.header:
            self.standing.open_label(_label(text), style)
            return self._headed(node, "label")
        leads = bool(node.below) or text.endswith((":", "：")) or _introduces(following)
        arms = scope.of_line(text) if leads or _is_header(following) else None
        if arms and not leads and not scope.names(text):
            arms = None
        if arms == scope.EVERYBODY:
            self.standing.end_scope(_label(text), style)
            return self._headed(node, "label")
        if arms and not (text.endswith(".")):
            self.standing.open_scope(arms, style)
            return self._headed(node, "scope")
        items = _texts_below(node)
        if items and lead.names_measurement(text, items):
            return self._parent(node)
        if leads and labels.looks_like_heading(text) and not _points(text):
            self.standing.open_label(_label(text), style)
            return self._headed(node, "label")
        self._paragraph(node)

    def _headed(self, node: Node, name: str) -> None:
        self._book(node, name)
        self._list(node.below)

    def _list(self, nodes: list[Node]) -> None:
        self._siblings(nodes, self._place())

    def _place(self) -> _Place:
        standing = self.standing
        return _Place(standing.current_side(), (), standing.current_labels(), standing.current_arms())

    def _open_list(self, node: Node) -> None:
        header = node.line.header
        assert header
        side = header.side
        if side is Side.ELIGIBILITY:
            side = Side.INCLUSION if self.apart else Side.MIXED
        self.standing.open_list(replace(header, side=side))
        self.incomplete |= header.partial
        self._book(node, "header")

    def _is_aside(self, node: Node) -> bool:
        """Notes, fillers and what says that more criteria stand elsewhere."""
        text = node.text
        if wording.is_incomplete(text):
            self.incomplete = True
            self._book(node, "note")
        elif wording.is_filler(text) or wording.is_connective(text):
            self._book(node, "filler")
            if text and not wording.is_connective(text) and not text.startswith("<!--"):
                self.standing.fresh = False
        elif node.line.footnote or wording.is_note(text):
            self._book(node, "note")
        else:
            return False
        return True

    def _paragraph(self, node: Node) -> None:
        """A criterion outside the lists; with a colon it is a parent of the list below it."""
        place = self._place()
        if node.below and node.text.endswith((":", "：")):
            if lead.says_nothing(node.text):
                return self._parent(node)
            below = self._criterion(node, place, parent=True)
            return self._siblings(node.below, below)
        self._criterion(node, place)
        self._list(node.below)

    def _parent(self, node: Node) -> None:
        place = self._place()
        self._book(node, "criterion")
        self._siblings(node.below, self._under(node, place))

    def _under(self, node: Node, place: _Place) -> _Place:
        arms = merged(place.arms, line_scope.of_text(node.text))
        said = self._said(node, place)
        return replace(place, parents=(*place.parents, node.text), arms=arms, said=said)

    @staticmethod
    def _said(node: Node, place: _Place) -> Side | None:
        """In a mixed list: the side that the line says, else that of the line above it."""
        return (wording.side_of(node.text) or place.said) if place.side is Side.MIXED else None

    def _siblings(self, nodes: list[Node], place: _Place) -> None:
        for node in nodes:
            place = self._item(node, place) or place

    def _item(self, node: Node, place: _Place) -> _Place | None:
        """A list item. Gives the place for its siblings when it is a heading without children."""
        if self._is_aside(node):
            self._siblings(node.below, place)
            return None
        text = node.text
        colon = text.endswith((":", "："))
        items = _texts_below(node)
        if items or colon:
            if (header := read_sentence(text, listed=True)) and header.length == len(text) and header.side in (place.side, Side.MIXED):
                self._book(node, "header")
                self._siblings(node.below, place)
                return None
            if heading := self._listed_heading(node, place, items):
                self._siblings(node.below, heading)
                return None if items else heading
        if items and (lead.names_measurement(text, items) or lead.says_nothing(text)):
            self._book(node, "criterion")
            self._siblings(node.below, self._under(node, place))
            return None
        below = self._criterion(node, place, parent=True)
        self._siblings(node.below, below)
        return None

    def _listed_heading(self, node: Node, place: _Place, items: list[str]) -> _Place | None:
        text = node.text
        if label := _turn(text):
            self._book(node, "label")
            return replace(place, labels=(*place.labels, label.text), side=label.side or place.side)
        arms = scope.of_item(text)
        if arms == scope.EVERYBODY:
            self._book(node, "label")
            return replace(place, labels=(*place.labels, _label(text).text))
        if arms:
            self._book(node, "scope")
            return replace(place, arms=merged(place.arms, arms))
        if labels.is_topic(text.rstrip(" :："), listed=True) and not _points(text):
            self._book(node, "label")
            return replace(place, labels=(*place.labels, _label(text).text))
        return None

    def _criterion(self, node: Node, place: _Place, parent: bool = False) -> _Place:
        own = line_scope.of_text(node.text)
        said = self._said(node, place)
        kind = _kind(place.side, said)
        self._book(node, "criterion")
        self.standing.fresh = False
        self.leaves.append(Leaf(kind, node.line.reading, place.parents, place.labels, merged(place.arms, own)))
        if not parent:
            return place
        return replace(place, parents=(*place.parents, node.text), arms=merged(place.arms, own), said=said)


def _texts_below(node: Node) -> list[str]:
    """The lines below that say something."""
    return [
        item.text
        for item in node.below
        if item.text and not (wording.is_filler(item.text) or wording.is_connective(item.text) or wording.is_note(item.text))
    ]


def _kind(side: Side, said: Side | None) -> CriterionKind:
    if side in (Side.INCLUSION, Side.EXCLUSION):
        return CriterionKind(side)
    return CriterionKind(said) if said else CriterionKind.UNPARSED


def _label(text: str) -> Label:
    return Label(text.strip(" :：*_"), 1)


def _turn(text: str) -> Label | None:
    label = labels.read_fixed(text, older=False)
    return label if label and label.level == 2 and label.length == len(text) else None


def _points(text: str) -> bool:
    return lead.says_nothing(text) and not labels.is_topic(text.rstrip(" :："), listed=False)


def _is_header(node: Node | None) -> bool:
    return node is not None and node.line.header is not None


def _introduces(node: Node | None) -> bool:
    """Whether the line is no item and introduces a list."""
    return node is not None and not node.line.marks and bool(node.below) and node.text.endswith((":", "："))
