"""What a source delivers."""

from __future__ import annotations

from factories import raw_study
from proband.trials.fetched import Place, Rejected, read_study
from proband.trials.registry import parse_study


def test_a_good_record_is_a_study() -> None:
    assert read_study(raw_study(), "here") == parse_study(raw_study())


def test_a_bad_record_is_a_rejection_with_its_place() -> None:
    rejected = read_study({}, "studies.jsonl, line 7")
    assert rejected == Rejected("studies.jsonl, line 7", "the study has no NCT id")
    assert str(rejected) == "studies.jsonl, line 7: the study has no NCT id"


def test_a_place_is_read_back_from_its_position() -> None:
    place = Place("a#b.jsonl", 12)
    assert (place.position, Place.at(place.position)) == ("a#b.jsonl#12", place)
