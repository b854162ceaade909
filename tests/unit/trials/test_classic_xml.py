"""Classic XML: every field at its API v2 place, text as published, and nothing dangerous expanded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proband.errors import ParseError
from proband.trials import classic_xml
from proband.trials.classic_xml import iter_classic_xml
from proband.trials.fetched import Raw
from proband.trials.registry import parse_study
from proband.trials.study import Arm, Intervention, Outcome, OutcomeKind, Site

FULL = """<?xml version="1.0" encoding="UTF-8"?>
<clinical_study rank="1">
  <required_header><url>https://registry.invalid/NCT99000001</url></required_header>
  <id_info>
    <org_study_id>IMG-1</org_study_id>
    <nct_id>NCT99000001</nct_id>
    <nct_alias>NCT99000901</nct_alias>
  </id_info>
  <brief_title>Imaginol in
    Adults</brief_title>
  <acronym>IMAGINE</acronym>
  <official_title>A Phase 1/2 Study of Imaginol</official_title>
  <brief_summary>
    <textblock>
      First line&#13;
      second line
    </textblock>
  </brief_summary>
  <detailed_description><textblock>Details &lt; 5</textblock></detailed_description>
  <overall_status>Active, not recruiting</overall_status>
  <start_date type="Actual">May 2004</start_date>
  <phase>Phase 1/Phase 2</phase>
  <study_type>Interventional</study_type>
  <primary_outcome>
    <measure>Survival</measure><time_frame>5 years</time_frame>
    <description>From  randomisation</description>
  </primary_outcome>
  <secondary_outcome><measure>Pain</measure></secondary_outcome>
  <enrollment type="Actual">99999999</enrollment>
  <condition>Breast Cancer</condition>
  <condition>Pain</condition>
  <arm_group>
    <arm_group_label>A</arm_group_label>
    <arm_group_type>Active Comparator</arm_group_type>
    <description>Imaginol daily</description>
  </arm_group>
  <intervention>
    <intervention_type>Dietary Supplement</intervention_type>
    <intervention_name>Imaginol</intervention_name>
    <description>10 mg</description>
    <arm_group_label>A</arm_group_label>
    <other_name>IMG-1</other_name>
  </intervention>
  <eligibility>
    <criteria>
      <textblock>
        Inclusion Criteria:

          -  \u2265 18 years
      </textblock>
    </criteria>
    <gender>Female</gender>
    <minimum_age>18 Years</minimum_age>
    <maximum_age>N/A</maximum_age>
    <healthy_volunteers>Accepts Healthy Volunteers</healthy_volunteers>
  </eligibility>
  <overall_official><last_name>Somebody</last_name></overall_official>
  <location>
    <facility>
      <name>Clinic</name>
      <address>
        <city>Springfield</city><state>Nowhere</state><zip>1</zip><country>Atlantis</country>
      </address>
    </facility>
    <status>Recruiting</status>
    <contact><last_name>Somebody</last_name><email>somebody@example.invalid</email></contact>
  </location>
  <last_update_posted type="Actual">May 21, 2014</last_update_posted>
  <keyword>HER2-low</keyword>
  <condition_browse><mesh_term>Breast Neoplasms</mesh_term></condition_browse>
  <intervention_browse><mesh_term>Vitamins</mesh_term></intervention_browse>
</clinical_study>
"""


def minimal(nct_id: str, inside: str = "") -> str:
    return f"<clinical_study><id_info><nct_id>{nct_id}</nct_id></id_info>{inside}</clinical_study>"


def pieces(text: str, size: int = 2**20) -> Iterator[bytes]:
    data = text.encode()
    yield from (data[start : start + size] for start in range(0, len(data), size))


def test_every_field_reaches_its_place_in_the_study() -> None:
    (raw,) = iter_classic_xml(pieces(FULL))
    study = parse_study(raw.value)
    assert (study.nct_id, study.aliases) == ("NCT99000001", ("NCT99000901",))
    assert study.brief_title == "Imaginol in Adults"
    assert study.official_title == "A Phase 1/2 Study of Imaginol"
    assert study.acronym == "IMAGINE"
    assert study.status == "ACTIVE_NOT_RECRUITING"
    assert study.last_update == "2014-05-21"
    assert (study.study_type, study.phases) == ("INTERVENTIONAL", ("PHASE1", "PHASE2"))
    assert study.conditions == ("Breast Cancer", "Pain")
    assert (study.keywords, study.mesh_terms) == (("HER2-low",), ("Breast Neoplasms",))
    assert study.arms == (Arm("A", "ACTIVE_COMPARATOR", "Imaginol daily"),)
    assert study.interventions == (
        Intervention("DIETARY_SUPPLEMENT", "Imaginol", "10 mg", ("A",), ("IMG-1",)),
    )
    assert study.outcomes == (
        Outcome(OutcomeKind.PRIMARY, "Survival", "From  randomisation", "5 years"),
        Outcome(OutcomeKind.SECONDARY, "Pain", None, None),
    )
    assert study.sites == (
        Site("Clinic", "Springfield", "Nowhere", "Atlantis", "RECRUITING", None, None),
    )
    assert (study.sex, study.healthy_volunteers) == ("FEMALE", True)
    assert (study.min_age_days, study.max_age_days) == (6574, None)


def test_text_blocks_keep_their_white_space_and_line_ends() -> None:
    (raw,) = iter_classic_xml(pieces(FULL))
    study = parse_study(raw.value)
    assert study.brief_summary == "\n      First line\r\n      second line\n    "
    assert study.eligibility == (
        "\n        Inclusion Criteria:\n\n          -  \u2265 18 years\n      "
    )
    assert study.detailed_description == "Details < 5"


def test_the_object_has_the_shape_of_the_api() -> None:
    (raw,) = iter_classic_xml(pieces(FULL))
    assert isinstance(raw.value, dict)
    status = raw.value["protocolSection"]["statusModule"]
    assert status["startDateStruct"] == {"date": "2004-05"}
    assert raw.value["protocolSection"]["designModule"]["enrollmentInfo"] == {"count": 99999999}
    assert raw.value["_source"] == {"layout": "classic_xml"}


def test_contacts_are_not_carried_over() -> None:
    (raw,) = iter_classic_xml(pieces(FULL))
    assert "Somebody" not in str(raw.value)
    assert "somebody" not in str(raw.value)


def test_what_is_not_stated_is_left_out() -> None:
    (raw,) = iter_classic_xml(pieces(minimal("NCT99000002")))
    assert raw.value == {
        "protocolSection": {"identificationModule": {"nctId": "NCT99000002"}},
        "_source": {"layout": "classic_xml"},
    }


def test_criteria_without_a_text_block_are_read() -> None:
    text = minimal("NCT99000002", "<eligibility><criteria> Adults </criteria></eligibility>")
    (raw,) = iter_classic_xml(pieces(text))
    assert parse_study(raw.value).eligibility == " Adults "


def test_several_studies_in_one_file_are_read_with_their_lines() -> None:
    text = f"<studies>\n{minimal('NCT99000001')}\n\n{minimal('NCT99000002')}\n</studies>"
    raws = list(iter_classic_xml(pieces(text)))
    assert [parse_study(raw.value).nct_id for raw in raws] == ["NCT99000001", "NCT99000002"]
    assert [raw.at for raw in raws] == ["line 2", "line 4"]


@given(st.integers(1, 60))
def test_the_size_of_the_pieces_makes_no_difference(size: int) -> None:
    assert list(iter_classic_xml(pieces(FULL, size))) == list(iter_classic_xml(pieces(FULL)))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_the_declared_encoding_is_used(encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>' + minimal(
        "NCT99000001", "<brief_title>Müller</brief_title>"
    )
    (raw,) = iter_classic_xml([text.encode(encoding)])
    assert parse_study(raw.value).brief_title == "Müller"


def test_studies_before_a_fault_are_delivered() -> None:
    text = f"<studies>{minimal('NCT99000001')}\n<clinical_study><oops></clinical_study></studies>"
    items = iter_classic_xml(pieces(text))
    assert isinstance(next(items), Raw)
    with pytest.raises(ParseError, match=r"^not well-formed XML: mismatched tag at line 2, column"):
        next(items)


def test_a_file_that_ends_too_early_is_a_fault() -> None:
    with pytest.raises(ParseError, match="not well-formed XML: no element found at line"):
        list(iter_classic_xml(pieces(FULL[:500])))


def test_xml_of_another_schema_is_named_by_its_root() -> None:
    text = "<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>"
    with pytest.raises(ParseError, match="XML of another schema: <PubmedArticleSet> instead of"):
        list(iter_classic_xml(pieces(text)))


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/hostname">',
        '<!ENTITY % a SYSTEM "http://127.0.0.1:9/x">',
    ],
)
def test_entity_declarations_are_refused(declaration: str) -> None:
    text = f"<!DOCTYPE clinical_study [{declaration}]>" + minimal("NCT99000001")
    with pytest.raises(ParseError, match="entity declarations are refused"):
        list(iter_classic_xml(pieces(text)))


def test_a_study_larger_than_a_record_may_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classic_xml, "LARGEST_RECORD", 1000)
    endless = (b"x" * 100 for _ in iter(int, 1))
    chunks = (chunk for part in ([b"<clinical_study>"], endless) for chunk in part)
    with pytest.raises(ParseError, match="a study of more than 1,000 bytes"):
        list(iter_classic_xml(chunks))


def test_many_small_studies_are_not_taken_for_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classic_xml, "LARGEST_RECORD", 1000)
    text = "<studies>" + minimal("NCT99000001") * 100 + "</studies>"
    assert len(list(iter_classic_xml(pieces(text, 200)))) == 100
