"""`proband trials show`: one study, criterion by criterion."""

from __future__ import annotations

import click

from proband.cli.output import console, echo_json, json_option


@click.command()
@click.argument("nct_id")
@click.option("--raw", is_flag=True, help="Print the record as it was fetched.")
@click.option("--generation", type=int, help="As it was in an older generation that is still kept.")
@json_option
def show(nct_id: str, raw: bool, generation: int | None, as_json: bool) -> None:
    """Show the study NCT_ID (an old id finds the study that has it now)."""
    from proband.cli.study_text import imported_study, show_study, study_object

    found = imported_study(nct_id.strip().upper(), generation)
    if raw:
        echo_json(found.raw)
    elif as_json:
        echo_json(study_object(found))
    else:
        show_study(console(), found)
