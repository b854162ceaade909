"""Splits the eligibility text of a study into criteria."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proband.trials.criterion import Account, Criterion, CriterionKind, Split
from proband.trials.markup import clean, without_bold
from proband.trials.marks import read_marks

__all__ = ["SPLITTER_VERSION", "Account", "Criterion", "CriterionKind", "Split", "split_criteria"]

SPLITTER_VERSION = 1
"""Changes when the same text gives other criteria: `doctor` then says that a rebuild is due."""


def split_criteria(text: str, arm_names: Sequence[str] = (), parent_prefix: int = 160) -> Split:
    """The criteria of `text`, in order."""
    kind, counts, criteria = CriterionKind.UNPARSED, dict.fromkeys(CriterionKind, 0), []
    total = held = 0
    for found in re.finditer(r"[^\r\n]+", text):
        size = len("".join(found.group().split()))
        total += size
        reading = without_bold(clean(text, found.start(), found.end()))
        _, at = read_marks(reading.text)
        reading = reading.slice(at).strip()
        low = reading.text.lower()
        if len(low) < 60 and ("exclusion" in low or "inclusion" in low):
            kind = CriterionKind.EXCLUSION if "exclusion" in low else CriterionKind.INCLUSION
        elif reading.text:
            held += size
            counts[kind] += 1
            criteria.append(Criterion(kind, counts[kind], reading, (), (), (), reading.text))
    return Split(tuple(criteria), False, Account(total, header=total - held, criterion=held))
