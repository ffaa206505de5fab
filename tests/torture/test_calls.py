"""Unknown sequences of calls on a real file, through connections of their own: model, RAM and disk agree.

`STREETAI_SEQUENCES=200 python -m pytest tests/torture/test_calls.py` tries as many sequences.
"""

import os
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from streetai_core import Config, MemoryRegistry
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.torture.checking import damage
from tests.core.test_ram_equals_disk import ENCODER, NOON, Handles

SEQUENCES = int(os.environ.get("STREETAI_SEQUENCES", "10"))
STEPS = 50 if "STREETAI_SEQUENCES" in os.environ else 20


class Connections(Handles):
    """The same rules, each handle with a store of its own on one file; handles come and go."""

    @initialize(config=st.sampled_from([Config(stack_threshold=0.3), Config.classic(stack_threshold=0.3)]))
    def open(self, config):
        """Two registries on one file, and a store that only looks."""
        self.folder = tempfile.TemporaryDirectory(prefix="streetai-")
        self.path = Path(self.folder.name) / "memories.db"
        self.store = SqliteStore(self.path, durability="fast")
        self.config = config
        self.registries = [self.registry() for _ in range(2)]
        self.said = {}

    def registry(self):
        """A registry with a connection of its own."""
        store = SqliteStore(self.path, durability="fast")
        return MemoryRegistry(store, config=self.config, encoder=ENCODER, clock=lambda: NOON)

    @rule(handle=st.integers(0, 1))
    def reopen(self, handle):
        """A program ends, and starts again."""
        self.registries[handle].close()
        self.registries[handle] = self.registry()

    @rule(handle=st.integers(0, 1))
    def abandon(self, handle):
        """A handle is dropped without closing it."""
        self.registries[handle] = self.registry()

    def teardown(self):
        """SQLite finds the file whole."""
        if not hasattr(self, "folder"):
            return
        for registry in self.registries:
            registry.close()
        self.store.close()
        assert not self.path.exists() or damage(self.path) == []
        self.folder.cleanup()


Connections.TestCase.settings = settings(max_examples=SEQUENCES, stateful_step_count=STEPS, database=None)
TestConnections = Connections.TestCase
