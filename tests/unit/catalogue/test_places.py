from __future__ import annotations

from typing import Any

import pytest

from factories import study
from proband.catalogue.catalogue import Catalogue
from proband.catalogue.generations import Generation
from proband.catalogue.places import Place
from proband.model import GeoPoint


def at(city: str, state: str, country: str, latitude: float, longitude: float) -> dict[str, Any]:
    point = {"lat": latitude, "lon": longitude}
    return {"city": city, "state": state, "country": country, "geoPoint": point}


@pytest.fixture
def number(catalogue: Catalogue, built: Generation) -> int:
    sites = [
        at("Boston", "Massachusetts", "United States", 42.0, -71.0),
        at("Boston", "Massachusetts", "United States", 43.0, -71.0),
        at("Boston", "Lincolnshire", "United Kingdom", 53.0, 0.0),
        at("Århus", "", "Denmark", 56.2, 10.2),
        {"city": "Nowhere", "country": "Norway"},
    ]
    catalogue.store_studies(
        built, [study("NCT99000001", contactsLocationsModule={"locations": sites})]
    )
    return built.number


def test_city_is_found_in_any_case_with_its_mean_coordinates(
    catalogue: Catalogue, number: int
) -> None:
    assert catalogue.places("boston", number) == (
        Place("Boston, Massachusetts, United States", GeoPoint(42.5, -71.0), 2),
        Place("Boston, Lincolnshire, United Kingdom", GeoPoint(53.0, 0.0), 1),
    )


@pytest.mark.parametrize("text", ["Boston, united kingdom", "Boston,Lincolnshire,United Kingdom"])
def test_state_or_country_tells_two_cities_apart(
    catalogue: Catalogue, number: int, text: str
) -> None:
    (found,) = catalogue.places(text, number)
    assert found.point == GeoPoint(53.0, 0.0)


@pytest.mark.parametrize("text", ["Nowhere", "Atlantis", "Boston, France", "", ","])
def test_city_without_coordinates_or_sites_is_not_found(
    catalogue: Catalogue, number: int, text: str
) -> None:
    assert catalogue.places(text, number) == ()


def test_city_that_begins_with_a_letter_beyond_ascii_is_found(
    catalogue: Catalogue, number: int
) -> None:
    assert [found.name for found in catalogue.places("Århus", number)] == ["Århus, Denmark"]
