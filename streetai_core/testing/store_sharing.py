"""What every store has to do for several at once: the part of `StoreSuite` about threads, blocks and second stores."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module
# ruff: noqa: PLR2004 - numbers worked out by hand are the point

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from streetai_core.errors import MemoryBusyError, StoreError
from streetai_core.stores.base import Store
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.testing.factories import NOON, make_exchange, make_head, make_learned
from streetai_core.testing.store_making import StoreMaking
from streetai_core.testing.store_reading import comparable, head_of, read, write

_WRITERS, _WRITES = 6, 15
"""More threads than a small machine has cores, each often enough that they meet."""

_SHORT_WAIT = 0.05
"""Seconds that a writer waits for a lock which is not going to be free."""


class StoreSharing(StoreMaking):
    """Conformance tests of several users of one store; inherited by `StoreSuite`."""

    def test_a_reader_keeps_its_view(self, store: Store) -> None:
        """What another thread commits during a block is not in it, and is in the next one."""
        write(store, make_exchange(0))
        with store.reading("alice") as view:
            in_thread(lambda: write(store, make_exchange(1)))
            assert view.head is not None
            assert view.head.version == 1
            assert [message.sequence for message in view.messages(MessageQuery())] == [0]
            rows = view.rows(None)
            assert rows is not None
            assert [signal.key for signal in rows.signals] == [0]
        assert head_of(store).version == 2

    def test_no_update_is_lost_between_threads(self, store: Store) -> None:
        """Each of many threads counts up under the write lock; the counts add up."""
        write(store, Changes(head=make_head()))

        def count_up() -> None:
            for _ in range(_WRITES):
                with store.writing("alice") as writing:
                    head = writing.head
                    assert head is not None
                    writing.apply(Changes(head=replace(head, next_turn=head.next_turn + 1)), now=NOON)

        in_thread(*[count_up] * _WRITERS)
        assert head_of(store).next_turn == _WRITERS * _WRITES
        assert head_of(store).version == 1 + _WRITERS * _WRITES

    def test_a_writer_that_waits_in_vain_says_so(self, tmp_path: Path) -> None:
        """A held lock raises `MemoryBusyError` with the seconds waited; reading goes on, and so does writing later."""
        with self.make_store(tmp_path, busy_timeout=_SHORT_WAIT) as store:
            write(store, make_exchange(0))
            waited: list[float] = []

            def try_to_write() -> None:
                with pytest.raises(MemoryBusyError) as caught:
                    write(store, make_exchange(1))
                waited.append(caught.value.waited_seconds)
                assert head_of(store).version == 1

            with store.writing("alice"):
                in_thread(try_to_write)
            assert waited[0] >= _SHORT_WAIT / 2
            assert write(store, make_exchange(1)).version == 2

    @pytest.mark.parametrize("outer", ["reading", "writing"])
    @pytest.mark.parametrize("inner", ["reading", "writing"])
    def test_a_block_inside_a_block_is_refused_at_once(self, store: Store, outer: str, inner: str) -> None:
        """A thread that would wait for itself gets an error instead, and can go on afterwards."""

        def open_inner() -> None:
            with getattr(store, inner)("bob"):
                pytest.fail("a second block was opened")

        with getattr(store, outer)("alice"), pytest.raises(StoreError, match="already"):
            open_inner()
        write(store, make_exchange(0))
        assert head_of(store).version == 1

    def test_a_transaction_ends_with_its_block(self, store: Store) -> None:
        """Kept beyond its block, it refuses instead of reading something else."""
        with store.writing("alice") as writing:
            writing.apply(make_exchange(0), now=NOON)
        with store.reading("alice") as view:
            pass
        for transaction in (writing, view):
            with pytest.raises(StoreError, match="ended"):
                transaction.messages(MessageQuery())
        with pytest.raises(StoreError, match="ended"):
            writing.apply(make_exchange(1), now=NOON)

    def test_two_stores_see_each_other(self, tmp_path: Path) -> None:
        """What one commits, the other reads at once; what one deletes, the other cannot bring back by learning."""
        if not self.shares_data:
            pytest.skip("this store does not share its data")
        with self.make_store(tmp_path) as first, self.make_store(tmp_path) as second:
            write(first, make_exchange(0, 1))
            assert comparable(read(second)) == comparable(read(first))
            stale = head_of(second)
            write(first, Changes(head=head_of(first), deleted_messages=[0]))
            write(second, Changes(head=stale, learned=[make_learned(0)]))
            rows = read(first, since=2)
            assert rows is not None
            assert not rows.complete
            assert rows.weights == []
            assert head_of(first).version == 3


def in_thread(*work: Callable[[], object]) -> None:
    """Run functions in a thread each, at once; raise what one of them raised."""
    errors: list[BaseException] = []

    def guarded(function: Callable[[], object]) -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
