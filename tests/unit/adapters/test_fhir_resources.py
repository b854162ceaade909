"""What is read of each resource: nothing is guessed, and what a value says against itself stays with it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from fhir_samples import coded, ndjson, patient, resource, row_of, rows, staged


def packed(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


# --- patients ---------------------------------------------------------------------------------------------------------


def test_patient_has_official_name_record_number_and_nothing_private(tmp_path: Path) -> None:
    whole = patient(
        name=[
            {"use": "maiden", "family": "Wibbleton", "given": ["Zorbla"]},
            {"use": "official", "family": "Testperson", "given": ["Zorbla", "Q."]},
        ],
        identifier=[
            {"system": "http://hl7.org/fhir/sid/us-ssn", "value": "999-00-0000"},
            {"type": {"coding": [{"code": "PPN"}]}, "value": "X-PASS"},
            {"system": "http://example.org/any", "value": "ANY-7"},
            {"type": {"coding": [{"code": "MR"}]}, "value": "SYN-2024-0007"},
        ],
        telecom=[{"value": "+000 555"}],
        address=[{"line": ["1 Zorbla Lane"]}],
        birthDate="1970-03",
        gender="female",
        deceasedDateTime="2024-03-05T10:15:00+03:00",
        active=False,
        communication=[{"language": {"text": "Swahili"}, "preferred": True}],
        managingOrganization={"display": "Quux Clinic"},
        meta={"security": [{"system": "http://x/v3-Confidentiality", "code": "R"}]},
    )
    db, _ = staged(tmp_path, p_json=ndjson(whole))
    assert rows(db, "patients") == [
        {
            "id": "p-1",
            "record_number": "SYN-2024-0007",
            "given_name": "Zorbla Q.",
            "family_name": "Testperson",
            "other_names": "Zorbla Wibbleton",
            "birth_date": "1970-03",
            "sex": "female",
            "deceased": "yes",
            "deceased_at": "2024-03-05T07:15:00+00:00",
            "language": "Swahili",
            "active": "no",
            "facility": "Quux Clinic",
            "confidentiality": "R",
        }
    ]
    everything = "".join(db.iterdump())
    for private in ("999-00-0000", "X-PASS", "+000 555", "Zorbla Lane"):
        assert private not in everything


NUMBERS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "none": ([], "p-1"),
    "only a passport": ([{"type": {"coding": [{"code": "PPN"}]}, "value": "X"}], "p-1"),
    "an untyped one": ([{"system": "http://example.org/mrn", "value": "A-1"}], "A-1"),
    "old and new": (
        [{"use": "old", "value": "A-0"}, {"use": "usual", "value": "A-1"}],
        "A-1",
    ),
    "a record number in words": ([{"type": {"text": "MRN"}, "value": "A-1"}], "A-1"),
    "another type in words": ([{"type": {"text": "Tax number"}, "value": "T"}], "p-1"),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_record_number_falls_back_to_the_id(tmp_path: Path, kind: str) -> None:
    identifiers, expected = NUMBERS[kind]
    db, _ = staged(tmp_path, p_json=ndjson(patient(identifier=identifiers)))
    assert [row["record_number"] for row in rows(db, "patients")] == [expected]


def test_name_that_is_only_written_whole_is_kept(tmp_path: Path) -> None:
    db, _ = staged(tmp_path, p_json=ndjson(patient(name=[{"text": "Zorbla Testperson"}])))
    assert rows(db, "patients")[0]["family_name"] == "Zorbla Testperson"


def test_links_between_patients_say_which_record_is_left(tmp_path: Path) -> None:
    old = patient("p-old", link=[{"other": {"reference": "Patient/p-1"}, "type": "replaced-by"}])
    new = patient(
        link=[
            {"other": {"reference": "Patient/p-older"}, "type": "replaces"},
            {"other": {"reference": "Patient/p-9"}, "type": "seealso"},
        ]
    )
    db, _ = staged(tmp_path, p_ndjson=ndjson(old, new))
    merges = [(row["old_id"], row["new_id"]) for row in rows(db, "patient_merges")]
    assert merges == [("p-older", "p-1"), ("p-old", "p-1")]


# --- conditions and allergies -----------------------------------------------------------------------------------------


def test_condition_has_a_column_for_each_code_system(tmp_path: Path) -> None:
    row = row_of(
        tmp_path,
        "conditions",
        resource(
            "Condition",
            code=coded("Zorblatitis", icd10="E11.9", icd9="250.00", snomed="44054006", local="Z9"),
            clinicalStatus=coded(snomed="active"),
            verificationStatus={"coding": [{"code": "refuted"}]},
            severity=coded("Severe"),
            bodySite=[coded("Left knee"), coded("Right knee")],
            onsetDateTime="2019",
            abatementString="some years ago",
            recordedDate="2020-02-03",
            note=[{"text": "Doubtful."}, {"text": "See letter."}],
        ),
    )
    assert row == {
        "id": "r-1",
        "patient_id": "p-1",
        "name": "Zorblatitis",
        "icd10": "E11.9",
        "icd9": "250.00",
        "snomed": "44054006",
        "other_codes": "Z9",
        "clinical_status": "active",
        "verification_status": "refuted",
        "severity": "Severe",
        "body_site": "Left knee; Right knee",
        "dated": "2019",
        "onset_date": "2019",
        "ended": "some years ago",
        "recorded_at": "2020-02-03",
        "note": "Doubtful.\n\nSee letter.",
    }


@pytest.mark.parametrize(
    ("onset", "expected"),
    [
        ({"onsetDateTime": "2019-03"}, {"dated": "2019-03", "onset_date": "2019-03"}),
        ({"onsetAge": {"value": 7.50, "unit": "a"}}, {"onset": "7.5 a"}),
        (
            {"onsetPeriod": {"start": "2018", "end": "2019"}},
            {"dated": "2018", "onset_date": "2018", "end_date": "2019"},
        ),
        (
            {"onsetRange": {"low": {"value": 5}, "high": {"value": 9, "unit": "a"}}},
            {"onset": "5 to 9 a"},
        ),
        ({"onsetString": "in childhood"}, {"onset": "in childhood"}),
    ],
)
def test_onset_keeps_the_precision_that_it_has(
    tmp_path: Path, onset: dict[str, Any], expected: dict[str, str]
) -> None:
    row = row_of(tmp_path, "conditions", resource("Condition", **onset))
    assert {name: row[name] for name in row if name not in ("id", "patient_id")} == expected


def test_code_that_a_user_selected_stands_for_its_system(tmp_path: Path) -> None:
    codings = [
        {"system": "http://snomed.info/sct", "code": "73211009", "display": "Diabetes"},
        {"system": "http://snomed.info/sct", "code": "44054006", "userSelected": True},
    ]
    row = row_of(tmp_path, "conditions", resource("Condition", code={"coding": codings}))
    assert (row["snomed"], row["other_codes"]) == ("44054006", "SNOMED CT 73211009")
    assert row["name"] == "Diabetes"


def test_allergy_has_its_reactions(tmp_path: Path) -> None:
    row = row_of(
        tmp_path,
        "allergies",
        resource(
            "AllergyIntolerance",
            type="allergy",
            category=["medication"],
            criticality="high",
            code=coded("Zorblacillin", rxnorm="7980"),
            reaction=[
                {"manifestation": [coded("Hives"), coded("Swelling")], "severity": "severe"},
                {"manifestation": [coded("Nausea")]},
            ],
            lastOccurrence="2021",
        ),
    )
    assert row["substance"] == "Zorblacillin"
    assert row["rxnorm"] == "7980"
    assert row["kind"] == "allergy"
    assert row["reactions"] == "Hives; Swelling (severe); Nausea"
    assert row["last_occurred"] == "2021"


def test_row_without_a_day_of_its_own_has_that_on_which_it_was_recorded(tmp_path: Path) -> None:
    condition = resource("Condition", onsetString="long ago", recordedDate="2020-02-03")
    observed = resource("Observation", issued="2020-02-04T00:00:00Z")
    db, _ = staged(tmp_path, a_ndjson=ndjson(patient(), condition, observed))
    assert rows(db, "conditions")[0]["dated"] == "2020-02-03"
    assert rows(db, "observations")[0]["dated"] == "2020-02-04T00:00:00+00:00"


@pytest.mark.parametrize(
    "code",
    [
        coded(snomed="716186003"),
        coded("No known drug allergies"),
        coded("NKDA"),
        {"coding": [{"system": "http://x/absent-unknown-uv-ips", "code": "no-known-allergies"}]},
        {"coding": [{"code": "1", "display": "No known allergy"}]},
    ],
)
def test_allergy_that_says_none_is_of_that_kind(tmp_path: Path, code: dict[str, Any]) -> None:
    row = row_of(tmp_path, "allergies", resource("AllergyIntolerance", type="allergy", code=code))
    assert row["kind"] == "none known"


@pytest.mark.parametrize("text", ["Nuts", "No egg, known allergy", "Nka-nuts", "no-allergy-info"])
def test_allergy_that_names_something_is_not_of_that_kind(tmp_path: Path, text: str) -> None:
    row = row_of(tmp_path, "allergies", resource("AllergyIntolerance", code=coded(text)))
    assert "kind" not in row
    assert row["substance"] == text


# --- observations -----------------------------------------------------------------------------------------------------


VALUES: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "quantity": (
        {"valueQuantity": {"value": 70.5, "unit": "kg", "code": "kg"}},
        {"value": "70.5", "unit": "kg"},
    ),
    "comparator": (
        {"valueQuantity": {"value": 0.5, "comparator": "<", "code": "mg/L"}},
        {"value": "<0.5", "unit": "mg/L"},
    ),
    "concept": (
        {"valueCodeableConcept": coded("Positive", snomed="10828004")},
        {"value": "Positive", "value_snomed": "10828004"},
    ),
    "string": ({"valueString": " trace "}, {"value": "trace"}),
    "boolean": ({"valueBoolean": False}, {"value": "no"}),
    "integer": ({"valueInteger": 3}, {"value": "3"}),
    "range": (
        {"valueRange": {"low": {"value": 1}, "high": {"value": 2, "unit": "/hpf"}}},
        {"value": "1 to 2 /hpf"},
    ),
    "titre": (
        {"valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 128}}},
        {"value": "1:128"},
    ),
    "ratio": (
        {
            "valueRatio": {
                "numerator": {"value": 5, "unit": "mg"},
                "denominator": {"value": 10, "unit": "mL"},
            }
        },
        {"value": "5 mg / 10 mL"},
    ),
    "moment": (
        {"valueDateTime": "2024-03-05T10:15:00+03:00"},
        {"value": "2024-03-05T07:15:00+00:00"},
    ),
    "period": (
        {"valuePeriod": {"start": "2024-01", "end": "2024-02"}},
        {"value": "2024-01 to 2024-02"},
    ),
    "time": ({"valueTime": "07:30:00"}, {"value": "07:30:00"}),
    "absent": ({"dataAbsentReason": coded("Not performed")}, {"absent_reason": "Not performed"}),
    "sampled": ({"valueSampledData": {"data": "1 2 3"}}, {}),
    "damaged": ({"valueQuantity": ["x", 3]}, {}),
}


@pytest.mark.parametrize("kind", VALUES)
def test_value_of_every_kind_is_text(tmp_path: Path, kind: str) -> None:
    given, expected = VALUES[kind]
    row = row_of(tmp_path, "observations", resource("Observation", **given))
    assert {name: row[name] for name in row if name not in ("id", "patient_id")} == expected


def test_decimal_keeps_its_zeros(tmp_path: Path) -> None:
    line = (
        '{"resourceType": "Observation", "id": "r-1", "subject": {"reference": "Patient/p-1"},'
        ' "valueQuantity": {"value": 70.50, "unit": "kg"},'
        ' "referenceRange": [{"low": {"value": 5e1}, "high": {"value": 90.0, "unit": "kg"}}]}\n'
    )
    db, _ = staged(tmp_path, o_ndjson=ndjson(patient()) + line)
    (row,) = rows(db, "observations")
    assert (row["value"], row["reference_range"]) == ("70.50", "50 to 90.0 kg")


def test_components_are_rows_of_their_own_and_a_line_of_the_panel(tmp_path: Path) -> None:
    panel = resource(
        "Observation",
        status="final",
        code=coded("Blood pressure", loinc="85354-9"),
        effectiveDateTime="2024-03-05",
        component=[
            {
                "code": coded("Systolic", loinc="8480-6"),
                "valueQuantity": {"value": 141, "unit": "mmHg"},
            },
            {"code": coded("Diastolic", loinc="8462-4"), "dataAbsentReason": coded("Not audible")},
        ],
    )
    db, _ = staged(tmp_path, o_ndjson=ndjson(patient(), panel))
    (row,) = rows(db, "observations")
    assert row["components"] == "Systolic 141 mmHg; Diastolic Not audible"
    shared = {
        "observation_id": "r-1",
        "patient_id": "p-1",
        "status": "final",
        "dated": "2024-03-05",
    }
    assert rows(db, "observation_components") == [
        {
            **shared,
            "part": "1",
            "panel": "Blood pressure",
            "name": "Systolic",
            "loinc": "8480-6",
            "value": "141",
            "unit": "mmHg",
        },
        {
            **shared,
            "part": "2",
            "panel": "Blood pressure",
            "name": "Diastolic",
            "loinc": "8462-4",
            "absent_reason": "Not audible",
        },
    ]


def test_value_that_is_left_out_is_counted(tmp_path: Path) -> None:
    sampled = resource("Observation", valueSampledData={"data": "1 2 3"})
    _, notes = staged(tmp_path, o_ndjson=ndjson(patient(), sampled))
    assert notes == ["1 value of the type SampledData was left out."]


# --- drugs ------------------------------------------------------------------------------------------------------------


def test_request_has_dose_route_and_frequency(tmp_path: Path) -> None:
    row = row_of(
        tmp_path,
        "medication_requests",
        resource(
            "MedicationRequest",
            status="active",
            intent="order",
            medicationCodeableConcept=coded("Zorblamine", rxnorm="860975", atc="A10BA02"),
            authoredOn="2024-03-05",
            dosageInstruction=[
                {
                    "timing": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d"}},
                    "route": coded("Oral"),
                    "doseAndRate": [{"doseQuantity": {"value": 500, "unit": "mg"}}],
                    "asNeededCodeableConcept": coded("pain"),
                }
            ],
        ),
    )
    assert row == {
        "id": "r-1",
        "patient_id": "p-1",
        "status": "active",
        "intent": "order",
        "drug": "Zorblamine",
        "rxnorm": "860975",
        "atc": "A10BA02",
        "dosage": "500 mg, Oral, twice a day, as needed for pain",
        "dose": "500 mg",
        "route": "Oral",
        "frequency": "twice a day",
        "as_needed": "as needed for pain",
        "start_date": "2024-03-05",
        "recorded_at": "2024-03-05",
    }


@pytest.mark.parametrize(
    ("repeat", "expected"),
    [
        ({"frequency": 1, "period": 1, "periodUnit": "d"}, "once a day"),
        ({"period": 8, "periodUnit": "h"}, "every 8 hours"),
        ({"frequency": 3, "frequencyMax": 4, "period": 1, "periodUnit": "d"}, "3 to 4 times a day"),
        ({"frequency": 2, "period": 3, "periodUnit": "wk"}, "twice every 3 weeks"),
        (
            {"when": ["AC", "HS"], "boundsDuration": {"value": 7, "code": "d"}},
            "AC, HS, for 7 days",
        ),
    ],
)
def test_frequency_is_put_into_words(tmp_path: Path, repeat: dict[str, Any], expected: str) -> None:
    dosage = [{"text": "as told", "timing": {"repeat": repeat}}]
    row = row_of(tmp_path, "medication_statements", resource("MedicationStatement", dosage=dosage))
    assert (row["dosage"], row["frequency"]) == ("as told", expected)


def test_order_not_to_give_says_so(tmp_path: Path) -> None:
    request = resource("MedicationRequest", doNotPerform=True)
    assert row_of(tmp_path, "medication_requests", request)["do_not_give"] == "do not give"


@pytest.mark.parametrize("where", ["contained", "elsewhere"])
def test_drug_behind_a_reference_is_named(tmp_path: Path, where: str) -> None:
    drug = {"resourceType": "Medication", "id": "m1", "code": coded("Zorblamine", atc="A10BA02")}
    pointer = {"reference": "#m1" if where == "contained" else "Medication/m1"}
    request = resource("MedicationRequest", medicationReference=pointer)
    inside = {"contained": [drug]} if where == "contained" else {}
    others = [] if inside else [drug]
    row = row_of(tmp_path, "medication_requests", request | inside, *others)
    assert (row["drug"], row["atc"]) == ("Zorblamine", "A10BA02")


def test_drug_without_a_name_is_what_it_is_made_of(tmp_path: Path) -> None:
    strength = {"numerator": {"value": 5, "unit": "mg"}, "denominator": {"value": 1, "unit": "tab"}}
    parts = [{"itemCodeableConcept": coded("Zorblamine"), "strength": strength}]
    drug = {"resourceType": "Medication", "id": "m1", "ingredient": parts}
    request = resource("MedicationRequest", medicationReference={"reference": "Medication/m1"})
    row = row_of(tmp_path, "medication_requests", request, drug)
    assert row["drug"] == "Zorblamine 5 mg / 1 tab"


# --- texts ------------------------------------------------------------------------------------------------------------


def attachment(kind: str, text: str | bytes) -> dict[str, Any]:
    return {"attachment": {"contentType": kind, "data": packed(text), "title": "Zorbla letter"}}


def test_document_has_the_text_that_reads_best(tmp_path: Path) -> None:
    content = [
        attachment("application/pdf", b"%PDF"),
        attachment("text/html", "<p>Zorbla</p>"),
        attachment("text/plain; charset=iso-8859-1", "Zorbla é".encode("latin-1")),
    ]
    document = resource("DocumentReference", status="current", date="2024", content=content)
    db, notes = staged(tmp_path, d_ndjson=ndjson(patient(), document))
    (row,) = rows(db, "documents")
    assert (row["body"], row["body_format"], row["title"]) == ("Zorbla é", "text", "Zorbla letter")
    assert notes == ["Attachments that were not read: 1 binary; links are never followed."]


@pytest.mark.parametrize(
    ("kind", "format"),
    [("text/html", "html"), ("application/rtf", "rtf"), ("TEXT/PLAIN ;charset=utf-8", "text")],
)
def test_format_of_a_text_is_told(tmp_path: Path, kind: str, format: str) -> None:
    document = resource("DocumentReference", content=[attachment(kind, "Zorbla")])
    row = row_of(tmp_path, "documents", document)
    assert (row["body"], row["body_format"]) == ("Zorbla", format)


def test_link_is_never_followed_but_found_among_the_files(tmp_path: Path) -> None:
    def document(id: str, url: str) -> dict[str, Any]:
        content = [{"attachment": {"contentType": "text/plain", "url": url}}]
        return resource("DocumentReference", id, content=content)

    binary = {
        "resourceType": "Binary",
        "id": "b1",
        "contentType": "text/plain",
        "data": packed("Zorbla"),
    }
    documents = (
        document("r-1", "https://example.org/fhir/Binary/b1"),
        document("r-2", "https://example.org/letter.txt"),
        document("r-3", "Binary/b9"),
    )
    db, notes = staged(tmp_path, d_ndjson=ndjson(patient(), *documents, binary))
    assert [row.get("body") for row in rows(db, "documents")] == ["Zorbla", None, None]
    assert notes == ["Attachments that were not read: 2 only links; links are never followed."]


def test_damaged_attachment_is_counted(tmp_path: Path) -> None:
    form = [{"contentType": "text/plain", "data": "Zorbl"}]
    report = resource("DiagnosticReport", conclusion="Zorbla.", presentedForm=form)
    db, notes = staged(tmp_path, d_ndjson=ndjson(patient(), report))
    assert rows(db, "diagnostic_reports")[0]["conclusion"] == "Zorbla."
    assert notes == ["Attachments that were not read: 1 damaged; links are never followed."]


# --- procedures, visits, vaccinations ---------------------------------------------------------------------------------


def test_procedure_has_when_why_and_outcome(tmp_path: Path) -> None:
    row = row_of(
        tmp_path,
        "procedures",
        resource(
            "Procedure",
            status="completed",
            code=coded("Zorblectomy", snomed="80146002"),
            performedPeriod={"start": "2024-03-05T08:00:00Z", "end": "2024-03-05T09:00:00Z"},
            reasonCode=[coded("Pain")],
            outcome=coded("Successful"),
        ),
    )
    assert row["performed_at"] == "2024-03-05T08:00:00+00:00"
    assert row["performed_until"] == "2024-03-05T09:00:00+00:00"
    assert (row["name"], row["reason"], row["outcome"]) == ("Zorblectomy", "Pain", "Successful")


@pytest.mark.parametrize(
    ("status", "reason"), [("confirmed", "Zorblatitis"), ("entered-in-error", None)]
)
def test_condition_that_is_the_reason_is_named(
    tmp_path: Path, status: str, reason: str | None
) -> None:
    verified = {"coding": [{"code": status}]}
    why = resource("Condition", "c-1", code=coded("Zorblatitis"), verificationStatus=verified)
    done = resource("Procedure", reasonReference=[{"reference": "Condition/c-1"}])
    assert row_of(tmp_path, "procedures", done, why).get("reason") == reason


def test_facility_of_a_row_is_that_of_its_visit(tmp_path: Path) -> None:
    visit = {
        **resource("Encounter", "e-1"),
        "class": {"code": "AMB", "display": "ambulatory"},
        "type": [coded("Check-up", snomed="185349003")],
        "period": {"start": "2024-03-05"},
        "serviceProvider": {"reference": "Organization/o-1"},
    }
    clinic = {"resourceType": "Organization", "id": "o-1", "name": "Quux Clinic"}
    vaccination = resource(
        "Immunization",
        status="not-done",
        statusReason=coded("Refused"),
        vaccineCode=coded("Zorbla vaccine"),
        occurrenceDateTime="2024-03-05",
        encounter={"reference": "Encounter/e-1"},
        doseQuantity={"value": 0.5, "unit": "mL"},
        protocolApplied=[{"doseNumberPositiveInt": 2}],
    )
    db, _ = staged(tmp_path, a_ndjson=ndjson(patient(), vaccination, visit, clinic))
    (encounter,), (row,) = rows(db, "encounters"), rows(db, "immunizations")
    assert encounter["facility"] == row["facility"] == "Quux Clinic"
    assert (encounter["class"], encounter["type"]) == ("ambulatory", "Check-up")
    assert (row["status"], row["status_reason"]) == ("not-done", "Refused")
    assert (row["dose"], row["dose_number"]) == ("0.5 mL", "2")
