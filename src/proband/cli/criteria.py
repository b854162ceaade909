"""`proband trials criteria`: an eligibility text, read."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from proband.errors import ParseError, ProbandError
from proband.trials.criteria import split_criteria
from proband.trials.criterion import Account, Criterion, Split


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option(
    "--jsonl",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="Read {id, text} lines, write one object a line.",
)
def criteria(file: str | None, as_json: bool, jsonl: str | None) -> None:
    """Split the eligibility text in FILE (- is standard input) into criteria."""
    if jsonl:
        sys.exit(write_jsonl(jsonl))
    if not file:
        raise click.UsageError("Name a FILE, or - for standard input, or --jsonl FILE.")
    text = _text(file)
    split = split_criteria(text)
    if as_json:
        click.echo(json.dumps(as_object(file, split), ensure_ascii=False))
    else:
        show(split)


def as_object(identifier: str, split: Split) -> dict[str, Any]:
    """The JSON shape of a split."""
    return {
        "id": identifier,
        "criteria": [_criterion(criterion) for criterion in split.criteria],
        "incomplete": split.incomplete,
        "account": _account(split.account),
    }


def _criterion(criterion: Criterion) -> dict[str, Any]:
    return {
        "kind": criterion.kind.value,
        "ordinal": criterion.ordinal,
        "text": criterion.text,
        "span": [criterion.span.start, criterion.span.end],
        "parents": list(criterion.parents),
        "labels": list(criterion.labels),
        "arms": list(criterion.arms),
        "embed_text": criterion.embed_text,
    }


def _account(account: Account) -> dict[str, int]:
    classes = ("header", "scope", "label", "criterion", "note", "filler")
    return {
        "characters": account.characters,
        "unaccounted": account.unaccounted,
        **{name: getattr(account, name) for name in classes},
    }


def write_jsonl(path: str) -> int:
    """One object out a line in; a bad line is one error on stderr. 1 when there was one, else 0."""
    code = 0
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            click.echo(json.dumps(_split_line(line, f"{path}, line {number}"), ensure_ascii=False))
        except ProbandError as error:
            click.echo(f"Error: {error}", err=True)
            code = 1
    return code


def _split_line(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ParseError(f"{where}: not JSON.") from error
    if (
        not isinstance(row, dict)
        or not isinstance(row.get("id"), str)
        or not isinstance(row.get("text"), str)
    ):
        raise ParseError(f'{where}: needs an object with the strings "id" and "text".')
    return as_object(row["id"], split_criteria(row["text"]))


def _lines(path: str) -> Iterator[bytes]:
    with click.open_file(path, "rb") as stream:
        yield from stream


def _text(path: str) -> str:
    if path == "-":
        return click.get_text_stream("stdin", encoding="utf-8").read()
    return Path(path).read_text(encoding="utf-8")


def show(split: Split) -> None:
    """The criteria as a tree."""
    for criterion in split.criteria:
        click.echo(f"{criterion.kind} {criterion.ordinal}: {criterion.text}")
