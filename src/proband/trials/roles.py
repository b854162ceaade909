"""What one line of the tree is, given the lines below it: header, scope, label, parent, criterion, note or filler."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proband.trials import labels, lead, scope, wording
from proband.trials.arms import ArmNames
from proband.trials.headers import Header, Side, read_sentence
from proband.trials.labels import Label
from proband.trials.tree import Node

_COLONS = (":", "：", ":-")


class Kind(StrEnum):
    """What a line is.

    EVERYBODY is a label that ends the scope (`All cohorts:`), PARENT a line that says nothing without the lines below
    it, INCOMPLETE a note that further criteria stand elsewhere.
    """

    HEADER = "header"
    SCOPE = "scope"
    LABEL = "label"
    EVERYBODY = "everybody"
    PARENT = "parent"
    CRITERION = "criterion"
    NOTE = "note"
    INCOMPLETE = "incomplete"
    FILLER = "filler"


@dataclass(frozen=True, slots=True)
class Role:
    """What a line is, with what it brings: a header its header, a label its label, a scope its arms."""

    kind: Kind
    header: Header | None = None
    label: Label | None = None
    arms: tuple[str, ...] = ()


def outside(node: Node, following: Node | None, side: Side, older: bool, known: ArmNames) -> Role:
    """The role of a line outside the lists. `following` is the next such line, `side` the list that is open."""
    return _unlisted(_outside(node, following, side, older, known), side)


def _outside(node: Node, following: Node | None, side: Side, older: bool, known: ArmNames) -> Role:
    header, text = node.line.header, node.text
    if header:
        only_label = header.weak and (
            header.side is side or (header.side is Side.NONE and side is not Side.EXCLUSION)
        )
        return Role(Kind.LABEL, label=_label(text)) if only_label else Role(Kind.HEADER, header)
    if role := aside(node):
        return role
    if label := labels.read_fixed(text, older):
        return Role(Kind.LABEL, label=label)
    if role := _scope_line(node, following, known):
        return role
    below = texts_below(node)
    if below and lead.names_measurement(text, below):
        return Role(Kind.PARENT)
    leads = bool(node.below) or ends_in_colon(text) or _introduces(following)
    if leads and labels.looks_like_heading(text) and not _only_points(text):
        return Role(Kind.LABEL, label=_label(text))
    return Role(
        Kind.PARENT if below and ends_in_colon(text) and lead.says_nothing(text) else Kind.CRITERION
    )


def in_list(node: Node, side: Side, known: ArmNames, among_scopes: bool) -> Role:
    """The role of a list item in a list of `side`. `among_scopes`: other items of the list are scopes."""
    return _unlisted(_in_list(node, side, known, among_scopes), side)


def _in_list(node: Node, side: Side, known: ArmNames, among_scopes: bool) -> Role:
    if role := aside(node):
        return role
    text, below = node.text, texts_below(node)
    if below or ends_in_colon(text):
        header = read_sentence(text, listed=True)
        if header and header.length == len(text) and header.side in (side, Side.MIXED):
            return Role(Kind.HEADER, header)
        if role := _listed_heading(text, known, among_scopes and side is Side.INCLUSION):
            return role
    if below and (lead.names_measurement(text, below) or lead.says_nothing(text)):
        return Role(Kind.PARENT)
    return Role(Kind.CRITERION)


def _unlisted(role: Role, side: Side) -> Role:
    """After the end of the lists a line asks nothing of who would join."""
    asks = role.kind in (Kind.CRITERION, Kind.PARENT)
    return Role(Kind.NOTE) if asks and side is Side.NONE else role


def aside(node: Node) -> Role | None:
    """Notes, fillers, and what says that more criteria stand elsewhere."""
    text = node.text
    if wording.is_incomplete(text):
        return Role(Kind.INCOMPLETE)
    if wording.is_filler(text) or wording.is_connective(text):
        return Role(Kind.FILLER)
    if node.line.footnote or wording.is_note(text):
        return Role(Kind.NOTE)
    return None


def texts_below(node: Node) -> list[str]:
    """The lines directly below that say something."""
    return [item.text for item in node.below if aside(item) is None]


def ends_in_colon(text: str) -> bool:
    """Whether the line announces what comes."""
    return text.endswith(_COLONS)


def _scope_line(node: Node, following: Node | None, known: ArmNames) -> Role | None:
    """A scope on a line of its own. A part needs nothing more; a role or group must introduce something."""
    text = node.text
    if arm := known.named(text):
        return Role(Kind.SCOPE, arms=(arm,))
    leads = bool(node.below) or ends_in_colon(text) or _introduces(following)
    if text.endswith(".") or not (leads or _is_header(following)):
        return None
    arms = scope.of_line(text)
    if arms == scope.EVERYBODY:
        return Role(Kind.EVERYBODY, label=_label(text))
    return Role(Kind.SCOPE, arms=arms) if arms and (leads or scope.names(text)) else None


def names_scope(node: Node) -> bool:
    """Whether the item is a scope with items of its own."""
    return bool(node.below) and _listed_scope(node.text) not in (None, scope.EVERYBODY)


def _listed_heading(text: str, known: ArmNames, among_scopes: bool) -> Role | None:
    """`Patients with cirrhosis:` is a condition; after `For`, or beside `Healthy volunteers:`, it is a scope."""
    label = labels.read_fixed(text, older=False)
    if label and label.level == labels.TURN and label.length == len(text):
        return Role(Kind.LABEL, label=label)
    if arm := known.named(text):
        return Role(Kind.SCOPE, arms=(arm,))
    arms = _listed_scope(text)
    if arms is None and ends_in_colon(text) and (among_scopes or text.lower().startswith("for ")):
        arms = scope.of_line(text)
    if arms and arms != scope.EVERYBODY:
        return Role(Kind.SCOPE, arms=arms)
    topic = labels.is_topic(text.rstrip(" :："), listed=True)
    return Role(Kind.LABEL, label=_label(text)) if arms or topic else None


def _listed_scope(text: str) -> tuple[str, ...] | None:
    """The scope that an item names; a role or a group needs a colon: `Healthy men` alone is a condition."""
    arms = scope.of_item(text)
    return (
        arms if arms and (ends_in_colon(text) or scope.names(text) or scope.stages(text)) else None
    )


def _label(text: str) -> Label:
    return Label(text.strip(" :：*_"), labels.TOPIC)


def _only_points(text: str) -> bool:
    """`Any of the following` looks like a heading and is a parent."""
    return lead.says_nothing(text) and not labels.is_topic(text.rstrip(" :："), listed=False)


def _is_header(node: Node | None) -> bool:
    return node is not None and node.line.header is not None


def _introduces(node: Node | None) -> bool:
    """Whether the line is no item and introduces a list."""
    return (
        node is not None and not node.line.marks and bool(node.below) and ends_in_colon(node.text)
    )
