"""Light stemming: the plural goes and British spelling becomes American; meaning stays."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A lower-case word without plural and in American spelling.

    Tumours = tumor, biopsies = biopsy, leukaemia = leukemia, metastases = metastasis.

    The plural rules are Harman's S stemmer ("How effective is suffixing?", JASIS 1991) with the Greek plural of -sis.
    """
    if len(word) <= 3 or not word.isalpha():
        return word
    return _american(_singular(word))


def _singular(word: str) -> str:
    if word.endswith(("stases", "gnoses", "lyses", "theses", "ptoses")):
        return word[:-2] + "is"
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("us", "ss", "is")):
        return word[:-1]
    return word


def _american(word: str) -> str:
    word = word.replace("ae", "e").replace("oe", "e") if "e" in word else word
    if len(word) > 5 and word.endswith("our"):
        word = word[:-3] + "or"
    return re.sub(r"is(e|ed|ing|ation)$", r"iz\1", word)
