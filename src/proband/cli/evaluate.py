"""`proband evaluate`: how good search is on judged collections, stage by stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proband.cli.output import console, echo_json, json_option
from proband.errors import BelowFloor, SourceUnavailable, UsageError

if TYPE_CHECKING:
    from proband.evaluation.collection import Measure
    from proband.evaluation.measures import Scores
    from proband.evaluation.result import Evaluated


@click.command()
@click.argument("collections", nargs=-1, required=True)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    help="Also write tables and plots as one HTML file.",
)
@click.option(
    "--floors",
    "floors_file",
    type=click.Path(path_type=Path),
    help="TOML file of the least that each collection scores; exit code 1 below.",
)
@click.option("--raise", "raises", is_flag=True, help="Write the floors that are higher now.")
@click.option("--lower", "reason", help="Write lower floors too, and this reason for it.")
@json_option
def evaluate(
    collections: tuple[str, ...],
    report: Path | None,
    floors_file: Path | None,
    raises: bool,
    reason: str | None,
    as_json: bool,
) -> None:
    """Score search on judged COLLECTIONS, each lane and stage of it by itself.

    A collection is a folder in BEIR's layout (corpus.jsonl, queries.jsonl, qrels/test.tsv), which is indexed for it; a
    folder with topics.jsonl and qrels.txt over the studies of this home; a file of judged questions; or the word
    "sample": the questions over the sample studies.
    """
    if (raises or reason is not None) and not floors_file:
        raise click.UsageError("--raise and --lower change the file that --floors names.")
    if reason is not None and not reason.strip():
        raise click.UsageError("--lower needs a reason.")
    _require_extra()
    results = _results(collections)
    if as_json:
        from proband.evaluation.result import as_object

        echo_json({"collections": [as_object(result) for result in results]})
    else:
        for result in results:
            _show(result)
    if report:
        _write_report(report, results)
    if floors_file:
        _hold(floors_file, results, raises, reason)


def _results(names: Sequence[str]) -> list[Evaluated]:
    from proband.cli.judged import opened
    from proband.cli.progress import StderrProgress
    from proband.evaluation.result import evaluated

    results = []
    for name in names:
        with StderrProgress() as progress, opened(name, progress) as judged:
            results.append(evaluated(judged, progress.advance))
    return results


def _write_report(path: Path, results: Sequence[Evaluated]) -> None:
    from proband.certificates import read_certificate
    from proband.evaluation.report import report
    from proband.wiring import read_home

    page = report(results, read_certificate(read_home().gate_file))
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be written: {error.strerror}.") from error


def _hold(path: Path, results: Sequence[Evaluated], raises: bool, reason: str | None) -> None:
    """Compares with the floors of a file, or writes them. Raises BelowFloor."""
    from proband.evaluation.floors import fallen, figures, raised, read_floors, write_floors

    held, measured = read_floors(path), figures(results)
    if raises or reason:
        held = raised(measured, held, reason)
        write_floors(path, held)
    below = fallen(measured, held.floors)
    if below:
        raise BelowFloor("; ".join(map(str, below)) + ".")


def _require_extra() -> None:
    try:
        import ir_measures  # noqa: F401
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "`proband evaluate` needs the extra `evaluate`; run `pip install 'proband[evaluate]'`."
        ) from error


def _show(result: Evaluated) -> None:
    from proband.evaluation.stages import Stage

    collection = result.collection
    title = f"{collection.name}, {len(collection.scored)} topics"
    _print(title, "stage", result.stages.items(), collection.measures)
    if result.kinds:
        kinds = ((kind, stages[Stage.RERANKED]) for kind, stages in result.kinds.items())
        _print(f"{collection.name} by kind, search as it is", "kind", kinds, collection.measures)
    click.echo(f"Seconds a topic: median {result.median_s:.3f}, largest {result.longest_s:.3f}.\n")


def _print(
    title: str, first: str, rows: Iterable[tuple[str, Scores]], measures: Sequence[Measure]
) -> None:
    from rich.table import Table

    table = Table(title=title)
    table.add_column(first, no_wrap=True)
    for name in ("topics", *measures):
        table.add_column(name, justify="right")
    for name, scores in rows:
        means = (scores.mean(measure) for measure in measures)
        cells = ("" if mean is None else f"{mean:.3f}" for mean in means)
        table.add_row(name, str(scores.topics), *cells)
    console().print(table)
