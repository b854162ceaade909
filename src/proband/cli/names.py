"""What a person calls the sections of a study."""

from __future__ import annotations

from proband.model import Passage, SectionKind

WORDS = {
    SectionKind.INCLUSION_CRITERION: "inclusion",
    SectionKind.EXCLUSION_CRITERION: "EXCLUSION",
    SectionKind.ELIGIBILITY_UNPARSED: "eligibility (side not stated)",
}


def place_of(passage: Passage) -> str:
    """The kind and number of its section."""
    return f"{name_of(passage.kind)} {passage.ordinal}"


def name_of(kind: SectionKind) -> str:
    """What a person calls sections of this kind; exclusion criteria in capitals."""
    return WORDS.get(kind, kind.replace("_", " ").lower())
