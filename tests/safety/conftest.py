"""Memories for the tests of safety."""

from datetime import datetime, timezone

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)


@pytest.fixture
def registry():
    """A registry on the store in RAM."""
    with MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), clock=lambda: NOON) as registry:
        yield registry


@pytest.fixture
def memory(registry):
    """One memory of it."""
    return registry.get("m")


@pytest.fixture
def path(tmp_path):
    """Where a database is."""
    return tmp_path / "memory.db"


@pytest.fixture
def on_disk(path):
    """A registry on a file."""
    store = SqliteStore(path, durability="fast")
    with MemoryRegistry(store, encoder=HashingEncoder(), clock=lambda: NOON) as registry:
        yield registry
