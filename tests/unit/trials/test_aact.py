"""AACT dumps: tables joined by study, columns found by name, faults named by table and line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.errors import ParseError
from proband.trials.aact import iter_aact
from proband.trials.fetched import Raw, Rejected
from proband.trials.registry import parse_study
from proband.trials.study import Arm, Intervention, Outcome, OutcomeKind, Site, Study

TABLES = {
    "studies": (
        "nct_id|last_update_posted_date|acronym|brief_title|official_title|overall_status|"
        "study_type|phase|enrollment\n"
        "NCT99000002|2026-01-02||Second||Recruiting|Observational|N/A|\n"
        "NCT99000001|2026-09-01|IMAGINE|Imaginol in Adults|A Study|ACTIVE_NOT_RECRUITING|"
        "INTERVENTIONAL|PHASE1/PHASE2|99999999\n"
    ),
    "eligibilities": (
        "id|nct_id|gender|minimum_age|maximum_age|healthy_volunteers|criteria\n"
        "1|NCT99000001|FEMALE|18 Years|65 Years|f|"
        "Inclusion Criteria:~* Age \\>= 18~* About \\~5 mg~~Exclusion Criteria:~* none\n"
        '2|NCT99000002|All|N/A|N/A|Accepts Healthy Volunteers|"two\n lines | and a pipe ~ tilde"\n'
    ),
    "brief_summaries": "id|nct_id|description\n1|NCT99000001|Short~text\n",
    "detailed_descriptions": "id|nct_id|description\n1|NCT99000001|Long\n",
    "conditions": (
        "id|nct_id|name|downcase_name\n"
        "2|NCT99000001|Breast Cancer|breast cancer\n3|NCT99000001|Pain|pain\n"
    ),
    "keywords": "id|nct_id|name|downcase_name\n1|NCT99000001|HER2-low|her2-low\n",
    "browse_conditions": (
        "id|nct_id|mesh_term|downcase_mesh_term|mesh_type\n"
        "1|NCT99000001|Breast Neoplasms|breast neoplasms|mesh-list\n"
        "2|NCT99000001|Neoplasms|neoplasms|mesh-ancestor\n"
        "3|NCT99000001|Leaf|leaf|mesh-browseLeave\n"
    ),
    "id_information": (
        "id|nct_id|id_source|id_value\n"
        "1|NCT99000001|org_study_id|X\n2|NCT99000001|nct_alias|NCT99000901\n"
    ),
    "design_groups": (
        "id|nct_id|group_type|title|description\n"
        "71|NCT99000001|Experimental|A|Imaginol daily\n72|NCT99000001|OTHER|B|\n"
    ),
    "interventions": (
        "id|nct_id|intervention_type|name|description\n"
        "81|NCT99000001|Drug|Imaginol|10 mg\n82|NCT99000001|DRUG|Placebo|\n"
    ),
    "intervention_other_names": "id|nct_id|intervention_id|name\n1|NCT99000001|81|IMG-1\n",
    "design_group_interventions": (
        "id|nct_id|design_group_id|intervention_id\n"
        "1|NCT99000001|71|81\n2|NCT99000001|72|82\n3|NCT99000001|72|81\n"
    ),
    "design_outcomes": (
        "id|nct_id|outcome_type|measure|time_frame|population|description\n"
        "1|NCT99000001|primary|Survival|5 years||\n2|NCT99000001|secondary|Pain|||By~diary\n"
    ),
    "facilities": (
        "id|nct_id|status|name|city|state|zip|country|latitude|longitude\n"
        "1|NCT99000001|Recruiting|Clinic|Springfield|Nowhere|1|Atlantis|48.2|16.37\n"
        "2|NCT99000001||Other|||||x|\n"
    ),
    "facility_contacts": "id|nct_id|name|email\n1|NCT99000001|Somebody|somebody@example.invalid\n",
}


def dump(tables: Mapping[str, str], size: int = 2**20) -> dict[str, Iterator[bytes]]:
    return {table: pieces(text.encode(), size) for table, text in tables.items()}


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    yield from (data[start : start + size] for start in range(0, len(data), size))


def studies(tables: Mapping[str, str]) -> list[Study]:
    return [parse_study(item.value) for item in iter_aact(dump(tables)) if isinstance(item, Raw)]


def test_every_column_reaches_its_place_in_the_study() -> None:
    study = studies(TABLES)[0]
    assert (study.nct_id, study.aliases) == ("NCT99000001", ("NCT99000901",))
    assert (study.brief_title, study.official_title) == ("Imaginol in Adults", "A Study")
    assert (study.acronym, study.last_update) == ("IMAGINE", "2026-09-01")
    assert study.status == "ACTIVE_NOT_RECRUITING"
    assert (study.study_type, study.phases) == ("INTERVENTIONAL", ("PHASE1", "PHASE2"))
    assert study.conditions == ("Breast Cancer", "Pain")
    assert study.keywords == ("HER2-low",)
    assert (study.mesh_terms, study.mesh_ancestors) == (("Breast Neoplasms",), ("Neoplasms",))
    assert study.arms == (Arm("A", "EXPERIMENTAL", "Imaginol daily"), Arm("B", "OTHER", None))
    assert study.interventions == (
        Intervention("DRUG", "Imaginol", "10 mg", ("A", "B"), ("IMG-1",)),
        Intervention("DRUG", "Placebo", None, ("B",), ()),
    )
    assert study.outcomes == (
        Outcome(OutcomeKind.PRIMARY, "Survival", None, "5 years"),
        Outcome(OutcomeKind.SECONDARY, "Pain", "By\ndiary", None),
    )
    assert study.sites == (
        Site("Clinic", "Springfield", "Nowhere", "Atlantis", "RECRUITING", 48.2, 16.37),
        Site("Other", None, None, None, None, None, None),
    )
    assert (study.sex, study.healthy_volunteers) == ("FEMALE", False)
    assert (study.min_age_days, study.max_age_days) == (6574, 24106)
    assert (study.brief_summary, study.detailed_description) == ("Short\ntext", "Long")


def test_studies_come_in_order_of_nct_id() -> None:
    assert [study.nct_id for study in studies(TABLES)] == ["NCT99000001", "NCT99000002"]


def test_line_ends_that_the_exporter_replaced_are_put_back() -> None:
    """The exporter writes a line end as "~"; the registry's markdown escapes a tilde that is meant."""
    assert studies(TABLES)[0].eligibility == (
        "Inclusion Criteria:\n* Age \\>= 18\n* About \\~5 mg\n\nExclusion Criteria:\n* none"
    )


def test_quoted_text_with_line_ends_and_pipes_is_left_as_it_is() -> None:
    assert studies(TABLES)[1].eligibility == "two\n lines | and a pipe ~ tilde"


def test_words_of_older_dumps_are_understood() -> None:
    study = studies(TABLES)[1]
    assert (study.status, study.study_type, study.phases) == (
        "RECRUITING",
        "OBSERVATIONAL",
        ("NA",),
    )
    assert (study.sex, study.healthy_volunteers) == ("ALL", True)


def test_contacts_are_not_read() -> None:
    assert "omebody" not in str(list(iter_aact(dump(TABLES))))


def test_two_tables_are_enough() -> None:
    few = {table: TABLES[table] for table in ("studies", "eligibilities")}
    assert [study.conditions for study in studies(few)] == [(), ()]


def test_older_dumps_without_a_mesh_type_have_only_own_terms() -> None:
    older = "id|nct_id|mesh_term\n1|NCT99000001|Breast Neoplasms\n"
    assert studies(TABLES | {"browse_conditions": older})[0].mesh_terms == ("Breast Neoplasms",)


def test_rows_of_a_study_that_is_not_in_the_dump_are_left_out() -> None:
    conditions = TABLES["conditions"] + "9|NCT99000009|Pain|pain\n"
    assert [s.nct_id for s in studies(TABLES | {"conditions": conditions})] == [
        "NCT99000001",
        "NCT99000002",
    ]


@given(st.integers(1, 50))
def test_the_size_of_the_pieces_makes_no_difference(size: int) -> None:
    assert list(iter_aact(dump(TABLES, size))) == list(iter_aact(dump(TABLES)))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("9|NCT99000001", "2 columns instead of 4"),
        ("9|NCT99000001|a|b|c", "5 columns instead of 4"),
        ("9||Pain|pain", "the row has no NCT id"),
        ('9|NCT99000001|"' + "x" * 200_000 + '"|', "0 columns instead of 4"),
    ],
)
def test_a_row_that_cannot_be_read_is_rejected_and_the_next_one_read(row: str, reason: str) -> None:
    header, first, rest = TABLES["conditions"].split("\n", 2)
    tables = TABLES | {"conditions": "\n".join([header, first, row, rest])}
    items = list(iter_aact(dump(tables)))
    assert items[0] == Rejected("conditions.txt, line 3", reason)
    assert [parse_study(item.value).conditions for item in items[1:] if isinstance(item, Raw)] == [
        ("Breast Cancer", "Pain"),
        (),
    ]


@pytest.mark.parametrize("table", ["studies", "eligibilities"])
def test_a_dump_without_its_main_tables_is_refused(table: str) -> None:
    tables = {name: text for name, text in TABLES.items() if name != table}
    with pytest.raises(ParseError, match=f"an AACT dump without {table}.txt"):
        list(iter_aact(dump(tables)))


def test_a_table_without_nct_ids_is_refused() -> None:
    with pytest.raises(ParseError, match=r"keywords\.txt has no column nct_id"):
        list(iter_aact(dump(TABLES | {"keywords": "id|name\n1|x\n"})))


def test_nothing_is_delivered_when_a_table_breaks_off() -> None:
    """Half a table of criteria would look like studies whose criteria were deleted."""

    def broken() -> Iterator[bytes]:
        yield TABLES["eligibilities"].encode()[:80]
        raise ParseError("cut off")

    tables: dict[str, Any] = dump(TABLES)
    tables["eligibilities"] = broken()
    items = iter_aact(tables)
    with pytest.raises(ParseError, match="cut off"):
        next(items)


def test_a_full_disk_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def small(name: str) -> sqlite3.Connection:
        store = connect(name)
        store.execute("PRAGMA max_page_count = 2")
        return store

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", small)
    tables = TABLES | {"keywords": TABLES["keywords"] + "9|NCT99000001|x|x\n" * 5_000}
    with pytest.raises(ParseError, match="could not be sorted in a temporary file: database or"):
        list(iter_aact(dump(tables)))


def test_byte_order_mark_and_crlf_are_understood() -> None:
    tables = {name: "\ufeff" + text.replace("\n", "\r\n") for name, text in TABLES.items()}
    assert [study.nct_id for study in studies(tables)] == ["NCT99000001", "NCT99000002"]
    assert studies(tables)[0].conditions == ("Breast Cancer", "Pain")
