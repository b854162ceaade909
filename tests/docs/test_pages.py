"""Pages, commands and links keep their promises."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from proband.cli.documentation import cli_page, settings_page
from proband.cli.main import cli
from proband.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
GLOSSARY_WORDS = ("Study", "Chunk", "Generation", "Criterion", "Arm", "Span", "Lane", "Outbox")


def test_settings_page_is_what_the_code_says() -> None:
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == settings_page()


def test_command_page_is_what_the_code_says() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == cli_page()


def test_every_setting_is_documented() -> None:
    page = settings_page()
    for section in Settings.model_fields:
        assert f"## [{section}]" in page or f"`{section}`" in page


def commands(group: click.Group, above: str = "proband") -> list[tuple[str, click.Command]]:
    found = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        found.append((f"{above} {name}", command))
        if isinstance(command, click.Group):
            found += commands(command, f"{above} {name}")
    return found


def test_every_command_has_help_and_a_line_in_its_group() -> None:
    for name, command in commands(cli):
        assert command.help, name


def test_every_option_has_help() -> None:
    silent = [
        f"{name} {parameter.name}"
        for name, command in commands(cli)
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help and not parameter.hidden
    ]
    assert silent == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    broken = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize("word", GLOSSARY_WORDS)
def test_glossary_has_the_words_of_the_model(word: str) -> None:
    assert re.search(rf"^\| [^|]*\b{word}\b", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
