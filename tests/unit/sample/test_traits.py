"""The sample carries the traits of real registry text; `docs/sample.md` names examples of each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from proband.trials.ages import first_day
from sample_corpus import Raw, eligibility, module, raw_studies, sites, status

PAGE = Path(__file__).parents[3] / "docs" / "sample.md"
ROW = re.compile(r"\| (?P<trait>[^|]+) \| (?P<studies>NCT\d{8}(?:, NCT\d{8})*) \|")

Trait = Callable[[Raw], bool]


def text(pattern: str, flags: re.RegexFlag = re.MULTILINE) -> Trait:
    """The eligibility text, as published, matches."""
    return lambda study: bool(re.search(pattern, eligibility(study), flags))


def without_header(words: str) -> Trait:
    """No short line of the eligibility text holds one of the words, in any case."""
    header = re.compile(rf"^.{{0,60}}({words}).{{0,20}}$", re.MULTILINE | re.IGNORECASE)
    return lambda study: not header.search(eligibility(study))


def limits(study: Raw) -> tuple[str | None, str | None]:
    ages = module(study, "eligibilityModule")
    return ages.get("minimumAge"), ages.get("maximumAge")


def intervention(kind: str) -> Trait:
    return lambda study: f'"type": "{kind}"' in json.dumps(module(study, "armsInterventionsModule"))


def ages_disagree(study: Raw) -> bool:
    """The text states an age range other than the fields'."""
    stated = re.search(r"aged (\d+) to (\d+) years", eligibility(study))
    return stated is not None and limits(study) != tuple(f"{age} Years" for age in stated.groups())


TRAITS: dict[str, Trait] = {
    "escaped comparators (`\\>=`)": text(r"\\[<>]="),
    "escaped bold headers (`\\*\\*Inclusion Criteria:\\*\\*`)": text(r"^\\\*\\\*Inclusion Criteria:\\\*\\\*$"),
    "escaped numbers (`1\\.`)": text(r"^1\\\. "),
    "list break (`<!-- -->`)": text(r"^<!-- -->$"),
    "lone dash": text(r"^\\-$"),
    "unicode bullets": text(r"^[•▪➢] "),
    "roman numerals": text(r"^III\. "),
    "circled digits": text(r"^ *③ "),
    "three levels of nesting": text(r"^ {4,}\* "),
    "full-width punctuation": text(r"[；，（]"),
    "French headers": text(r"^Critères de non-inclusion :$"),
    "German headers": text(r"^Ausschlusskriterien:$"),
    "Spanish headers": text(r"^Criterios de exclusión:$"),
    "Chinese headers": text(r"^排除标准：$"),
    "Key criteria only": text(r"^Key Exclusion Criteria ?:$"),
    "second person headers": text(r"^You will not be eligible for this study if you:$"),
    "header of another wording (`not eligible if`)": text(r"^Patients are not eligible if:$"),
    "both lists on one line": text(r"Inclusion Criteria: 1\. .+ Exclusion Criteria: 1\. "),
    "one header for both lists": text(r"^INCLUSION/EXCLUSION CRITERIA:$"),
    "no header at all": without_header("clusion|eligible|characteristics|criteri"),
    "PDQ layout, in lines and run together": text(
        r"^DISEASE CHARACTERISTICS:.*^PRIOR CONCURRENT THERAPY:", re.MULTILINE | re.DOTALL
    ),
    "ACTG layout": text(r"^Excluded within 30 days of study entry:$"),
    "headers with a cohort": text(r"^(Inclusion Criteria for )?Cohort B:$"),
    "arms that contradict each other": text(
        r"(no|never).{0,20} (BCMA|chemotherapy|biologic).*(Cohort B|Group 2)", re.DOTALL | re.IGNORECASE
    ),
    "block of more than 8,000 characters": lambda study: len(eligibility(study)) > 8000,
    "footnote mark": text(r"contraception\\\*1"),
    "no exclusion at all (`None`)": text(r"^\* None$"),
    "lost superscript (`109/L`)": text(r"×109/L"),
    "power with sign (`10^9/L`)": text(r"10\\\^9/L"),
    "count per mm3": text(r"/mm\\?\^?3"),
    "ULN with a condition": text(r"ULN.{0,12}(if|but).{0,9}(liver|ULN)"),
    "decimal comma": text(r"\d,\d(\d)? ?(g/dL|×|mg/L|m²)"),
    "eGFR, the kidney value": text(r"eGFR \\?[<>≥]"),
    "EGFR, the gene": text(r"\bEGFR (exon|or HER2 exon)"),
    "ECOG": text(r"ECOG"),
    "Karnofsky or Lansky": text(r"Karnofsky|Lansky"),
    "exception to an exclusion": text(r"xclu.*(except|exception)", re.DOTALL),
    "washout": text(r"washout|half-lives"),
    "negated inclusion": text(r"^\* No (prior|EGFR)"),
    "prior lines at least": text(r"At least [23] prior lines"),
    "prior lines at most": text(r"(No m|M)ore than [23] prior lines"),
    "alternatives in a group": text(r"at least one of the following:\n\n +\*"),
    "at least two of a group": text(r"At least two of the following"),
    "childbearing potential": text(r"childbearing potential"),
    "consent": text(r"consent"),
    "investigator's opinion": text(r"in the investigator's opinion"),
    "age in months or days": lambda study: bool(re.search(r"Month|Day", str(limits(study)))),
    "no ages": lambda study: limits(study) == (None, None),
    "text and field disagree on age": ages_disagree,
    "one sex": lambda study: module(study, "eligibilityModule")["sex"] != "ALL",
    "healthy volunteers": lambda study: module(study, "eligibilityModule").get("healthyVolunteers") is True,
    "recruiting, some sites not": lambda study: status(study) == "RECRUITING"
    and {"RECRUITING", "ACTIVE_NOT_RECRUITING"} <= {site["status"] for site in sites(study)},
    "posted protocol": lambda study: '"hasProtocol": true' in json.dumps(study),
    "observational registry": lambda study: module(study, "designModule").get("patientRegistry") is True,
    "device": intervention("DEVICE"),
    "behavioural": intervention("BEHAVIORAL"),
}  # fmt: skip

EXAMPLES = [
    (row["trait"], name)
    for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))
    for name in row["studies"].split(", ")
]


@pytest.mark.parametrize(("trait", "name"), EXAMPLES)
def test_the_study_named_in_the_docs_has_the_trait(trait: str, name: str) -> None:
    assert TRAITS[trait](raw_studies()[name])


def test_the_docs_give_examples_of_every_trait() -> None:
    assert list(dict.fromkeys(trait for trait, _ in EXAMPLES)) == list(TRAITS)


def test_common_lines_stand_in_several_studies() -> None:
    lines = [
        set(re.findall(r"^\* (.+)$", eligibility(study), re.MULTILINE))
        for study in raw_studies().values()
    ]
    for line in ("Pregnant or breastfeeding", "Measurable disease by RECIST 1.1", "ECOG 0-2"):
        assert sum(line in each for each in lines) >= 2


def test_some_children_are_too_young_for_a_trial_of_older_children() -> None:
    lower = {name: first_day(limits(study)[0]) for name, study in raw_studies().items()}
    assert lower["NCT99000070"] == 0
    assert lower["NCT99000060"] == 182
    assert lower["NCT99000044"] == 4383
