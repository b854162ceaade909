"""What an import, sync or rebuild did, as JSON or as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from proband.cli.output import echo_json
from proband.engine import Imported
from proband.errors import SourceUnavailable

NAMED = 20
"""Rejected records that are named one by one; the JSON names all."""


def report(done: Imported, as_json: bool) -> None:
    """Prints the counts on stdout and each rejected record on stderr."""
    if as_json:
        echo_json(as_object(done))
    else:
        click.echo(_sentence(done))
    for rejected in done.rejected[:NAMED]:
        click.echo(f"not read: {rejected}", err=True)
    if len(done.rejected) > NAMED:
        click.echo(f"and {len(done.rejected) - NAMED} more; --json names them all.", err=True)
    for key in done.indexed.skipped[:NAMED]:
        click.echo(f"not indexed: {key}", err=True)


def require_studies(done: Imported, paths: Sequence[Path]) -> None:
    """Raises SourceUnavailable when nothing was read; what an interrupted run had read before counts."""
    if done.resumed or done.new or done.changed or done.unchanged:
        return
    named = ", ".join(map(str, paths[:NAMED])) + (", ..." if len(paths) > NAMED else "")
    found = f"{len(done.rejected):,} not readable" if done.rejected else "none in it"
    raise SourceUnavailable(
        f"No study was read from {named} ({found}); give API v2 JSON, JSON lines, classic XML or an AACT dump."
    )


def as_object(done: Imported) -> dict[str, Any]:
    """The counts as one JSON object."""
    return {
        "generation": done.generation,
        "new": done.new,
        "changed": done.changed,
        "unchanged": done.unchanged,
        "removed": done.removed,
        "repeated": done.repeated,
        "resumed": done.resumed,
        "rejected": [{"where": bad.where, "reason": bad.reason} for bad in done.rejected],
        "indexed": {
            "documents": done.indexed.documents,
            "new_chunks": done.indexed.new,
            "expired_chunks": done.indexed.expired,
            "embedded_texts": done.indexed.embedded,
            "skipped": list(done.indexed.skipped),
        },
    }


def _sentence(done: Imported) -> str:
    studies = (
        f"{done.new:,} new, {done.changed:,} changed, {done.unchanged:,} unchanged, "
        f"{done.removed:,} removed, {len(done.rejected):,} not read"
    )
    chunks = (
        f"{done.indexed.new:,} chunks written, {done.indexed.expired:,} expired, "
        f"{done.indexed.embedded:,} texts embedded"
    )
    resumed = " (resumed)" if done.resumed else ""
    return f"Studies: {studies}.\nIndex: {chunks}.\nVisible: generation {done.generation}{resumed}."
