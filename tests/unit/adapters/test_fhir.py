"""FHIR files as a database: whole or refused, the newest of each resource, and every reference an id."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fhir_samples import bundle, coded, ndjson, patient, resource, rows, staged
from proband.adapters import fhir_stream
from proband.adapters.fhir import stage_fhir
from proband.errors import SourceUnavailable

URN = "urn:uuid:00000000-0000-4000-8000-000000000001"


def observation(id: str = "r-1", **values: Any) -> dict[str, Any]:
    return resource("Observation", id, code=coded("Zorbla level"), **values)


def about(reference: object) -> dict[str, Any]:
    return observation() | {"subject": reference}


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["collection", "searchset", "transaction", "document"])
def test_bundle_of_any_kind_is_read(tmp_path: Path, kind: str) -> None:
    entries = ({"resource": patient()}, {"resource": observation()})
    db, notes = staged(tmp_path, b_json=bundle(*entries, kind=kind))
    assert len(rows(db, "patients")) == len(rows(db, "observations")) == 1
    assert notes == []


FORMS = {
    "lines": (ndjson(patient(), observation()), "a_ndjson"),
    "packed lines": (gzip.compress(ndjson(patient(), observation()).encode()), "a_ndjson_gz"),
    "lines behind a mark": ("\ufeff" + ndjson(patient(), observation()), "a_ndjson"),
    "a list": (json.dumps([patient(), observation()]), "a_json"),
    "an indented bundle": (
        json.dumps(
            json.loads(bundle({"resource": patient()}, {"resource": observation()})), indent=1
        ),
        "a_json",
    ),
    "the type of the bundle last": (
        json.dumps({"entry": [{"resource": patient()}, {"resource": observation()}]})[:-1]
        + ', "resourceType": "Bundle"}',
        "a_json",
    ),
    "bundles as lines": (
        ndjson(
            json.loads(bundle({"resource": patient()})),
            json.loads(bundle({"resource": observation()})),
        ),
        "a_ndjson",
    ),
    "a bundle in a bundle": (
        bundle(
            {"resource": json.loads(bundle({"resource": patient()}, {"resource": observation()}))}
        ),
        "a_json",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_form_of_a_file_does_not_matter(tmp_path: Path, form: str) -> None:
    content, name = FORMS[form]
    db, notes = staged(tmp_path, **{name: content})
    assert [row["id"] for row in rows(db, "patients")] == ["p-1"]
    assert [row["patient_id"] for row in rows(db, "observations")] == ["p-1"]
    assert notes == []


def test_folder_is_read_with_its_subfolders_and_single_resources(tmp_path: Path) -> None:
    staged(tmp_path / "below", o_json=json.dumps(observation()))
    db, _ = staged(tmp_path, p_json=json.dumps(patient()), readme_txt="no")
    assert len(rows(db, "patients")) == len(rows(db, "observations")) == 1


def test_bad_line_is_skipped_and_named_without_its_text(tmp_path: Path) -> None:
    lines = f'{json.dumps(patient())}\n{{"zorbla": \n{json.dumps(observation())}\n[1\n{{}}\n'
    db, notes = staged(tmp_path, a_ndjson=lines)
    assert len(rows(db, "observations")) == 1
    assert notes == [
        "a.ndjson, line 2: skipped, not valid JSON: Expecting value (column 12).",
        "a.ndjson, line 4: skipped, not valid JSON: Expecting ',' delimiter (column 3).",
        "a.ndjson, line 5: skipped, not a FHIR resource: it has no resourceType.",
    ]


def test_line_that_nests_too_deep_or_is_too_long_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fhir_stream, "LONGEST_VALUE", 300_000)
    deep = '{"resourceType": "Patient", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    long = '{"resourceType": "Patient", "x": "' + "x" * 400_000 + '"}'
    db, notes = staged(tmp_path, a_ndjson=f"{json.dumps(patient())}\n{deep}\n{long}\n")
    assert len(rows(db, "patients")) == 1
    assert notes == [
        "a.ndjson, line 2: skipped, not valid JSON: a number is too long or nesting too deep.",
        "a.ndjson, line 3: skipped, longer than 300,000 characters.",
    ]


BREAKS_OFF = {
    "a cut bundle": (bundle({"resource": patient()})[:-9].encode(), "b.json"),
    "cut packed lines": (gzip.compress(ndjson(patient()).encode())[:-9], "b.ndjson.gz"),
    "no JSON": (b"zorbla", "b.json"),
}


@pytest.mark.parametrize("kind", BREAKS_OFF)
def test_file_that_breaks_off_stages_nothing(tmp_path: Path, kind: str) -> None:
    content, name = BREAKS_OFF[kind]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(
        SourceUnavailable, match=rf"{name} cannot be read to its end \(.*replace it"
    ):
        stage_fhir((tmp_path,), sqlite3.connect(":memory:"))


def test_path_without_resources_is_one_sentence(tmp_path: Path) -> None:
    db = sqlite3.connect(":memory:")
    with pytest.raises(SourceUnavailable, match="holds no FHIR file"):
        stage_fhir((tmp_path,), db)
    with pytest.raises(SourceUnavailable, match=r"nowhere\.json does not exist"):
        stage_fhir((tmp_path / "nowhere.json",), sqlite3.connect(":memory:"))


def test_types_that_are_not_read_are_counted(tmp_path: Path) -> None:
    others = (
        {"resourceType": "Claim", "id": "c"},
        {"resourceType": "Claim"},
        {"resourceType": "List"},
    )
    _, notes = staged(tmp_path, a_ndjson=ndjson(patient(), *others))
    assert notes == ["Resource types that are not read: Claim 2, List 1."]


KINDS = (
    *(
        "Patient",
        "Condition",
        "Observation",
        "MedicationRequest",
        "MedicationStatement",
        "Procedure",
    ),
    *("AllergyIntolerance", "DiagnosticReport", "DocumentReference", "Encounter", "Immunization"),
    *("Medication", "Organization", "Binary"),
)
NAMES = (
    *("meta", "code", "category", "component", "note", "identifier", "name", "link", "content"),
    *(
        "class",
        "type",
        "period",
        "location",
        "reaction",
        "dosageInstruction",
        "dosage",
        "contained",
    ),
    *("presentedForm", "referenceRange", "medicationReference", "encounter", "context", "issued"),
    *("onsetAge", "valueQuantity", "effectivePeriod", "vaccineCode", "protocolApplied", "subject"),
    *(
        "text",
        "coding",
        "system",
        "value",
        "unit",
        "data",
        "contentType",
        "attachment",
        "reference",
    ),
    *("timing", "repeat", "doseAndRate", "display", "other", "start", "effectiveDateTime", "low"),
)


@pytest.mark.parametrize("wrong", [[], "x", 7, None, True, {"coding": "x"}, [[{"coding": [1]}]]])
def test_value_of_the_wrong_shape_is_read_as_absent(tmp_path: Path, wrong: Any) -> None:
    resources = [{**resource(kind), **dict.fromkeys(NAMES, wrong)} for kind in KINDS[1:]]
    odd = {**patient("p-2"), **dict.fromkeys(NAMES, wrong)}
    db, _ = staged(tmp_path, a_ndjson=ndjson(patient(), odd, *resources))
    assert len(rows(db, "patients")) == 2
    assert [len(rows(db, name)) for name in ("conditions", "documents", "immunizations")] == [
        1,
        1,
        1,
    ]


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(kind=st.sampled_from(KINDS), values=st.dictionaries(st.sampled_from(NAMES), ANY, max_size=8))
def test_no_resource_ends_the_reading(kind: str, values: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        line = json.dumps({**values, "resourceType": kind, "id": "r-1"})
        db, _ = staged(Path(folder), a_ndjson=f"{line}\n{ndjson(patient())}")
        db.close()


# --- versions ---------------------------------------------------------------------------------------------------------


def version(number: str, updated: str | None = None, **values: Any) -> dict[str, Any]:
    meta = {"versionId": number} | ({"lastUpdated": updated} if updated else {})
    return observation(meta=meta, **values)


VERSIONS = {
    "number": (version("10", status="final"), version("9", status="preliminary")),
    "instant": (
        version("1", "2024-03-05T10:00:00+03:00", status="final"),
        version("2", "2024-03-05T06:59:59Z", status="preliminary"),
    ),
}


@pytest.mark.parametrize("by", VERSIONS)
@pytest.mark.parametrize("order", [1, -1])
def test_newest_version_counts_wherever_it_stands(tmp_path: Path, by: str, order: int) -> None:
    db, notes = staged(tmp_path, a_ndjson=ndjson(patient(), *VERSIONS[by][::order]))
    assert [row["status"] for row in rows(db, "observations")] == ["final"]
    assert notes == ["1 older version of resources that came more than once; the newest counts."]


@pytest.mark.parametrize("order", [1, -1])
def test_parts_of_an_older_version_go_with_it(tmp_path: Path, order: int) -> None:
    def part(text: str) -> dict[str, Any]:
        return {"code": coded(text), "valueInteger": 1}

    old = version("1", component=[part("Zorbla"), part("Quux"), part("Wibble")])
    new = version("2", component=[part("Zorbla now")])
    merged = patient(link=[{"type": "replaced-by", "other": {"reference": "Patient/p-2"}}])
    unmerged = patient(meta={"versionId": "2"})
    lines = ndjson(*(old, new)[::order], *(merged, unmerged)[::order])
    db, _ = staged(tmp_path, a_ndjson=lines)
    assert [row["name"] for row in rows(db, "observation_components")] == ["Zorbla now"]
    assert rows(db, "patient_merges") == []


@pytest.mark.parametrize(
    ("at", "left"), [(None, 0), ("2024-03-06T00:00:00Z", 0), ("2024-03-01T00:00:00Z", 1)]
)
def test_resource_that_a_bundle_deletes_is_gone(tmp_path: Path, at: str | None, left: int) -> None:
    gone = {"request": {"method": "DELETE", "url": "Observation/r-1"}}
    gone |= {"response": {"lastModified": at}} if at else {}
    entries = ({"resource": patient()}, {"resource": version("1", "2024-03-05T00:00:00Z")}, gone)
    db, notes = staged(tmp_path, b_json=bundle(*entries, kind="history"))
    assert len(rows(db, "observations")) == left
    assert notes == ([] if left else ["1 resource left out that a bundle says was deleted."])


# --- references -------------------------------------------------------------------------------------------------------


REFERENCES: dict[str, dict[str, Any]] = {
    "relative": {"reference": "Patient/p-1"},
    "of a version": {"reference": "Patient/p-1/_history/3"},
    "absolute": {"reference": "https://example.org/fhir/Patient/p-1"},
    "by the bundle's name": {"reference": URN},
    "by a search": {"reference": "Patient?identifier=http://example.org/mrn|SYN-7"},
    "by an identifier": {"identifier": {"system": "http://example.org/mrn", "value": "SYN-7"}},
}


@pytest.mark.parametrize("kind", REFERENCES)
def test_reference_of_every_form_leads_to_the_patient(tmp_path: Path, kind: str) -> None:
    known = patient(identifier=[{"system": "http://example.org/mrn", "value": "SYN-7"}])
    entries = ({"resource": about(REFERENCES[kind])}, {"resource": known, "fullUrl": URN})
    db, notes = staged(tmp_path, b_json=bundle(*entries))
    assert [row["patient_id"] for row in rows(db, "observations")] == ["p-1"]
    assert notes == []


def test_contained_patient_is_looked_up_by_its_identifier(tmp_path: Path) -> None:
    number = {"system": "http://example.org/mrn", "value": "SYN-7"}
    inside = {"resourceType": "Patient", "id": "me", "identifier": [number]}
    contained = about({"reference": "#me"}) | {"contained": [inside]}
    db, _ = staged(tmp_path, a_ndjson=ndjson(contained, patient(identifier=[number])))
    assert [row["patient_id"] for row in rows(db, "observations")] == ["p-1"]


def test_identifier_of_two_patients_leads_to_neither(tmp_path: Path) -> None:
    number = {"system": "http://example.org/mrn", "value": "SYN-7"}
    patients = (patient(identifier=[number]), patient("p-2", identifier=[number]))
    db, notes = staged(tmp_path, a_ndjson=ndjson(about({"identifier": number}), *patients))
    assert "patient_id" not in rows(db, "observations")[0]
    assert len(notes) == 1


def test_identifier_that_a_patient_no_longer_has_leads_to_nobody(tmp_path: Path) -> None:
    number = {"system": "http://example.org/mrn", "value": "SYN-7"}
    old = patient(identifier=[number], meta={"versionId": "1"})
    new = patient(meta={"versionId": "2"})
    db, _ = staged(tmp_path, a_ndjson=ndjson(new, old, about({"identifier": number})))
    assert "patient_id" not in rows(db, "observations")[0]


@pytest.mark.parametrize(
    "reference",
    [
        {"reference": "Patient/p-9"},
        {"reference": "Group/p-1"},
        {"reference": "#none"},
        {},
        "Patient/p-1",
    ],
)
def test_row_about_nobody_is_counted_and_is_nobodys(tmp_path: Path, reference: Any) -> None:
    db, notes = staged(tmp_path, a_ndjson=ndjson(patient(), about(reference)))
    assert {row.get("patient_id") for row in rows(db, "observations")} <= {None, "p-9"}
    assert notes == [
        "observations: 1 row about a patient who is not in these files, or about none."
    ]


def test_resource_without_an_id_takes_that_of_its_url_or_of_its_content(tmp_path: Path) -> None:
    def nameless(**values: Any) -> dict[str, Any]:
        return {name: value for name, value in observation(**values).items() if name != "id"}

    entries = (
        {"resource": patient()},
        {"resource": nameless(), "fullUrl": URN},
        {"resource": nameless(status="final")},
        {"resource": nameless(status="final")},
    )
    db, notes = staged(tmp_path, b_json=bundle(*entries))
    named, hashed = sorted((row["id"] for row in rows(db, "observations")), key=len, reverse=True)
    assert named == URN.removeprefix("urn:uuid:")
    assert len(hashed) == 32
    assert len(notes) == 1
