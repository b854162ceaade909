"""What the environment fills into a source's URL."""

from __future__ import annotations

import pytest

from proband.errors import MappingError
from proband.records.mapping import SourceRules
from proband.records.source_url import filled_url, password_of, without_passwords


def test_variables_are_filled_and_encoded_only_before_the_host() -> None:
    url = "postgresql://${WHO}:${SECRET}@${HOST}/clinic"
    filled = filled_url(url, {"WHO": "reader", "SECRET": "p@ss/word", "HOST": "10.0.0.5:5432"})
    assert filled == "postgresql://reader:p%40ss%2Fword@10.0.0.5:5432/clinic"


def test_variable_may_be_the_whole_url() -> None:
    whole = "mysql+pymysql://reader@db/clinic"
    assert filled_url("${CLINIC_URL}", {"CLINIC_URL": whole}) == whole


def test_missing_variable_is_named() -> None:
    with pytest.raises(MappingError, match="needs the environment variable SECRET; set it"):
        filled_url("postgresql://reader:${SECRET}@db/clinic", {})


def test_password_comes_from_the_sources_variable() -> None:
    environment = {"PROBAND_SOURCE_PASSWORD": "one", "CLINIC": "two"}
    assert password_of(SourceRules("clinic", "x"), environment) == "one"
    assert password_of(SourceRules("clinic", "x", "CLINIC"), environment) == "two"
    assert password_of(SourceRules("clinic", "x", "ABSENT"), environment) == ""


def test_passwords_are_masked_and_variables_are_not() -> None:
    assert without_passwords('url = "mysql://a:b@c/d"') == 'url = "mysql://a:***@c/d"'
    assert without_passwords("mysql://a:${B}@c/d") == "mysql://a:${B}@c/d"
    assert without_passwords("sqlite:///a@b.sqlite") == "sqlite:///a@b.sqlite"
