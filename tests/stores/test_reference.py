"""The store in dicts does what every store does."""

from dataclasses import replace

from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.types import MessageQuery
from streetai_core.testing.factories import make_exchange
from streetai_core.testing.store_reading import write
from streetai_core.testing.store_suite import StoreSuite
from tests.counted import CountedNumber

MESSAGES = 200


class TestReferenceStore(StoreSuite):
    """Conformance."""

    shares_data = False

    def make_store(self, folder, *, busy_timeout=30.0):
        """A store in memory; the folder is of no use to it."""
        return ReferenceStore(busy_timeout=busy_timeout)


def test_messages_are_looked_up_in_proportion_to_how_many_are_wanted():
    """If it fails, a memory in RAM of ten thousand messages takes seconds to read what a filter has to know of them."""
    store, exchange = ReferenceStore(), make_exchange(*range(MESSAGES))
    write(store, replace(exchange, head=replace(exchange.head, memory_id="m")))
    wanted = [CountedNumber(number) for number in range(MESSAGES)]
    CountedNumber.compared = 0
    with store.reading("m") as view:
        assert len(view.messages(MessageQuery(sequences=wanted))) == MESSAGES
    assert CountedNumber.compared < 10 * MESSAGES
