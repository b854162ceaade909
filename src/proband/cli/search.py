"""`proband search`: passages that answer a question, grouped by study, each cited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proband.cli.output import echo_json, json_option
from proband.cli.wanted import filter_options, wanted_filter

if TYPE_CHECKING:
    from proband.catalogue.studies import StudyCard
    from proband.model import ChunkId, SearchResult
    from proband.search.expand import Context


@click.command()
@click.argument("question", required=False)
@click.option("--corpus", type=click.Choice(["trials"]), default="trials", help="What to search.")
@click.option(
    "--top-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Studies to show."
)
@filter_options
@click.option(
    "--context",
    "context_tokens",
    type=click.IntRange(0, 100_000),
    default=0,
    metavar="TOKENS",
    help="Show what stands around each passage in its study, up to so many tokens.",
)
@click.option("--explain", is_flag=True, help="Show what was run, and each lane's rank and score.")
@click.option("--generation", type=int, help="Search an older generation that is still kept.")
@click.option(
    "--topics", type=click.Path(path_type=Path), help='Search each line of a JSONL {"id", "text"}.'
)
@click.option(
    "--run", "run_file", type=click.Path(path_type=Path), help="The TREC run that --topics writes."
)
@click.option(
    "--depth",
    type=click.IntRange(1, 10_000),
    default=1000,
    show_default=True,
    help="Studies a topic.",
)
@json_option
@click.pass_obj
def search(
    leave: Callable[[int], None] | None,
    /,
    question: str | None,
    corpus: str,
    top_k: int,
    context_tokens: int,
    explain: bool,
    generation: int | None,
    topics: Path | None,
    run_file: Path | None,
    depth: int,
    as_json: bool,
    **filters: Any,
) -> None:
    """Find the passages that answer QUESTION, each cited to the published text.

    Words in "quotation marks" and identifiers (NCT numbers) are also matched exactly. Without an answer the exit code
    is 3, the reason is said first, and what is nearest is shown as "not an answer".
    """
    if (question is None) == (topics is None) or (topics is None) != (run_file is None):
        raise click.UsageError("Give a QUESTION, or --topics FILE.jsonl with --run OUT.txt.")
    if topics and run_file:
        from proband.cli.topics import write_run

        write_run(topics, run_file, depth, filters)
    else:
        asked = Asked(question or "", top_k, generation, filters, context_tokens)
        code = answer(asked, explain=explain, as_json=as_json, leave=leave)
        click.get_current_context().exit(code)


REFUSED = 3
"""Exit code of a search that has no answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its options as they were given."""

    question: str
    top_k: int
    generation: int | None
    filters: Mapping[str, Any]
    context_tokens: int = 0


def answer(
    asked: Asked,
    *,
    explain: bool,
    as_json: bool,
    folder: Path | None = None,
    leave: Callable[[int], None] | None = None,
) -> int:
    """Searches in the home of the environment, or in `folder`, and prints what was found; the exit code.

    `leave` ends the process; without it the index is given back for what comes next.
    """
    from proband.model import Question, Refused
    from proband.wiring import open_search

    with open_search("proband search", folder) as engine:
        seen = engine.seen(asked.generation)
        where = wanted_filter(asked.filters, engine, seen)
        question = Question(asked.question, where, asked.top_k)
        result = engine.search(question, seen, weigh=explain)
        cards = engine.cards((hit.document for hit in (*result.hits, *result.nearest)), seen)
        around = engine.contexts(result, asked.context_tokens) if asked.context_tokens else {}
        show(result, cards, around, explain=explain, as_json=as_json)
        code = REFUSED if isinstance(result.decision, Refused) else 0
        if leave:
            leave(code)
    return code


def show(
    result: SearchResult,
    cards: Mapping[str, StudyCard],
    around: Mapping[ChunkId, Context],
    *,
    explain: bool,
    as_json: bool,
) -> None:
    """Prints a result as one JSON object or for a person to read; `around` is the context of its passages."""
    if as_json:
        from proband.cli.result_json import result_object

        echo_json(result_object(result, cards, explain, around))
    else:
        from proband.cli.result_text import show_result

        show_result(result, cards, explain, around)
