"""Asking politely: paced, patient with trouble, honest about who asks, and never led to another host."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from clocks import FakeTime
from proband.adapters.polite_http import PoliteClient, Politeness
from proband.errors import OfflineError, SourceRefused, SourceUnavailable
from standin_registry import Answer, StandinRegistry, standin_registry

POLITENESS = Politeness(
    requests_per_second=2.0, retries=3, timeout_s=5.0, user_agent="proband/test"
)
GOOD = Answer(body='{"apiVersion": "2.0.5"}')


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandinRegistry]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with standin_registry() as running:
        yield running


def ask(
    registry: StandinRegistry, *answers: Answer, time: FakeTime | None = None
) -> dict[str, object]:
    """What a client gets when the registry gives these answers one after the other."""
    registry.next_answers.extend(answers)
    clock = (time or FakeTime()).clock
    with PoliteClient(registry.url, POLITENESS, clock=clock) as client:
        return client.json_object("version", {})


def test_answer_is_the_json_object(registry: StandinRegistry) -> None:
    assert ask(registry)["apiVersion"] == "2.0.5"


def test_client_names_itself(registry: StandinRegistry) -> None:
    ask(registry)
    assert registry.asked[0].headers["User-Agent"] == "proband/test"


def test_requests_keep_their_distance(registry: StandinRegistry) -> None:
    time = FakeTime()
    with PoliteClient(registry.url, POLITENESS, clock=time.clock) as client:
        for _ in range(3):
            client.json_object("version", {})
        time.passed_s += 10
        client.json_object("version", {})
    assert time.slept == [0.5, 0.5]


def test_each_wait_is_said_with_its_reason(
    registry: StandinRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    ask(registry, Answer(503), Answer(429, headers={"Retry-After": "7"}), GOOD)
    assert caplog.messages == [
        "127.0.0.1: HTTP 503; try 2 of 4 in 1 s.",
        "127.0.0.1: HTTP 429; try 3 of 4 in 7 s.",
    ]


TROUBLES = {
    "too many requests": (Answer(429), "HTTP 429"),
    "server error": (Answer(503, "<html>busy</html>"), "HTTP 503"),
    "web page instead of JSON": (
        Answer(body="<html></html>", headers={"Content-Type": "text/html; charset=utf-8"}),
        "an answer that is not JSON but text/html",
    ),
    "cut JSON": (Answer(body='{"a": '), "an answer that is not JSON but application/json"),
    "not an object": (Answer(body="[1]"), "an answer that is not a JSON object"),
    "broken connection": (Answer(body='{"a": 1}', cut=3), "remote protocol error"),
    "broken packing": (
        Answer(body="not gzip", headers={"Content-Encoding": "gzip"}),
        "decoding error",
    ),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_trouble_that_passes_is_waited_out(registry: StandinRegistry, name: str) -> None:
    trouble, _ = TROUBLES[name]
    time = FakeTime()
    assert ask(registry, trouble, trouble, GOOD, time=time) == {"apiVersion": "2.0.5"}
    assert time.slept == [1.0, 2.0]


@pytest.mark.parametrize("name", TROUBLES)
def test_trouble_that_stays_is_one_sentence(registry: StandinRegistry, name: str) -> None:
    trouble, reason = TROUBLES[name]
    time = FakeTime()
    with pytest.raises(SourceUnavailable) as raised:
        ask(registry, *[trouble] * 4, time=time)
    assert str(raised.value) == (
        f"127.0.0.1 gave no answer in 4 tries ({reason}); try again later."
    )
    assert time.slept == [1.0, 2.0, 4.0]


def test_jitter_lengthens_waits_by_up_to_a_half(registry: StandinRegistry) -> None:
    time = FakeTime(chance=1.0)
    ask(registry, Answer(500), Answer(500), GOOD, time=time)
    assert time.slept == [1.5, 3.0]


def test_no_answer_in_time_is_trouble(registry: StandinRegistry) -> None:
    registry.next_answers.extend([Answer(wait_s=0.5), GOOD])
    hasty = Politeness(2.0, retries=1, timeout_s=0.1, user_agent="x")
    time = FakeTime()
    with PoliteClient(registry.url, hasty, clock=time.clock) as client:
        assert client.json_object("version", {}) == {"apiVersion": "2.0.5"}
    assert time.slept == [1.0]


def test_nobody_at_the_address_is_trouble() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with (
        PoliteClient(url, POLITENESS, clock=FakeTime().clock) as client,
        pytest.raises(SourceUnavailable, match=r"gave no answer in 4 tries \(connect error\)"),
    ):
        client.json_object("version", {})


@pytest.mark.parametrize(
    ("retry_after", "wait_s"),
    [
        ("7", 7.0),
        ("0", 1.0),
        ("Fri, 04 Sep 2026 12:00:30 GMT", 30.0),
        ("Fri, 04 Sep 2026 12:00:30", 30.0),
        ("Fri, 04 Sep 2026 11:00:00 GMT", 1.0),
        ("soon", 1.0),
        ("-5", 1.0),
    ],
)
def test_retry_after_is_honoured(
    registry: StandinRegistry, retry_after: str, wait_s: float
) -> None:
    time = FakeTime()
    ask(registry, Answer(429, headers={"Retry-After": retry_after}), GOOD, time=time)
    assert time.slept == [wait_s]


def test_a_pause_that_is_too_long_is_left_to_a_person(registry: StandinRegistry) -> None:
    time = FakeTime()
    with pytest.raises(SourceUnavailable, match=r"asks for a pause of 3,600 s \(HTTP 429\)"):
        ask(registry, Answer(429, headers={"Retry-After": "3600"}), time=time)
    assert time.slept == []


def test_refusal_is_not_repeated_and_gives_the_reason(registry: StandinRegistry) -> None:
    with pytest.raises(SourceRefused) as raised:
        ask(registry, Answer(400, "Parameter `sort`\nhas incorrect format"))
    assert raised.value.status == 400
    assert str(raised.value) == (
        "127.0.0.1 refused the request (HTTP 400): Parameter `sort` has incorrect format"
    )
    assert len(registry.asked) == 1


def test_web_page_of_a_refusal_is_not_repeated_in_the_message(registry: StandinRegistry) -> None:
    page = Answer(403, "<html>" + "x" * 1000, headers={"Content-Type": "text/html"})
    with pytest.raises(SourceRefused, match=r"\(HTTP 403\): no reason given$"):
        ask(registry, page)


def test_redirect_on_the_same_host_is_followed(registry: StandinRegistry) -> None:
    assert ask(registry, Answer(301, headers={"Location": "/api/v2/version?again=1"}))
    assert [asked.parameters for asked in registry.asked] == [{}, {"again": "1"}]


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://localhost/api/v2/version?a=b", "redirects to http://localhost/api/v2/version,"),
        ("https://example.invalid/", "redirects to https://example.invalid/, which is not asked"),
        ("/api/v2/version", "redirects in a circle"),
    ],
)
def test_redirect_to_elsewhere_is_not_followed(
    registry: StandinRegistry, location: str, reason: str
) -> None:
    with pytest.raises(SourceUnavailable, match=reason):
        ask(registry, *[Answer(302, headers={"Location": location})] * 5)


def test_offline_is_refused_before_any_connection(
    registry: StandinRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_socket(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", no_socket)
    with (
        PoliteClient(registry.url, POLITENESS, offline=True) as client,
        pytest.raises(OfflineError, match="may not be asked while offline is true"),
    ):
        client.json_object("version", {})
    assert registry.asked == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [("ftp://127.0.0.1", "is not an http"), ("http://127.0.0.1:port", "is not an address")],
)
def test_base_address_that_is_none_is_named(url: str, reason: str) -> None:
    with (
        PoliteClient(url, POLITENESS, clock=FakeTime().clock) as client,
        pytest.raises(SourceUnavailable, match=reason),
    ):
        client.json_object("version", {})
