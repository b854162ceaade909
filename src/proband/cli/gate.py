"""`proband gate`: how strict a search is, measured on labelled questions."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proband.cli.output import echo_json, json_option
from proband.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from proband.engine import Engine
    from proband.evaluation.calibration import Weighed
    from proband.evaluation.labelled import Labelled
    from proband.search.certificate import Certificate, Figures


def _number(_: click.Context, option: click.Parameter, value: float) -> float:
    """The value, unless it is `nan`, which lies in every range."""
    if math.isnan(value):
        raise click.BadParameter("nan is no number.", param=option)
    return value


@click.group()
def gate() -> None:
    """Calibrate when a search is refused for being weak."""


@gate.command()
@click.option(
    "--questions",
    required=True,
    type=click.Path(path_type=Path),
    help="JSON lines with id, text and relevant (empty: nothing answers it); docs/gate.md.",
)
@click.option(
    "--risk",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    callback=_number,
    default=0.10,
    show_default=True,
    help="Largest share of unanswerable questions that may be answered.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, max_open=True),
    callback=_number,
    default=0.95,
    show_default=True,
    help="With which the risk is bounded.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where to write; default: gate.json in the home."
)
@click.option("--report", is_flag=True, help="Also print the risk-coverage curve.")
@json_option
def calibrate(
    questions: Path, risk: float, confidence: float, out: Path | None, report: bool, as_json: bool
) -> None:
    """Measure the threshold below which a search is refused, and the risk that it bounds.

    Half of the questions, by the hash of their ids, choose the threshold; the other half show what it is worth.
    """
    from proband.certificates import write_certificate
    from proband.cli.progress import StderrProgress
    from proband.evaluation.labelled import read_labelled
    from proband.search.certificate import to_json
    from proband.wiring import open_search, read_home

    labelled = read_labelled(questions)
    place = out or read_home().gate_file
    with open_search("proband gate calibrate") as engine, StderrProgress() as progress:
        weighed = []
        for done, one in enumerate(_weighed(engine, labelled), 1):
            weighed += [one] if one else []
            progress.advance("questions", done, len(labelled))
        found = _certificate(engine, weighed, len(labelled), _digest(questions), risk, confidence)
    if found.threshold is None and place.exists():
        raise UsageError(
            f"No threshold kept the risk below {risk:g} with these {len(labelled)} questions; {place} stays as it was. "
            "Calibrate with more questions."
        )
    write_certificate(place, found)
    if as_json:
        echo_json({**to_json(found), "certified": found.threshold is not None, "file": str(place)})
    else:
        _say(found, place, report)


def _weighed(engine: Engine, labelled: tuple[Labelled, ...]) -> Iterator[Weighed | None]:
    """Each question with its score; None for one that no threshold applies to."""
    from proband.cli.wanted import options_of, wanted_filter
    from proband.evaluation.calibration import Weighed, weight
    from proband.model import Question

    seen = engine.seen(None)
    for one in labelled:
        where = wanted_filter(options_of(one.filters, one.id), engine, seen)
        result = engine.search(Question(one.text, where), seen, weigh=True)
        assert result.plan
        assert result.decision
        score = weight(result.decision, result.plan.breadth)
        yield None if score is None else Weighed(one.id, score, one.answerable)


def _certificate(
    engine: Engine, weighed: list[Weighed], asked: int, digest: str, risk: float, confidence: float
) -> Certificate:
    from proband.certificates import made_with
    from proband.evaluation.calibration import certify
    from proband.model import Corpus, Scale

    rules, catalogue = engine.settings.search, engine.catalogue
    number = engine.seen(None)
    active = next(one for one in catalogue.readable(Corpus.TRIALS) if one.number == number)
    cross_encoder = engine.settings.model.reranker
    made = made_with(engine.manifest, rules, catalogue, active, cross_encoder)
    scale = Scale.SIGMOID if cross_encoder else Scale.COVERAGE
    return certify(weighed, risk, confidence, digest, asked - len(weighed), made, scale)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _say(found: Certificate, place: Path, report: bool) -> None:
    if found.threshold is None:
        click.echo(
            f"uncertified: no threshold keeps the share of unanswerable questions answered below "
            f"{found.risk:.0%} with {found.confidence:.0%} confidence; "
            f"{found.calibration.unanswerable} such questions chose it. More questions help."
        )
    else:
        click.echo(
            f"Threshold {found.threshold:.4f} ({found.scale}): at most {found.calibration.risk_bound:.1%} "
            f"of questions without an answer are answered, with {found.confidence:.0%} confidence."
        )
    click.echo(f"{found.not_weighed} questions are stories, which no threshold applies to.\n")
    click.echo(f"{'':<18}{'no answer':>10}{'answered':>10}{'risk':>8}{'at most':>9}", nl=False)
    click.echo(f"{'with answer':>13}{'refused':>9}{'false refusals':>16}")
    for name, some in (("calibration half", found.calibration), ("held-out half", found.held_out)):
        click.echo(_row(name, some))
    if report:
        click.echo(
            f"\n{'threshold':>9}{'risk':>8}{'at most':>9}{'false refusals':>16}{'answered':>10}"
        )
        for at in found.curve:
            click.echo(
                f"{at.threshold:>9.4f}{at.risk:>8.1%}{at.risk_bound:>9.1%}"
                f"{at.false_refusals:>16.1%}{at.coverage:>10.1%}"
            )
    click.echo(f"\nWritten to {place}.")


def _row(name: str, some: Figures) -> str:
    return (
        f"{name:<18}{some.unanswerable:>10}{some.answered:>10}{some.risk:>8.1%}{some.risk_bound:>9.1%}"
        f"{some.answerable:>13}{some.refused:>9}{some.false_refusals:>16.1%}"
    )
