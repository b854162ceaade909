from __future__ import annotations

from pathlib import Path

import pytest

from judged import evaluated_as
from proband.errors import UsageError
from proband.evaluation.floors import (
    Fallen,
    Floors,
    Lowered,
    fallen,
    figures,
    floor_of,
    raised,
    read_floors,
    write_floors,
)

HELD = Floors({"made": {"nDCG@10": 0.7}})


def test_a_floor_stands_the_margin_below_the_value_cut_to_three_digits() -> None:
    assert floor_of(0.7316) == 0.726
    assert floor_of(0.705) == 0.7
    assert floor_of(0.001) == 0


def test_a_lower_figure_names_collection_measure_floor_and_value() -> None:
    (found,) = fallen({"made": {"nDCG@10": 0.6999}}, HELD.floors)
    assert found == Fallen("made", "nDCG@10", 0.7, 0.6999)
    assert str(found) == "made: nDCG@10 is 0.6999, its floor 0.700"


def test_a_figure_at_its_floor_holds_and_what_was_not_measured_is_not_asked() -> None:
    assert fallen({"made": {"nDCG@10": 0.7}}, HELD.floors) == ()
    assert fallen({"other": {"nDCG@10": 0.1}}, HELD.floors) == ()


def test_a_figure_that_is_gone_has_fallen() -> None:
    assert fallen({"made": {}}, HELD.floors)[0].value == 0


def test_raising_takes_higher_floors_and_new_ones_and_leaves_the_others() -> None:
    measured = {"made": {"nDCG@10": 0.72, "MRR": 0.9}, "other": {"MRR": 0.5}}
    found = raised(measured, HELD)
    assert found.floors == {"made": {"nDCG@10": 0.715, "MRR": 0.895}, "other": {"MRR": 0.495}}
    assert raised({"made": {"nDCG@10": 0.5}}, HELD) == HELD


def test_lowering_needs_a_reason_which_stays_beside_the_old_value() -> None:
    found = raised({"made": {"nDCG@10": 0.65}}, HELD, "one lane less")
    assert found.floors == {"made": {"nDCG@10": 0.645}}
    assert found.lowered == (Lowered("made", "nDCG@10", 0.7, 0.645, "one lane less"),)


def test_a_figure_that_keeps_its_floor_is_not_lowered_by_a_reason_for_others() -> None:
    assert raised({"made": {"nDCG@10": 0.702}}, HELD, "one lane less") == HELD


def test_the_file_reads_as_it_was_written(tmp_path: Path) -> None:
    floors = Floors(
        {"made": {"nDCG@10": 0.7}, "made/kind": {"MRR": 0.5}},
        (Lowered("made", "MRR", 0.9, 0.8, 'the "exact" lane went'),),
    )
    write_floors(tmp_path / "floors.toml", floors)
    assert read_floors(tmp_path / "floors.toml") == floors


def test_no_file_has_no_floors(tmp_path: Path) -> None:
    assert read_floors(tmp_path / "floors.toml") == Floors({})


@pytest.mark.parametrize(
    "text", ["[floors", '[floors.made]\nMRR = "high"\n', "[[lowered]]\nx = 1\n"]
)
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "floors.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="is no file of floors"):
        read_floors(path)


def test_figures_are_those_of_the_search_as_it_is_and_small_kinds_have_none() -> None:
    found = figures([evaluated_as({"few": 29, "many": 30})])
    assert set(found) == {"made", "made/many"}
    assert found["made"]["nDCG@10"] == 1
