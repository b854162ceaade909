"""The arm names that the study itself registers, and how names in its eligibility text link to them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_EDGES = ' \t:：.-–—*"“”'


class ArmNames:
    """The registered arm labels of one study."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = tuple(labels)
        self._exact = {_key(label): label for label in labels if _key(label)}

    def named(self, text: str) -> str | None:
        """The label that `text` is, without regard to case and edges; plain words such as `Control` do not count."""
        label = self._exact.get(_key(text))
        return label if label and len(label.split()) > 1 else None

    def linked(self, arm: str) -> str:
        """The one label that begins with `arm` (`Cohort A` -> `Cohort A: 10 mg`), or `arm` itself."""
        if not self._labels:
            return arm
        if exact := self._exact.get(_key(arm)):
            return exact
        identifier = arm.split()[-1]
        starts = rf"(?:[a-z ]+:\s*)?(?:{re.escape(arm)}|{re.escape(identifier)}(?=\s*[:.)]))(?!\w)"
        found = [label for label in self._labels if re.match(starts, label, re.IGNORECASE)]
        return found[0] if len(found) == 1 else arm


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).strip(_EDGES)
