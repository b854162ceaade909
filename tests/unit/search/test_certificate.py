from __future__ import annotations

import json

import pytest

from proband.errors import SettingsError
from proband.evaluation.calibration import Weighed, certify
from proband.search.certificate import Certificate, MadeWith, from_json, to_json


def certificate() -> Certificate:
    asked = [Weighed(str(n), n / 100, n > 50) for n in range(100)]
    return certify(asked, 0.1, 0.95, "q", 0, MadeWith("m", "r", "a", "c", "1", 83, 1483))


def test_what_is_written_is_read_as_it_was() -> None:
    made = certificate()
    assert from_json(json.loads(json.dumps(to_json(made))), "gate.json") == made


@pytest.mark.parametrize(
    "broken", [{}, [], {"format": 2}, {"format": 1, "threshold": "high"}, None]
)
def test_anything_else_is_refused_with_the_command_that_makes_it_again(broken: object) -> None:
    with pytest.raises(SettingsError, match="gate calibrate"):
        from_json(broken, "gate.json")
