"""HTTP for a public service that is to be asked politely: paced, patient, under our own name, from one host only."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any

import httpx

from proband.errors import OfflineError, SourceRefused, SourceUnavailable

LOG = logging.getLogger(__name__)
"""Says each wait. Where nobody has set up logging, Python writes warnings to stderr as they stand."""
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 600.0
"""What a server asks beyond this, a person should decide."""
MOST_REDIRECTS = 3
TRY_AGAIN = (408, 425, 429)
"""Statuses of a refusal that only concerns the moment."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Where time comes from; tests bring their own."""

    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Politeness:
    """How a service is asked: `retries` is how often a failed request is repeated."""

    requests_per_second: float
    retries: int
    timeout_s: float
    user_agent: str


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why an attempt failed that may succeed later, and how long the server wants to be left alone."""

    reason: str
    retry_after_s: float = 0.0


SYSTEM_CLOCK = Clock()


class PoliteClient:
    """Asks one service for JSON. Use it from one thread, as a context manager.

    At most `requests_per_second` requests are begun. Timeouts, broken connections, 408, 425, 429, 5xx and answers that
    are not JSON are retried with doubling waits and jitter, never sooner than Retry-After says. Redirects are followed
    on the same host only.
    """

    def __init__(
        self,
        base_url: str,
        politeness: Politeness,
        *,
        offline: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._politeness = politeness
        self._offline = offline
        self._clock = clock
        self._not_before = 0.0
        headers = {"User-Agent": politeness.user_agent, "Accept": "application/json"}
        self._client = httpx.Client(
            timeout=politeness.timeout_s, headers=headers, follow_redirects=False
        )

    def __enter__(self) -> PoliteClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._client.close()

    def json_object(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """The JSON object at `path` under the base address.

        Raises:
            OfflineError: before any connection, while `offline` is set.
            SourceRefused: the service says that the request is wrong (4xx).
            SourceUnavailable: no usable answer after all retries, or a redirect to another host.
        """
        if self._offline:
            raise OfflineError(
                f"{self._base_url} may not be asked while offline is true; set offline = false to allow it."
            )
        request = self._request(path, parameters)
        trouble = _Trouble("")
        for attempt in range(self._politeness.retries + 1):
            if attempt:
                self._wait(attempt, trouble)
            answer = self._attempt(request)
            if not isinstance(answer, _Trouble):
                return answer
            trouble = answer
        tries = self._politeness.retries + 1
        raise SourceUnavailable(
            f"{request.url.host} gave no answer in {tries} tries ({trouble.reason}); try again later."
        )

    def _request(self, path: str, parameters: Mapping[str, str]) -> httpx.Request:
        try:
            return self._client.build_request(
                "GET", f"{self._base_url}/{path}", params=dict(parameters)
            )
        except httpx.InvalidURL as error:
            raise SourceUnavailable(f"{self._base_url} is not an address: {error}.") from error

    def _attempt(self, request: httpx.Request) -> dict[str, Any] | _Trouble:
        try:
            response = self._send(request)
        except httpx.UnsupportedProtocol as error:
            raise SourceUnavailable(f"{self._base_url} is not an http(s) address.") from error
        except httpx.TimeoutException:
            return _Trouble(f"no answer in {self._politeness.timeout_s:g} s")
        except httpx.RequestError as error:
            return _Trouble(f"{_in_words(type(error).__name__)}")
        if response.status_code in TRY_AGAIN or response.status_code >= 500:
            return _Trouble(f"HTTP {response.status_code}", self._retry_after_s(response))
        if response.status_code != 200:
            raise SourceRefused(_refusal(response), response.status_code)
        return _object_in(response)

    def _send(self, request: httpx.Request) -> httpx.Response:
        """The response, after redirects on the same host that do not give up encryption."""
        host, scheme = request.url.host, request.url.scheme
        for _ in range(MOST_REDIRECTS + 1):
            self._keep_pace()
            response = self._client.send(request)
            if response.next_request is None:
                return response
            request = response.next_request
            if request.url.host != host or request.url.scheme not in (scheme, "https"):
                raise SourceUnavailable(
                    f"{host} redirects to {request.url.copy_with(query=None)}, which is not asked; "
                    "set sync.base_url if the registry has moved."
                )
        raise SourceUnavailable(f"{host} redirects in a circle; check sync.base_url.")

    def _keep_pace(self) -> None:
        pause = self._not_before - self._clock.monotonic()
        if pause > 0:
            self._clock.sleep(pause)
        self._not_before = self._clock.monotonic() + 1 / self._politeness.requests_per_second

    def _wait(self, attempt: int, trouble: _Trouble) -> None:
        """1, 2, 4 s and so on, up to half as much again, so that clients do not come back all at once."""
        if trouble.retry_after_s > LONGEST_WAIT_S:
            raise SourceUnavailable(
                f"The registry asks for a pause of {trouble.retry_after_s:,.0f} s "
                f"({trouble.reason}); run the command again after it."
            )
        backoff_s = FIRST_WAIT_S * 2 ** (attempt - 1) * (1 + self._clock.chance() / 2)
        wait_s = max(backoff_s, trouble.retry_after_s)
        LOG.warning(
            "%s: %s; try %d of %d in %.0f s.",
            httpx.URL(self._base_url).host,
            trouble.reason,
            attempt + 1,
            self._politeness.retries + 1,
            wait_s,
        )
        self._clock.sleep(wait_s)

    def _retry_after_s(self, response: httpx.Response) -> float:
        """Retry-After as seconds or as a date (RFC 9110, section 10.2.3); 0 without a readable one."""
        text = response.headers.get("Retry-After", "").strip()
        if text.isdecimal():
            return float(text)
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return 0.0
        zoned = until if until.tzinfo else until.replace(tzinfo=UTC)
        return max((zoned - self._clock.now()).total_seconds(), 0.0)


def _object_in(response: httpx.Response) -> dict[str, Any] | _Trouble:
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        kind = response.headers.get("Content-Type", "no content type").partition(";")[0]
        return _Trouble(f"an answer that is not JSON but {kind}")
    return answer if isinstance(answer, dict) else _Trouble("an answer that is not a JSON object")


def _refusal(response: httpx.Response) -> str:
    """The registry explains a refusal in one line of plain text."""
    said = " ".join(response.text[:300].split()) if "html" not in _kind(response) else ""
    return f"{response.url.host} refused the request (HTTP {response.status_code}): {said or 'no reason given'}"


def _kind(response: httpx.Response) -> str:
    return str(response.headers.get("Content-Type", ""))


def _in_words(name: str) -> str:
    """ "ConnectError" as "connect error"."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
