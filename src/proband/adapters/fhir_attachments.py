"""The texts inside attachments. What is only a link is never fetched; what is no text is counted."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from proband.adapters.fhir_values import Json, storable, text

_FORMATS = {
    "text/plain": "text",
    "text/markdown": "text",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/rtf": "rtf",
    "application/rtf": "rtf",
}
_BEST_FIRST = ("text", "html", "rtf")


@dataclass(frozen=True, slots=True)
class Attached:
    """What can be read of the attachments of one resource.

    Args:
        body: the text; None when there is none.
        format: `text`, `html` or `rtf`.
        link: a reference to a Binary resource, which may be in the same files.
    """

    body: str | None = None
    format: str | None = None
    link: str | None = None


def attached(attachments: Sequence[Json], left_out: Counter[str]) -> Attached:
    """The text of attachments. Several formats say the same, so the one that is read best stands for all.

    Args:
        attachments: Attachment or Binary objects.
        left_out: counts what was not read, by its kind.
    """
    found: dict[str, list[str]] = {}
    links: list[str] = []
    for attachment in attachments:
        format = format_of(attachment)
        data, url = text(attachment.get("data")), text(attachment.get("url"))
        if data and format:
            body = _decoded(data, attachment)
            if body is None:
                left_out["damaged"] += 1
            else:
                found.setdefault(format, []).append(body)
        elif url and "Binary/" in url:
            links.append(url)
        elif url or data:
            left_out["binary" if data else "only links"] += 1
    for format in _BEST_FIRST:
        if format in found:
            return Attached("\n\n".join(found[format]), format)
    return Attached(link=links[0] if links else None)


def format_of(attachment: Json) -> str | None:
    """`text`, `html` or `rtf`; None for what is no text."""
    kind = (text(attachment.get("contentType")) or "").partition(";")[0]
    return _FORMATS.get(kind.strip().lower())


def _decoded(data: str, attachment: Json) -> str | None:
    try:
        raw = base64.b64decode(data)
    except (binascii.Error, ValueError):
        return None
    stated = (text(attachment.get("contentType")) or "").lower().partition("charset=")[2]
    for encoding in filter(None, (stated.partition(";")[0].strip(" \"'"), "utf-8-sig")):
        try:
            return storable(raw.decode(encoding))
        except (ValueError, LookupError):
            continue
    return raw.decode("cp1252", errors="replace")


def left_out_note(left_out: Counter[str]) -> str | None:
    """How many attachments were not read, and why."""
    if not left_out:
        return None
    kinds = " and ".join(f"{number:,} {kind}" for kind, number in sorted(left_out.items()))
    return f"Attachments that were not read: {kinds}; links are never followed."
