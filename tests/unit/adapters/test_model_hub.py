from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from model_files import published
from proband.adapters.model_card import HubSource, ModelFile
from proband.adapters.model_hub import TRIES, Hub
from proband.errors import ModelFileWrong, SourceUnavailable
from standin_hub import REPO, REVISION, StandinHub, Trick, standin_hub

CONTENT = random.Random(5).randbytes(200_000)
SOURCE = HubSource(repo=REPO, revision=REVISION)


@pytest.fixture
def hub() -> Iterator[StandinHub]:
    with standin_hub() as hub:
        hub.files["onnx/model 1.onnx"] = CONTENT
        hub.files["onnx/model%201.onnx"] = CONTENT
        yield hub


@pytest.fixture
def part(tmp_path: Path) -> Path:
    return tmp_path / "model.part"


@pytest.fixture
def pauses() -> list[float]:
    return []


def fetch(hub: StandinHub, part: Path, pauses: list[float]) -> list[int]:
    """Fetches the file; the progress that was told."""
    told: list[int] = []

    def advance(stage: str, done: int, total: int | None) -> None:
        assert (stage, total) == ("onnx/model 1.onnx", len(CONTENT))
        told.append(done)

    file = published("onnx/model 1.onnx", CONTENT)
    Hub(hub.url + "/", pauses.append).fetch(SOURCE, file, part, advance)
    return told


def asked_ranges(hub: StandinHub) -> list[str | None]:
    return [asked for _, asked in hub.asked]


def test_file_comes_whole_with_its_progress(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    told = fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert told == sorted(told)
    assert told[-1] == len(CONTENT)
    assert hub.asked == [("onnx/model%201.onnx", None)]
    assert pauses == []


def test_cut_connection_is_resumed_where_it_ended(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    hub.tricks.extend([Trick.CUT, Trick.CUT])
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert asked_ranges(hub) == [None, "bytes=100000-", "bytes=150000-"]
    assert pauses == [1.0, 2.0]


def test_each_wait_is_said_with_its_reason(
    hub: StandinHub, part: Path, pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    hub.tricks.append(Trick.CUT)
    fetch(hub, part, pauses)
    (said,) = caplog.messages
    assert said.startswith("onnx/model 1.onnx: ")
    assert said.endswith("; try 2 of 5 in 1 s.")


def test_part_of_an_earlier_run_is_resumed(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    part.write_bytes(CONTENT[:70_000])
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert asked_ranges(hub) == ["bytes=70000-"]


def test_complete_part_is_not_asked_for_again(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    part.write_bytes(CONTENT)
    fetch(hub, part, pauses)
    assert hub.asked == []


def test_server_without_ranges_is_read_from_the_start(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    hub.ranges = False
    part.write_bytes(b"x" * 70_000)
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT


def test_part_that_is_too_long_is_thrown_away(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    part.write_bytes(CONTENT + b"tail")
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert asked_ranges(hub) == [None]


def test_refused_range_restarts(hub: StandinHub, part: Path, pauses: list[float]) -> None:
    part.write_bytes(CONTENT[:70_000])
    hub.tricks.append(Trick.UNSATISFIABLE)
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert asked_ranges(hub) == ["bytes=70000-", None]


def test_another_range_than_asked_for_is_not_appended(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    part.write_bytes(CONTENT[:70_000])
    hub.tricks.append(Trick.WRONG_RANGE)
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert asked_ranges(hub) == ["bytes=70000-", None]


def test_overload_is_waited_out(hub: StandinHub, part: Path, pauses: list[float]) -> None:
    hub.tricks.extend([Trick.UNAVAILABLE] * (TRIES - 1))
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert pauses == [1.0, 2.0, 4.0, 8.0]


def test_overload_does_not_cost_what_is_there(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    part.write_bytes(CONTENT[:70_000])
    hub.tricks.append(Trick.UNAVAILABLE)
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT
    assert asked_ranges(hub) == ["bytes=70000-", "bytes=70000-"]


def test_lasting_overload_is_one_clear_error(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    hub.tricks.extend([Trick.UNAVAILABLE] * TRIES)
    with pytest.raises(SourceUnavailable, match=f"failed {TRIES} times.*status 503"):
        fetch(hub, part, pauses)


def test_missing_file_is_not_tried_again(hub: StandinHub, part: Path, pauses: list[float]) -> None:
    hub.tricks.append(Trick.NOT_FOUND)
    with pytest.raises(SourceUnavailable, match="answered with status 404"):
        fetch(hub, part, pauses)
    assert pauses == []
    assert not part.exists()


def test_redirects_are_followed(hub: StandinHub, part: Path, pauses: list[float]) -> None:
    hub.tricks.append(Trick.MOVED)
    fetch(hub, part, pauses)
    assert part.read_bytes() == CONTENT


def test_more_bytes_than_published_are_refused_before_they_fill_the_disk(
    hub: StandinHub, part: Path, pauses: list[float]
) -> None:
    hub.tricks.append(Trick.TOO_LONG)
    with pytest.raises(ModelFileWrong, match="longer than its published 200000 bytes"):
        fetch(hub, part, pauses)
    assert not part.exists()


def test_hub_that_does_not_answer_is_one_clear_error(tmp_path: Path) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    pauses: list[float] = []
    hub = Hub("https://hub.invalid", pauses.append, httpx.MockTransport(refuse))
    with pytest.raises(SourceUnavailable, match=r"hub\.invalid.*connection refused"):
        hub.fetch(SOURCE, ModelFile("x", 1, "0" * 64), tmp_path / "x.part", lambda *told: None)
    assert len(pauses) == TRIES - 1
