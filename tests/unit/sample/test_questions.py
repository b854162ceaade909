"""The questions over the sample: what is judged exists, and agrees with the studies' own fields."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import groupby
from math import asin, cos, radians, sin, sqrt
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from proband.model import FOREVER
from proband.sample import VERSION
from proband.text.analyser import terms
from proband.text.exact import quoted_phrases
from proband.text.fold import fold
from proband.trials.ages import first_day, last_day
from sample_corpus import Raw, module, raw_studies, sites, status, strings

FOLDER = Path(__file__).parents[3] / "benchmarks" / "quality" / "sample"
FILE = FOLDER / "questions.jsonl"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
HEAD, *ROWS = (json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines())

KINDS = {"pointed", "narrative", "exact", "polarity", "filter", "no_answer"}
FILTERS = {
    "age", "sex", "recruiting", "near", "within", "phase", "study_type", "no_exclusions", "criteria_only",
}  # fmt: skip
EVERY_QUESTION = pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])

Row = dict[str, Any]


def of_kind(kind: str) -> list[Row]:
    return [row for row in ROWS if row["kind"] == kind]


def text_of(name: str) -> str:
    """Everything that a study says, markdown escapes removed."""
    return "\n".join(strings(raw_studies()[name])).replace("\\", "")


def kilometres(here: Raw, there: Raw) -> float:
    """Great circle distance of two geo points (haversine, Earth radius 6,371 km)."""
    north, north2 = radians(here["lat"]), radians(there["lat"])
    east = radians(there["lon"] - here["lon"])
    half = sin((north2 - north) / 2) ** 2 + cos(north) * cos(north2) * sin(east / 2) ** 2
    return 2 * 6371 * asin(sqrt(half))


def place(city: str) -> Raw:
    everywhere = (site for study in raw_studies().values() for site in sites(study))
    point: Raw = next(site["geoPoint"] for site in everywhere if site["city"] == city)
    return point


def admits_age(study: Raw, years: int) -> bool:
    limits = module(study, "eligibilityModule")
    lower, upper = first_day(limits.get("minimumAge")), last_day(limits.get("maximumAge"))
    return (lower or 0) <= (years + 1) * 365.25 and (upper or FOREVER) >= years * 365.25


def enrols_near(study: Raw, city: str, radius_km: float) -> bool:
    here = place(city)
    enrolling = [site["geoPoint"] for site in sites(study) if site["status"] == "RECRUITING"]
    return any(kilometres(here, there) <= radius_km for there in enrolling)


def passes(study: Raw, filters: Row) -> bool:
    """Whether the study's own fields let it through what the user chose."""
    design, limits = module(study, "designModule"), module(study, "eligibilityModule")
    phases = {phase.removeprefix("PHASE") for phase in design.get("phases", ())}
    return all(
        (
            "age" not in filters or admits_age(study, int(filters["age"])),
            "sex" not in filters or limits["sex"] in {"ALL", filters["sex"].upper()},
            "recruiting" not in filters or status(study) == "RECRUITING",
            "phase" not in filters or filters["phase"] in phases,
            "study_type" not in filters or design["studyType"] == filters["study_type"].upper(),
            "near" not in filters or enrols_near(study, filters["near"], filters["within"]),
        )
    )


def test_the_file_says_which_questions_and_which_sample_it_holds() -> None:
    assert HEAD == {"collection": "proband sample", "version": 3, "sample": VERSION}


def test_there_are_enough_questions_of_every_kind() -> None:
    assert {row["kind"] for row in ROWS} == KINDS
    assert len(of_kind("no_answer")) >= 300
    assert len(of_kind("pointed")) + len(of_kind("polarity")) >= 200


def test_the_readme_counts_the_questions_of_every_kind() -> None:
    table = {kind: int(n) for kind, n in re.findall(r"^\| (\w+) \| (\d+) \|", README, re.MULTILINE)}
    assert table == Counter(row["kind"] for row in ROWS)
    assert f"`questions.jsonl`: {len(ROWS)} questions" in README


def test_no_id_and_no_question_occurs_twice_even_if_folded() -> None:
    def asked(row: Row) -> tuple[str, str]:
        words = re.findall(r"\w+", fold(row["text"]))
        return " ".join(words), json.dumps(row.get("filters"))

    assert [name for name, n in Counter(row["id"] for row in ROWS).items() if n > 1] == []
    assert [text for text, n in Counter(map(asked, ROWS)).items() if n > 1] == []


def test_an_id_names_the_kind() -> None:
    prefixes = {"no_answer": "no-answer"}
    for row in ROWS:
        assert row["id"].startswith(prefixes.get(row["kind"], row["kind"]) + "-")


def test_every_study_is_asked_for_in_words() -> None:
    asked = {name for row in of_kind("pointed") + of_kind("polarity") for name in row["relevant"]}
    assert asked == set(raw_studies())


def test_questions_without_an_answer_are_as_long_as_those_with_one() -> None:
    def median_words(*kinds: str) -> float:
        return median(len(row["text"].split()) for kind in kinds for row in of_kind(kind))

    assert abs(median_words("no_answer") - median_words("pointed", "polarity")) <= 1


@EVERY_QUESTION
def test_judgements_name_studies_of_the_sample_with_a_grade_of_one_or_two(row: Row) -> None:
    assert set(row["relevant"]) | set(row.get("against", ())) <= set(raw_studies())
    assert set(row["relevant"].values()) <= {1, 2}
    assert set(row.get("filters", {})) <= FILTERS


@EVERY_QUESTION
def test_only_a_question_without_an_answer_has_no_study_that_fits(row: Row) -> None:
    assert (2 in row["relevant"].values()) == (row["kind"] != "no_answer")
    assert bool(row["relevant"]) == (row["kind"] != "no_answer")


@pytest.mark.parametrize("row", of_kind("no_answer"), ids=lambda row: row["id"])
def test_an_identifier_without_an_answer_is_of_no_study(row: Row) -> None:
    named = set(re.findall(r"NCT\d{8}|FICTION-\S+", row["text"]))
    assert [name for name in named for study in raw_studies() if name in text_of(study)] == []


@EVERY_QUESTION
def test_a_relevant_study_passes_the_filters(row: Row) -> None:
    filters = row.get("filters", {})
    assert [name for name in row["relevant"] if not passes(raw_studies()[name], filters)] == []


@pytest.mark.parametrize("row", of_kind("filter"), ids=lambda row: row["id"])
def test_a_filter_keeps_studies_out(row: Row) -> None:
    lines_only = set(row["filters"]) <= {"no_exclusions", "criteria_only"}
    assert lines_only or not all(passes(study, row["filters"]) for study in raw_studies().values())


@pytest.mark.parametrize("row", of_kind("exact"), ids=lambda row: row["id"])
def test_a_quoted_phrase_is_judged_by_who_holds_it(row: Row) -> None:
    for phrase in quoted_phrases(row["text"]):
        holders = {name for name in raw_studies() if phrase.casefold() in text_of(name).casefold()}
        assert holders == set(row["relevant"])


@pytest.mark.parametrize("row", of_kind("narrative"), ids=lambda row: row["id"])
def test_a_narrative_has_the_length_of_a_story(row: Row) -> None:
    assert 80 <= len(row["text"].split()) <= 200


def test_polarity_questions_come_in_pairs_that_oppose_each_other() -> None:
    by_pair = groupby(of_kind("polarity"), key=lambda row: row["pair"])
    pairs = {name: list(rows) for name, rows in by_pair}
    assert len(pairs) >= 10
    for name, (one, other) in pairs.items():
        assert [one["id"], other["id"]] == [f"polarity-{name}-a", f"polarity-{name}-b"]
        assert set(one.get("against", ())) == set(other["relevant"]) - set(one["relevant"])
        assert set(other.get("against", ())) == set(one["relevant"]) - set(other["relevant"])


def test_opposite_receptor_states_have_no_study_in_common() -> None:
    by_id = {row["id"]: set(row["relevant"]) for row in ROWS}
    for name in ("hr", "her2", "exon", "mgmt", "ef", "kras", "hiv"):
        assert by_id[f"polarity-{name}-a"] & by_id[f"polarity-{name}-b"] == set()


def test_two_in_five_pointed_questions_share_no_term_with_the_title_of_what_they_ask_for() -> None:
    def shared_terms(row: Row) -> set[str]:
        best = [name for name, grade in row["relevant"].items() if grade == 2]
        titles = [
            module(raw_studies()[name], "identificationModule")["briefTitle"] for name in best
        ]
        return set(terms(row["text"])) & {term for title in titles for term in terms(title)}

    apart = [row["id"] for row in of_kind("pointed") if not shared_terms(row)]
    assert len(apart) >= 0.4 * len(of_kind("pointed"))
