"""Fixtures for every test: database servers, each started when a test first asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import servers
from servers import Server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A private PostgreSQL of this test run."""
    yield from servers.postgresql()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    """A private MariaDB of this test run."""
    yield from servers.mariadb()
