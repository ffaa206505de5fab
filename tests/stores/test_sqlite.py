"""The SQLite store does what every store does."""

from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.store_suite import StoreSuite


class TestSqliteStore(StoreSuite):
    """Conformance."""

    def make_store(self, folder, *, busy_timeout=30.0):
        """A store in one file. Power loss is not tested here, so its commits need not wait for the disk."""
        return SqliteStore(folder / "memories.db", busy_timeout=busy_timeout, durability="fast")
