from __future__ import annotations

from pathlib import Path

import pytest

from proband.errors import SettingsError
from proband.settings import FILE_NAME, Settings, home_folder, load_settings


def write(home: Path, text: str) -> Path:
    (home / FILE_NAME).write_text(text, encoding="utf-8")
    return home


def test_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}) == Settings()


def test_file_overrides_a_default(tmp_path: Path) -> None:
    assert load_settings(write(tmp_path, "[search]\nrrf_k = 40\n"), {}).search.rrf_k == 40


def test_environment_wins_over_the_file(tmp_path: Path) -> None:
    home = write(tmp_path, "[search]\nrrf_k = 40\nover_fetch = 9\n")
    settings = load_settings(home, {"PROBAND_SEARCH__RRF_K": "50"}).search
    assert (settings.rrf_k, settings.over_fetch) == (50, 9)


def test_unknown_key_in_the_file_is_named_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(write(tmp_path, "[search]\nrrf_kk = 40\n"), {})
    assert "search.rrf_kk" in str(caught.value)
    assert FILE_NAME in str(caught.value)


def test_unknown_key_in_the_file_is_blamed_on_the_file_also_with_environment(
    tmp_path: Path,
) -> None:
    with pytest.raises(SettingsError, match=r"proband\.toml;"):
        load_settings(write(tmp_path, "ofline = true\n"), {"PROBAND_OFFLINE": "true"})


@pytest.mark.parametrize(
    "name", ["PROBAND_SERCH__RRF_K", "PROBAND_SEARCH__RRF", "PROBAND_OFLINE", "PROBAND_OFFLINE__X"]
)
def test_unknown_name_in_the_environment_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load_settings(tmp_path, {name: "1"})


@pytest.mark.parametrize("name", ["PROBAND_HOME", "PROBAND_TEST_SHARED"])
def test_names_that_are_no_settings_are_left_alone(tmp_path: Path, name: str) -> None:
    assert load_settings(tmp_path, {name: "x"}) == Settings()


@pytest.mark.parametrize("text", ["[search]\nrrf_k = 0\n", '[search]\nrrf_k = "many"\n'])
def test_value_out_of_range_names_the_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=r"search\.rrf_k"):
        load_settings(write(tmp_path, text), {})


def test_broken_toml_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not valid TOML"):
        load_settings(write(tmp_path, "[search\n"), {})


def test_home_comes_from_the_environment() -> None:
    assert home_folder({"PROBAND_HOME": "/somewhere"}) == Path("/somewhere")
    assert home_folder({}) == Path.home() / ".proband"


def test_every_tunable_states_unit_and_observation() -> None:
    sections = [Settings, *(type(getattr(Settings(), name)) for name in Settings.model_fields)]
    fields = [
        field
        for section in sections
        if hasattr(section, "model_fields")
        for field in section.model_fields.values()
    ]
    tunables = [field for field in fields if isinstance(field.json_schema_extra, dict)]
    assert len(tunables) >= 15
    assert all(field.description and field.json_schema_extra["unit"] for field in tunables)
