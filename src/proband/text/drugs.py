"""Names of drugs as exact terms: without doses, forms and salts, and what combinations are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from proband.text.analyser import NUMBER, UNIT
from proband.text.keys import plain_name, unpadded_key

DRUG = "drug"
INGREDIENT = "in"

LONGEST = 80
"""Characters of the longest key: what is longer describes a treatment and does not name it."""

_LABEL = re.compile(
    r"^\s*(?:(?:drug|biological|dietary supplement|combination product|comparator|experimental|active|brand name"
    r"|trade name|generic name|other name|also known as|aka|formerly|arm \w+|group \w+|treatment \w+)\s*[:=-]\s*)+",
    re.IGNORECASE,
)
_DOSE = re.compile(
    rf"(?<![\w.-]){NUMBER}(?:\s?(?:-|to|/)\s?{NUMBER})?[\s-]?{UNIT}(?![^\W_])"
    r"(?:\s?/\s?(?:kg|m2|day|d|ml|week|dose|h|hr|inhalation|puff)\b)*",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"(?<![^\W_])(?:(?:\d+\s)?(?:tablets?|capsules?|caps?|pills?)|injections?|injectables?|infusions?|inhalers?|inhalation|orally|oral"
    r"|intravenous(?:ly)?|intravitreal|intramuscular|intranasal|intrathecal|subcutaneous(?:ly)?|iv|sc|im|po|topical|ophthalmic"
    r"|nasal|vaginal|rectal|transdermal|ointment|cream|gel|lotion|solution|suspension|syrup|spray|patch(?:es)?|powder|drops"
    r"|(?:once|twice|three times|thrice)(?: a| per)? (?:daily|day|weekly|week|month|monthly)|(?:daily|weekly|monthly)"
    r"|o?qd|bid|tid|qid|q\d+[wdh]|q[wdh]"
    r"|(?:low|high|medium|single|standard|maintenance|loading|fixed|multiple)[- ]doses?|doses?"
    r"|(?:extended|sustained|immediate|modified|controlled|prolonged|delayed)[- ]release|xr|er|sr|ir|mr|cr"
    r"|formulation|treatment|therapy|administration)(?![^\W_])",
    re.IGNORECASE,
)
_SALTS = frozenset({
    "hydrochloride", "dihydrochloride", "hcl", "hydrobromide", "bromide", "chloride", "sodium", "disodium",
    "potassium", "calcium", "magnesium", "sulfate", "sulphate", "phosphate", "diphosphate", "acetate",
    "citrate", "tartrate", "bitartrate", "ditartrate", "maleate", "mesylate", "mesilate", "dimesylate",
    "besylate", "tosylate", "ditosylate", "fumarate", "hemifumarate", "succinate", "nitrate", "lactate",
    "gluconate", "carbonate", "tromethamine", "pamoate", "palmitate", "propionate", "dipropionate", "valerate",
    "furoate", "disoproxil", "alafenamide", "medoxomil", "monohydrate", "dihydrate", "trihydrate",
    "hemihydrate", "hydrate", "anhydrous", "xinafoate", "etexilate", "marboxil",
})  # fmt: skip
_NO_DRUG = re.compile(
    r"placebos?|sham|usual care|standard of care|no (?:treatment|intervention)", re.IGNORECASE
)
_ANY = frozenset({
    "chemotherapy", "radiotherapy", "radiation", "irradiation", "surgery", "observation", "control", "controls",
    "vehicle", "drug", "drugs", "treatment", "therapy", "standardtherapy", "questionnaire", "survey", "vaccine",
    "vaccines", "vaccination", "comparator", "intervention", "other", "none", "exercise", "diet",
    "immunotherapy", "antibiotic", "antibiotics", "steroid", "steroids", "blood", "bloodsample",
    "bestsupportivecare", "supportivecare", "radiationtherapy", "transplantation", "ct", "mri", "pet", "biopsy",
})  # fmt: skip
"""What every second study has: no name of one drug."""

_AND = re.compile(
    r"\s*(?:[+/,;&]|(?<!\w)(?:and|plus|with|or|versus|vs\.?)(?!\w))\s*", re.IGNORECASE
)
_WITHIN = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")


def drug_terms(names: Iterable[str]) -> tuple[str, ...]:
    """The exact terms of a drug with all its names, and of the ingredients that a combination's name tells."""
    each = [name for name in names if not _NO_DRUG.search(name)]
    whole = dict.fromkeys(found for name in each for found in _name_keys(name))
    parts = dict.fromkeys(found for name in each for found in _ingredient_keys(name))
    return (
        *(f"{DRUG}:{found}" for found in whole),
        *(f"{INGREDIENT}:{found}" for found in parts if found not in whole),
    )


def named_drug(words: str) -> tuple[str, ...]:
    """The terms of drugs that these words could be the name of, the drug itself first; none for everyday words."""
    found = unpadded_key(words)
    return (f"{DRUG}:{found}", f"{INGREDIENT}:{found}") if _is_name(found) else ()


def _name_keys(name: str) -> Iterator[str]:
    for form in _forms(name):
        bare = _without_dose(form)
        yield from filter(
            _is_name, (unpadded_key(form), unpadded_key(bare), unpadded_key(_without_salt(bare)))
        )


def _forms(name: str) -> Iterator[str]:
    """The name as published, without its label, without what stands in brackets, and that alone."""
    plain = _LABEL.sub("", plain_name(name))
    yield plain
    yield _WITHIN.sub(" ", plain)
    for groups in _WITHIN.findall(plain):
        yield from re.split(r"[;,]", "".join(groups))


def _ingredient_keys(name: str) -> Iterator[str]:
    plain = _WITHIN.sub(" ", _LABEL.sub("", plain_name(name)))
    parts = _AND.split(plain)
    if len(parts) > 1:
        for part in parts:
            bare = _without_dose(part)
            yield from filter(
                _is_ingredient, (unpadded_key(bare), unpadded_key(_without_salt(bare)))
            )


def _without_dose(name: str) -> str:
    bare = " ".join(_FORM.sub(" ", _DOSE.sub(" ", name)).split())
    return bare if re.search(r"[^\W\d_]{2}", bare) else name


def _without_salt(name: str) -> str:
    """`metformin hydrochloride` is metformin; sodium chloride is nothing else."""
    words = name.split()
    while len(words) > 1 and words[-1].lower() in _SALTS:
        words.pop()
    return name if words and words[-1].lower() in _SALTS else " ".join(words)


def _is_name(found: str) -> bool:
    return 1 < len(found) <= LONGEST and found not in _ANY and not found.replace("-", "").isdigit()


def _is_ingredient(found: str) -> bool:
    return _is_name(found) and sum(letter.isalpha() for letter in found) > 3
