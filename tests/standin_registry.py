"""A registry on 127.0.0.1 that answers as ClinicalTrials.gov's API v2 does, its traps included.

What it does is what `reference/trials.md` of the development data says of the API: tokens are tied to the state of the
data and to the parameters, pages may be empty and not the last, sizes are coerced, the total stands on the first page
only, nothing is sorted unless asked for, RANGE drops what has no value, and a query of nothing but ids ignores filters.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from factories import raw_study

FREE = {"countTotal", "pageSize", "pageToken"}
ONLY_IDS = re.compile(r"\s*(NCT\d{8}\s*)+")
RANGE = re.compile(r"AREA\[LastUpdatePostDate\]RANGE\[([\d-]+),MAX\]")


@dataclass(frozen=True)
class Answer:
    """What the next request gets instead of its answer.

    `wait_s` is how long it takes to begin, `cut` after how many bytes of the body the connection is broken.
    """

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    cut: int | None = None


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    path: str
    parameters: dict[str, str]
    headers: dict[str, str]


def updated_study(nct_id: str, day: str | None, condition: str = "Pain") -> dict[str, Any]:
    """A study that was last updated on this day."""
    update = {"lastUpdatePostDateStruct": {"date": day}} if day else {}
    return raw_study(
        nct_id,
        statusModule={"overallStatus": "RECRUITING", **update},
        conditionsModule={"conditions": [condition]},
    )


class StandinRegistry:
    """The registry's state, to be changed by a test, and a log of what was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.data_timestamp = "2026-09-04T09:00:06"
        self.studies: dict[str, Any] = {}
        self.empty_pages: set[int] = set()
        self.asked: list[Asked] = []
        self.next_answers: deque[Answer | None] = deque()
        self.after_answer: Callable[[int], None] = lambda number: None

    def add(self, *studies: dict[str, Any]) -> None:
        """Publishes studies."""
        for study in studies:
            self.studies[study["protocolSection"]["identificationModule"]["nctId"]] = study

    def refresh(self, timestamp: str) -> None:
        """A new state of the data: tokens given out before are no longer known."""
        self.data_timestamp = timestamp

    def pages_asked(self) -> list[dict[str, str]]:
        """The parameters of all requests for studies."""
        return [asked.parameters for asked in self.asked if asked.path.endswith("/studies")]

    def answer(self, path: str, parameters: dict[str, str]) -> Answer:
        """The answer to one request."""
        if path == "/api/v2/version":
            body = {"apiVersion": "2.0.5", "dataTimestamp": self.data_timestamp}
            return Answer(body=json.dumps(body))
        if path != "/api/v2/studies":
            return Answer(404, "Not found")
        try:
            return Answer(body=json.dumps(self._page(parameters)))
        except ValueError as error:
            return Answer(400, str(error))

    def _page(self, parameters: dict[str, str]) -> dict[str, Any]:
        found = self._sorted(self._matching(parameters), parameters.get("sort", ""))
        token = parameters.get("pageToken", "")
        number, start = self._read(token, parameters) if token else (1, 0)
        size = min(int(parameters.get("pageSize", 0)) or 10, 1000)
        taken = [] if number in self.empty_pages else found[start : start + size]
        page: dict[str, Any] = {"studies": [_fields(s, parameters.get("fields")) for s in taken]}
        if not token and parameters.get("countTotal") == "true":
            page["totalCount"] = len(found)
        if start + len(taken) < len(found):
            page["nextPageToken"] = self._token(number + 1, start + len(taken), parameters)
        return page

    def _matching(self, parameters: dict[str, str]) -> list[Any]:
        term = parameters.get("query.term", "")
        if ONLY_IDS.fullmatch(term):
            return [self.studies[i] for i in term.split() if i in self.studies]
        found = list(self.studies.values())
        if parameters.get("filter.ids"):
            ids = set(re.split("[,|]", parameters["filter.ids"]))
            found = [s for s in found if ids & {_identification(s)["nctId"], *_aliases(s)}]
        for text in (term, parameters.get("query.cond", "")):
            found = [s for s in found if text.lower() in json.dumps(s).lower()]
        if advanced := parameters.get("filter.advanced", ""):
            found = [s for s in found if _in_range(s, advanced)]
        return found

    def _sorted(self, found: list[Any], sort: str) -> list[Any]:
        if not sort:  # no order, yet the same for one state of the data
            return sorted(
                found, key=lambda s: hashlib.sha256(repr(_identification(s)).encode()).digest()
            )
        if sort != "LastUpdatePostDate:asc":
            raise ValueError("Parameter `sort` has incorrect format")
        return sorted(found, key=lambda s: (_updated(s) is None, _updated(s) or ""))

    def _token(self, number: int, start: int, parameters: dict[str, str]) -> str:
        state = [self.data_timestamp, number, start, _fixed(parameters)]
        return base64.urlsafe_b64encode(json.dumps(state).encode()).decode()

    def _read(self, token: str, parameters: dict[str, str]) -> tuple[int, int]:
        try:
            timestamp, number, start, fixed = json.loads(base64.urlsafe_b64decode(token))
        except ValueError:
            raise ValueError("Parameter `pageToken` has incorrect format") from None
        if timestamp != self.data_timestamp or fixed != _fixed(parameters):
            raise ValueError("Parameter `pageToken` is not valid for this request")
        return number, start


def _fixed(parameters: Mapping[str, str]) -> list[list[str]]:
    return sorted([name, value] for name, value in parameters.items() if name not in FREE)


def _identification(study: Any) -> Any:
    return study["protocolSection"]["identificationModule"]


def _aliases(study: Any) -> list[str]:
    return list(_identification(study).get("nctIdAliases", []))


def _updated(study: Any) -> str | None:
    status = study["protocolSection"].get("statusModule", {})
    date = status.get("lastUpdatePostDateStruct", {}).get("date")
    return str(date) if date else None


def _in_range(study: Any, advanced: str) -> bool:
    found = RANGE.match(advanced)
    if not found:
        raise ValueError("Parameter `filter.advanced` has incorrect format")
    day = _updated(study)
    if day is None:
        return advanced.endswith(" OR AREA[LastUpdatePostDate]MISSING")
    return day >= found[1]


def _fields(study: Any, fields: str | None) -> Any:
    if not fields:
        return study
    part: dict[str, Any] = {"identificationModule": {"nctId": _identification(study)["nctId"]}}
    if "LastUpdatePostDate" in fields and _updated(study):
        part["statusModule"] = {"lastUpdatePostDateStruct": {"date": _updated(study)}}
    return {"protocolSection": part}


@contextmanager
def standin_registry() -> Iterator[StandinRegistry]:
    """A running stand-in; its `url` is what to set as base address."""
    registry = StandinRegistry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            parameters = dict(parse_qsl(address.query))
            registry.asked.append(Asked(address.path, parameters, dict(self.headers)))
            planned = registry.next_answers.popleft() if registry.next_answers else None
            answer = planned or registry.answer(address.path, parameters)
            time.sleep(answer.wait_s)
            self._send(answer)
            registry.after_answer(len(registry.asked))

        def _send(self, answer: Answer) -> None:
            body = answer.body.encode()
            self.send_response(answer.status)
            headers = {"Content-Type": "application/json" if answer.status == 200 else "text/plain"}
            for name, value in {**headers, **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if answer.cut is None:
                self.wfile.write(body)
            else:
                self.wfile.write(body[: answer.cut])
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A client that gave up waiting is no fault."""

    server = Server(("127.0.0.1", 0), Handler)
    registry.url = f"http://127.0.0.1:{server.server_address[1]}/api/v2"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
