from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench import Bench, lines
from catalogues import new_catalogue
from proband.certificates import (
    Gates,
    corpus_digest,
    made_with,
    read_certificate,
    write_certificate,
)
from proband.errors import HomeError, SettingsError
from proband.evaluation.calibration import Weighed, certify
from proband.model import Scale
from proband.ports import Manifest
from proband.search.certificate import Certificate, MadeWith
from proband.settings import SearchSettings

RULES = SearchSettings()
ASKED = [Weighed(f"q{n}", n / 400, n >= 300) for n in range(400)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(new_catalogue(tmp_path))
    bench.imported([lines("NCT99000001", "asthma"), lines("NCT99000002", "gout")])
    return bench


def made(bench: Bench, number: int = 1, rules: SearchSettings = RULES) -> MadeWith:
    readable = bench.catalogue.readable(bench.begin().corpus)
    generation = next(one for one in readable if one.number == number)
    return made_with(bench.manifest, rules, bench.catalogue, generation)


def certificate(made_with: MadeWith, risk: float = 0.1) -> Certificate:
    return certify(ASKED, risk, 0.95, "digest", 0, made_with)


def gates(
    bench: Bench,
    found: Certificate | None,
    manifest: Manifest | None = None,
    rules: SearchSettings = RULES,
) -> Gates:
    return Gates(found, manifest or bench.manifest, rules, bench.catalogue)


def test_a_calibration_of_these_studies_gives_its_threshold(bench: Bench) -> None:
    found = certificate(made(bench))
    gate = gates(bench, found).of(1)
    assert (gate.threshold, gate.scale, gate.uncertified) == (
        found.threshold,
        Scale.COVERAGE,
        "",
    )


def test_without_a_calibration_nothing_is_too_weak_and_the_command_is_named(bench: Bench) -> None:
    gate = gates(bench, None).of(1)
    assert gate.threshold is None
    assert gate.uncertified == (
        "there is no calibration, so weak matches are shown with their score; "
        "`proband gate calibrate` makes one"
    )


def test_anything_that_differs_is_named_and_takes_the_threshold_away(bench: Bench) -> None:
    found = certificate(made(bench))
    other = replace(bench.manifest, model_digest="other")
    analyser = replace(bench.manifest, analyser_version=9)
    for gate, says in (
        (gates(bench, found, other).of(1), "another model"),
        (gates(bench, found, analyser).of(1), "another analyser"),
        (gates(bench, found, rules=SearchSettings(rrf_k=10)).of(1), "other settings of the search"),
        (gates(bench, found).of(7), "other studies"),
    ):
        assert gate.threshold is None
        assert f"was made with {says}, so weak matches" in gate.uncertified


def test_settings_without_a_bearing_on_scores_do_not_differ(bench: Bench) -> None:
    found = certificate(made(bench))
    assert gates(bench, found, rules=SearchSettings(admission=2)).of(1).threshold is not None


def test_one_more_study_or_a_changed_one_is_another_corpus(bench: Bench) -> None:
    found = certificate(made(bench))
    bench.imported([lines("NCT99000002", "gout of the toe")])
    bench.imported([lines("NCT99000003", "lupus")])
    gate = gates(bench, found)
    assert gate.of(1).threshold == found.threshold
    assert [gate.of(number).threshold for number in (2, 3)] == [None, None]


def test_the_same_studies_in_another_home_are_the_same_corpus(bench: Bench, tmp_path: Path) -> None:
    found = certificate(made(bench))
    (tmp_path / "other").mkdir()
    other = Bench(new_catalogue(tmp_path / "other"))
    other.imported([lines("NCT99000002", "gout")])
    other.imported([lines("NCT99000001", "asthma")])
    assert corpus_digest(other.catalogue, 2) == found.made_with.corpus
    assert gates(other, found).of(2).threshold == found.threshold


def test_when_no_threshold_kept_the_bound_it_is_said(bench: Bench) -> None:
    gate = gates(bench, certificate(made(bench), risk=0.0001)).of(1)
    assert gate.threshold is None
    assert "no threshold kept the risk below 0.0001" in gate.uncertified


def test_a_written_calibration_is_read_as_it_was(bench: Bench, tmp_path: Path) -> None:
    found, file = certificate(made(bench)), tmp_path / "gate.json"
    assert read_certificate(file) is None
    write_certificate(file, found)
    assert read_certificate(file) == found
    assert list(tmp_path.glob("*.part")) == []


def test_a_broken_file_and_a_place_that_cannot_be_written_are_clear_errors(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "gate.json").write_text("{")
    with pytest.raises(SettingsError, match="is not JSON; make it again"):
        read_certificate(tmp_path / "gate.json")
    with pytest.raises(HomeError, match="cannot be written"):
        write_certificate(tmp_path / "none" / "gate.json", certificate(made(bench)))


def test_a_cross_encoder_has_a_threshold_of_its_own_until_it_is_calibrated(bench: Bench) -> None:
    gate = Gates(None, bench.manifest, RULES, bench.catalogue, "bge-reranker-v2-m3").of(1)
    assert (gate.threshold, gate.scale) == (0.30, Scale.SIGMOID)
    assert "gate calibrate" in gate.uncertified


def test_a_calibration_of_late_interaction_says_nothing_of_a_cross_encoder(bench: Bench) -> None:
    found = certificate(made(bench))
    gate = Gates(found, bench.manifest, RULES, bench.catalogue, "bge-reranker-v2-m3").of(1)
    assert (gate.threshold, gate.scale) == (0.30, Scale.SIGMOID)
    assert "other settings of the search" in gate.uncertified
