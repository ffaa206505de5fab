"""The store in dicts does what every store does."""

from streetai_core.stores.reference import ReferenceStore
from streetai_core.testing.store_suite import StoreSuite


class TestReferenceStore(StoreSuite):
    """Conformance."""

    shares_data = False

    def make_store(self, folder, *, busy_timeout=30.0):
        """A store in memory; the folder is of no use to it."""
        return ReferenceStore(busy_timeout=busy_timeout)
