"""Splits the eligibility text of a study into criteria: lossless, nested, scoped.

published text ─▶ lines ─▶ parts ─▶ tree ─▶ leaves ─▶ criteria
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from proband.trials.arms import ArmNames
from proband.trials.criterion import Account, Criterion, CriterionKind, Split
from proband.trials.headers import Side
from proband.trials.labels import is_older_layout
from proband.trials.leaves import Leaf, Walk
from proband.trials.lines import scan
from proband.trials.parts import take_apart
from proband.trials.tree import nest

__all__ = ["SPLITTER_VERSION", "Account", "Criterion", "CriterionKind", "Split", "split_criteria"]

SPLITTER_VERSION = 2
"""Changes when the same text gives other criteria: `doctor` then says that a rebuild is due."""


def split_criteria(text: str, arm_names: Sequence[str] = (), parent_prefix: int = 160) -> Split:
    """The criteria of an eligibility block, in order, with an account of every character.

    Args:
        text: the block exactly as published; spans count in it.
        arm_names: the labels of the study's arm groups; scopes in the text are linked to them where they match.
        parent_prefix: most characters of a parent in `embed_text`.
    """
    older = is_older_layout(text)
    parts = list(take_apart(scan(text), older))
    apart = any(part.header and part.header.side is Side.EXCLUSION for part in parts)
    walk = Walk(apart, older, ArmNames(arm_names))
    walk.over(nest(parts))
    criteria = tuple(_numbered(walk.leaves, walk.known, parent_prefix))
    return Split(criteria, walk.incomplete, _account(text, walk.classes))


def _numbered(leaves: Iterable[Leaf], known: ArmNames, parent_prefix: int) -> Iterator[Criterion]:
    ordinals: Counter[CriterionKind] = Counter()
    for leaf in leaves:
        ordinals[leaf.kind] += 1
        arms = tuple(known.linked(arm) for arm in leaf.arms)
        parents = [reading.text for reading in leaf.above]
        embedded = embed_text(leaf.reading.text, parents, parent_prefix)
        yield Criterion(
            leaf.kind, ordinals[leaf.kind], leaf.reading, leaf.above, leaf.labels, arms, embedded
        )


def embed_text(text: str, parents: Sequence[str], limit: int) -> str:
    """The parents, each cut to its first sentence or clause and to `limit` characters, then the text."""
    above = (abbreviated(parent, limit) for parent in parents)
    return ": ".join([*filter(None, above), text])


def abbreviated(parent: str, limit: int) -> str:
    """The first sentence of `parent`, or as many of its clauses or words as fit in `limit` characters."""
    sentence = re.split(r"(?<=[a-z)\]]{2})[.!?](?=\s+[A-Z])", parent, maxsplit=1)[0].rstrip(
        " .:;,："
    )
    if len(sentence) <= limit:
        return sentence
    cut = sentence[: limit + 1]
    for border in (r"[,;:]\s", r"\s"):
        ends = [found.start() for found in re.finditer(border, cut) if found.start() >= limit // 4]
        if ends:
            return cut[: ends[-1]].rstrip(" .:;,")
    return sentence[:limit]


def _account(text: str, classes: Iterable[tuple[int, int, str]]) -> Account:
    sizes: Counter[str] = Counter()
    for start, end, name in classes:
        sizes[name] += sum(map(len, text[start:end].split()))
    return Account(sum(map(len, text.split())), **sizes)
