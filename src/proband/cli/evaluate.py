"""`proband evaluate`: how good search is on judged collections, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from proband.cli.output import console, echo_json, json_option
from proband.errors import UsageError

if TYPE_CHECKING:
    from proband.evaluation.result import Evaluated


@click.command()
@click.argument("collections", nargs=-1, required=True)
@json_option
def evaluate(collections: tuple[str, ...], as_json: bool) -> None:
    """Score search on judged COLLECTIONS, each lane and stage of it by itself.

    A collection is a folder in BEIR's layout (corpus.jsonl, queries.jsonl, qrels/test.tsv), which is indexed for it; a
    folder with topics.jsonl and qrels.txt over the studies of this home; a file of judged questions; or the word
    "sample": the questions over the sample studies.
    """
    _require_extra()
    from proband.cli.judged import opened
    from proband.cli.progress import StderrProgress
    from proband.evaluation.result import evaluated

    results = []
    with StderrProgress() as progress:
        for name in collections:
            with opened(name, progress) as judged:
                results.append(evaluated(judged, progress.advance))
    if as_json:
        from proband.evaluation.result import as_object

        echo_json({"collections": [as_object(result) for result in results]})
    else:
        for result in results:
            _show(result)


def _require_extra() -> None:
    try:
        import ir_measures  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "`proband evaluate` needs the extra `evaluate`; run `pip install 'proband[evaluate]'`."
        ) from error


def _show(result: Evaluated) -> None:
    from rich.table import Table

    table = Table(title=f"{result.collection.name}, {len(result.collection.scored)} topics")
    table.add_column("stage")
    table.add_column("topics", justify="right")
    for measure in result.collection.measures:
        table.add_column(measure, justify="right")
    for stage, scores in result.stages.items():
        means = (scores.mean(measure) for measure in result.collection.measures)
        table.add_row(
            stage, str(scores.topics), *("" if mean is None else f"{mean:.3f}" for mean in means)
        )
    console().print(table)
    click.echo(f"Seconds a topic: median {result.median_s:.3f}, largest {result.longest_s:.3f}.\n")
