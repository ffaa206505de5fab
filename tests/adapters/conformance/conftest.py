"""A server, a memory and a client for each row of the matrix, synchronous and not."""

import shutil
from dataclasses import dataclass, field
from typing import Any

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from tests.adapters.conformance.driving import DRIVERS
from tests.adapters.conformance.matrix import ROWS
from tests.adapters.wire.server import served


@dataclass
class Bench:
    """What a test of the matrix works with."""

    row: Any
    wire: Any
    driver: Any
    registry: MemoryRegistry
    client: Any
    failures: list = field(default_factory=list)
    """What the memory reported."""

    def say(self, style, items, **more):
        """Make a call with the client."""
        return self.row.say(self.driver, self.client, style, items, **more)

    def stored(self, memory_id="mara", **options):
        """What the memory has: (role, text) of each message."""
        return [(one.role, one.content) for one in self.registry.get(memory_id).messages(**options)]

    def turn(self, heard):
        """What the memory did for a call."""
        return self.client.memory_turn(heard.response)


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request):
    """One API."""
    return request.param


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory):
    """A file with all tables and nothing in them. To make them takes longer than most tests, to copy them does not."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry, registry.store.writing("mara"):
        pass
    return path


@pytest.fixture(params=list(DRIVERS))
def bench(request, row, tmp_path, empty_database):
    """A client of the row with a memory; in the end nothing invalid has been sent."""
    shutil.copy(empty_database, tmp_path / "memory.db")
    # What power loss does is tested elsewhere.
    opened = MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), durability="fast")
    with served(row.api) as wire, opened as registry:
        failures = []
        asynchronous = DRIVERS[request.param].asynchronous
        client = row.client(
            wire.url, asynchronous=asynchronous, memory_id="mara", registry=registry, on_error=failures.append
        )
        driver = DRIVERS[request.param]()
        bench = Bench(row, wire, driver, registry, client, failures)
        try:
            yield bench
            driver.close(bench.client)
        finally:
            driver.end()
