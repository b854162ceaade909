"""What names of columns say."""

from __future__ import annotations

import pytest

from proband.records.naming import ends, fits, place, sensitive


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ("phone", "telephone number"),
        ("PatientPhone", "telephone number"),
        ("patientphone", "telephone number"),
        ("mobile_no", "telephone number"),
        ("Telefonnummer", "telephone number"),
        ("téléphone_domicile", "telephone number"),
        ("simu", "telephone number"),
        ("email_address", "e-mail or account name"),
        ("home_address", "address"),
        ("Straße", "address"),
        ("postcode", "address"),
        ("national_id", "national identity number"),
        ("SSN", "national identity number"),
        ("numero_securite_sociale", "national identity number"),
        ("DNI", "national identity number"),
        ("kitambulisho", "national identity number"),
        ("passport_no", "passport or licence"),
        ("DRIVERS", "passport or licence"),
        ("nhif_no", "insurance number"),
        ("Versichertennummer", "insurance number"),
        ("access_pin", "password or secret"),
        ("password_hash", "password or secret"),
        ("iban", "bank or payment"),
        ("photo", "picture or biometric data"),
        ("GPS_lat", "position on the map"),
        ("next_of_kin_name", "another person"),
        ("mothers_name", "another person"),
    ],
)
def test_sensitive_column_has_its_reason(column: str, reason: str) -> None:
    assert sensitive(column) == reason


@pytest.mark.parametrize(
    "column",
    [
        *("mrn", "birth_date", "county", "cell_count", "phototherapy", "laterality", "long_name"),
        *(
            "family_history",
            "pinprick_test",
            "spinal_tap",
            "mobility",
            "telomere",
            "historia_familiar",
        ),
        *("iris_finding", "ip_no", "clinical_notes", "blood_group", "weight_kg", "geschlecht"),
    ],
)
def test_clinical_column_is_not_taken_for_sensitive(column: str) -> None:
    assert sensitive(column) == ""


def test_best_name_of_a_role_comes_first() -> None:
    assert place("record_number", "MRN") == 0
    assert place("record_number", "patient_no") is not None
    assert place("record_number", "drug") is None


def test_name_fits_whole_or_ends_with_a_role() -> None:
    assert fits("given_name", "Vorname")
    assert ends("identifier", "visit_no")
    assert not ends("identifier", "no")
