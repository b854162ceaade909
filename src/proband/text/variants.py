"""Gene variants and alleles in one spelling: V600E = p.Val600Glu, F508del = deltaF508, HLA-B*57:01 = HLA-B5701.

An allele stands below its group and its gene: HLA-A*02:01 below HLA-A2 and HLA-A, CYP2C19*2 below CYP2C19.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from proband.text.codes import Mention

VARIANT = "variant"

_AMINO_ACIDS = {
    "ALA": "A", "ARG": "R", "ASN": "N", "ASP": "D", "CYS": "C", "GLN": "Q", "GLU": "E", "GLY": "G", "HIS": "H",
    "ILE": "I", "LEU": "L", "LYS": "K", "MET": "M", "PHE": "F", "PRO": "P", "SER": "S", "THR": "T", "TRP": "W",
    "TYR": "Y", "VAL": "V", "TER": "*",
}  # fmt: skip
_ONE = "[ACDEFGHIKLMNPQRSTVWY]"
_THREE = "|".join(name.title() for name in _AMINO_ACIDS)
_EXCHANGE = re.compile(rf"(?<![\w.])(?:p\.)?({_ONE}\d{{2,4}})([A-Z*](?:/[A-Z*])*)(?![\w-])")
_LONG_EXCHANGE = re.compile(
    rf"(?<![\w.])(?:p\.\(?)?({_THREE})-?(\d{{1,4}})-?({_THREE})(?![^\W_])", re.IGNORECASE
)
_DELETION = re.compile(
    rf"(?<![\w.])(?:p\.)?({_ONE}\d{{2,4}})[-\s]?del(?![^\W_])|(?:delta|\u0394)[-\s]?({_ONE}\d{{2,4}})(?![^\W_])",
    re.IGNORECASE,
)
_SNP = re.compile(r"(?<![^\W_])rs\d{3,}(?!\w)", re.IGNORECASE)
_HLA = re.compile(
    r"(?<![^\W_])HLA[-\s]?(?:(D[A-Z][AB]\d)(?:\*?(\d[\d:]*))?|(D?[A-Z])\*?(\d[\d:]*))(?![^\W_])",
    re.IGNORECASE,
)
_STAR = re.compile(
    r"(?<![^\W_])(?<!HLA[- ])([A-Z][A-Z0-9]{2,})\s?((?:\*\d+[A-Z]?/?)+)", re.IGNORECASE
)


def variants(text: str) -> Iterator[Mention]:
    """The variants and alleles of a folded text; of `V600E/K` both."""
    for match in _EXCHANGE.finditer(text):
        for other in match[2].split("/"):
            yield _mention(match, match[1] + other)
    for match in _LONG_EXCHANGE.finditer(text):
        before, after = (_AMINO_ACIDS[match[n].upper()] for n in (1, 3))
        yield _mention(match, before + match[2] + after)
    for match in _DELETION.finditer(text):
        yield _mention(match, f"{match[1] or match[2]}del")
    for match in _SNP.finditer(text) if "rs" in text or "RS" in text else ():
        yield _mention(match, match[0])
    for match in _HLA.finditer(text) if "HLA" in text or "hla" in text else ():
        yield _mention(match, _hla(match[1] or match[3], (match[2] or match[4] or "")))
    if "*" not in text:
        return
    for match in _STAR.finditer(text):
        for number in re.findall(r"\*\w+", match[2]):
            yield _mention(match, match[1] + number)


def _hla(gene: str, fields: str) -> str:
    """Group and allele apart, the group as it was counted before there were alleles: A*0201 = A2:01."""
    if not fields:
        return f"HLA-{gene}"
    digits = fields.replace(":", "")
    length = 2 if len(digits) != 3 else 1
    group, allele = digits[:length], digits[length:]
    return f"HLA-{gene}*{group.lstrip('0')}" + (f":{allele}" if allele else "")


def _mention(match: re.Match[str], value: str) -> Mention:
    return Mention(match.start(), match.end(), VARIANT, value.upper())
