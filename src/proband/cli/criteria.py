"""`proband trials criteria`: an eligibility text, read line by line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from proband.cli.output import echo_json, json_option
from proband.errors import ParseError, ProbandError, SourceUnavailable
from proband.trials.criteria import split_criteria
from proband.trials.criterion import Criterion, Split

_NCT_ID = re.compile(r"NCT\d{8}", re.IGNORECASE)


@click.command()
@click.argument("source", metavar="FILE|-|NCT_ID", required=False)
@click.option(
    "--jsonl", metavar="FILE|-", help='Read lines {"id", "text"}, print one object a line.'
)
@json_option
@click.pass_context
def criteria(ctx: click.Context, source: str | None, jsonl: str | None, as_json: bool) -> None:
    """Split eligibility text into criteria: from a text file, standard input, or an imported study."""
    if (source is None) == (jsonl is None):
        raise click.UsageError("Give FILE, - or NCT_ID, or --jsonl FILE.")
    if jsonl is not None:
        ctx.exit(0 if split_lines(jsonl) else 1)
    split = split_source(source or "")
    if as_json:
        echo_json(as_object(source or "", split))
    else:
        show(split)


def split_source(source: str) -> Split:
    """The split of a text file, of standard input (`-`), or of the imported study with that NCT id."""
    if _NCT_ID.fullmatch(source) and not Path(source).exists():
        from proband.cli.study_text import split_imported

        return split_imported(source.upper())
    data = _bytes(source)
    try:
        return split_criteria(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ParseError(
            f"{source}: byte {error.start} is not UTF-8; save the text as UTF-8."
        ) from error


def split_lines(path: str) -> bool:
    """Prints one object for each good line of a JSONL file, one error for each bad one. True: no line was bad."""
    good = True
    for number, line in enumerate(_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            click.echo(_split_line(line, f"{path}, line {number}"))
        except ProbandError as error:
            click.echo(f"proband: {error}", err=True)
            good = False
    return good


def show(split: Split) -> None:
    """Prints the criteria as a tree, each with its side and place, then the account."""
    from proband.cli.criteria_text import as_tree, summary
    from proband.cli.output import console

    out = console()
    out.print(as_tree(split))
    out.print(summary(split))


def as_object(identifier: str, split: Split) -> dict[str, Any]:
    """The JSON shape of a split."""
    return {
        "id": identifier,
        "criteria": [_criterion(criterion) for criterion in split.criteria],
        "incomplete": split.incomplete,
        "account": {"unaccounted": split.account.unaccounted, **asdict(split.account)},
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


def _split_line(line: bytes, where: str) -> str:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{where}: not a JSON object.") from error
    identifier, text = _strings(row)
    if identifier is None or text is None:
        raise ParseError(f'{where}: needs "id" and "text", both strings.')
    return _encodable(as_object(identifier, split_criteria(text)))


def _strings(row: object) -> Iterator[str | None]:
    values = row if isinstance(row, dict) else {}
    return (
        value if isinstance(value := values.get(name), str) else None for name in ("id", "text")
    )


def _encodable(value: object) -> str:
    """JSON with non-ASCII as it is; half a surrogate pair, which UTF-8 cannot hold, as its escape."""
    shown = json.dumps(value, ensure_ascii=False)
    try:
        shown.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value)
    return shown


def _bytes(path: str) -> bytes:
    """The file as it is: line ends count in the spans."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SourceUnavailable(f"{path}: {error.strerror or error}.") from error
