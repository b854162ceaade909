"""Files of a model hub over HTTPS, resumed where a connection was cut."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx

from proband.adapters.model_card import HubSource, ModelFile
from proband.errors import ModelFileWrong, SourceUnavailable

LOG = logging.getLogger(__name__)
"""Says each wait. Where nobody has set up logging, Python writes warnings to stderr as they stand."""

TRIES = 5
TIMEOUT = httpx.Timeout(60.0, connect=10.0)

Advance = Callable[[str, int, int | None], None]
"""Says that of a named stage so many of a total are done."""


@dataclass(frozen=True, slots=True)
class Hub:
    """A model hub that serves `/REPO/resolve/REVISION/PATH`.

    Args:
        url: base of its addresses.
        pause: waits so many seconds before another try.
        transport: what carries the requests; None: the network.
    """

    url: str
    pause: Callable[[float], None] = time.sleep
    transport: httpx.BaseTransport | None = None

    def fetch(self, source: HubSource, file: ModelFile, part: Path, advance: Advance) -> None:
        """Completes `part` with the file's bytes; what is already there is kept if the hub can resume.

        Raises:
            SourceUnavailable: refused, or still failing after TRIES tries.
            ModelFileWrong: the hub sends more bytes than the file has.
        """
        url = f"{self.url.rstrip('/')}/{source.repo}/resolve/{source.revision}/{quote(file.name)}"
        reason = ""
        with self._client() as client:
            for attempt in range(TRIES):
                if attempt:
                    wait_s = 2.0 ** (attempt - 1)
                    LOG.warning(
                        "%s: %s; try %d of %d in %.0f s.",
                        file.name,
                        reason,
                        attempt + 1,
                        TRIES,
                        wait_s,
                    )
                    self.pause(wait_s)
                try:
                    reason = _attempt(client, url, file, part, advance)
                except httpx.TransportError as error:
                    reason = str(error) or type(error).__name__
                if not reason:
                    return
        raise SourceUnavailable(f"{url} failed {TRIES} times, the last time with: {reason}.")

    def _client(self) -> httpx.Client:
        return httpx.Client(timeout=TIMEOUT, follow_redirects=True, transport=self.transport)


def _attempt(client: httpx.Client, url: str, file: ModelFile, part: Path, advance: Advance) -> str:
    """Why the file is not complete yet; empty when it is."""
    have = part.stat().st_size if part.exists() else 0
    if have == file.size:
        return ""
    if have > file.size:
        part.unlink()
        have = 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == httpx.codes.OK:
            have = 0
        elif reason := _refusal(response, url, have, part):
            return reason
        got = _write(response.iter_raw(), part, have, file, advance)
    return "" if got == file.size else f"the connection ended after {got} of {file.size} bytes"


def _refusal(response: httpx.Response, url: str, have: int, part: Path) -> str:
    """Why to try again; empty: the bytes after `have` follow. A part that cannot be resumed is removed.

    Raises SourceUnavailable when trying again is useless.
    """
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return f"status {status}"
    if status == httpx.codes.PARTIAL_CONTENT:
        if response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            return ""
    elif status != httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
        raise SourceUnavailable(f"{url} answered with status {status}.")
    part.unlink(missing_ok=True)
    return f"it cannot be resumed at byte {have}"


def _write(
    blocks: Iterator[bytes], part: Path, have: int, file: ModelFile, advance: Advance
) -> int:
    """Appends the blocks after the first `have` bytes; the length of what is there then."""
    with part.open("r+b" if have else "wb") as stream:
        stream.seek(have)
        for block in blocks:
            have += stream.write(block)
            if have > file.size:
                break
            advance(file.name, have, file.size)
    if have > file.size:
        part.unlink()
        raise ModelFileWrong(f"{file.name} is longer than its published {file.size} bytes.")
    return have
