"""A model hub on 127.0.0.1 that serves `/REPO/resolve/REVISION/PATH` and misbehaves when it is told to."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPO = "someone/tiny"
REVISION = "0" * 40


class Trick(Enum):
    """What the hub does instead of serving a request well."""

    CUT = auto()  # closes the connection half way through what it promised
    WRONG_BYTES = auto()
    TOO_LONG = auto()
    WRONG_RANGE = auto()  # answers with another part than was asked for
    UNSATISFIABLE = auto()
    UNAVAILABLE = auto()
    NOT_FOUND = auto()
    MOVED = auto()


@dataclass
class StandinHub:
    """Files by path, tricks for the next requests, and a log of `(path, Range header)`.

    `ranges` False: every request is answered with the whole file, as plain servers do.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    tricks: deque[Trick | None] = field(default_factory=deque)
    ranges: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    hub: StandinHub

    def do_GET(self) -> None:
        trick = self.hub.tricks.popleft() if self.hub.tricks else None
        path = self.path.removeprefix(f"/{REPO}/resolve/{REVISION}/").removeprefix("/moved/")
        asked = self.headers.get("Range")
        self.hub.asked.append((path, asked))
        content = self.hub.files.get(path)
        match trick:
            case Trick.UNAVAILABLE:
                self._status(503)
            case Trick.UNSATISFIABLE:
                self._status(416)
            case Trick.MOVED:
                self._status(302, {"Location": f"{self.hub.url}/moved/{path}"})
            case Trick.NOT_FOUND:
                self._status(404)
            case _ if content is None:
                self._status(404)
            case _:
                self._body(content, asked, trick)

    def _body(self, content: bytes, asked: str | None, trick: Trick | None) -> None:
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.hub.ranges else 0
        if trick is Trick.WRONG_RANGE:
            start = max(0, start - 1)
        if trick is Trick.WRONG_BYTES:
            content = bytes(byte ^ 1 for byte in content)
        if trick is Trick.TOO_LONG:
            content += b"more"
        body = content[start:]
        partial = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
        self._status(206 if start else 200, partial if start else {}, len(body))
        self.wfile.write(body[: len(body) // 2] if trick is Trick.CUT else body)

    def _status(self, status: int, headers: dict[str, str] | None = None, length: int = 0) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def standin_hub() -> Iterator[StandinHub]:
    """A hub that runs until the end of the block."""
    hub = StandinHub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
