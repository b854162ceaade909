"""Every kind of layout and wording, from the rules: `cases.toml`."""

from __future__ import annotations

import pytest

from proband.trials.criteria import split_criteria
from unit.trials.kinds import Case, lines_of, load_cases


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_case_gives_exactly_its_criteria(case: Case) -> None:
    assert "\n".join(lines_of(case.text)) == "\n".join(case.expect)


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_case_is_incomplete_only_when_its_text_says_so(case: Case) -> None:
    assert split_criteria(case.text).incomplete is case.incomplete


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_case_accounts_for_every_character(case: Case) -> None:
    assert split_criteria(case.text).account.unaccounted == 0
