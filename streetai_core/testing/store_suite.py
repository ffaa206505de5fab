"""What every store has to do, as tests to inherit.

    class TestMyStore(StoreSuite):
        def make_store(self, folder, *, busy_timeout=30.0):
            return MyStore(folder / "memories", busy_timeout=busy_timeout)

pytest collects the inherited tests; nothing else is needed. Numbers are compared with values worked out by hand, and
whole results with naive ones.
"""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module
# ruff: noqa: PLR2004 - numbers worked out by hand are the point

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streetai_core.errors import ClosedError, MemoryBusyError, StoreError
from streetai_core.stores.base import Changes, CreditRow, MessageQuery, Store
from streetai_core.stores.columns import loaded_from
from streetai_core.testing.factories import (
    NOON,
    make_exchange,
    make_head,
    make_learned,
    make_message,
    make_signal_row,
    make_stack_row,
    make_weight_row,
)
from streetai_core.testing.store_inputs import StoreInputs
from streetai_core.testing.store_provenance import StoreProvenance
from streetai_core.testing.store_reading import all_messages, comparable, head_of, read, write
from streetai_core.testing.store_words import StoreWords

_WRITERS, _WRITES = 6, 15
"""More threads than a small machine has cores, each often enough that they meet."""

_SHORT_WAIT = 0.05
"""Seconds that a writer waits for a lock which is not going to be free."""


class StoreSuite(StoreInputs, StoreWords, StoreProvenance):
    """Conformance tests of `Store`. Subclass it with `make_store`."""

    shares_data = True
    """Whether a second store made on the same folder sees the data of the first."""

    def make_store(self, folder: Path, *, busy_timeout: float = 30.0) -> Store:
        """A store whose data is in `folder`; `busy_timeout` is in seconds."""
        raise NotImplementedError(f"{type(self).__name__} must define make_store()")

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        """An empty store, closed afterwards."""
        with self.make_store(tmp_path) as store:
            yield store

    # ------------------------------------------------------------------ empty

    def test_a_memory_that_was_never_written_is_nothing(self, store: Store) -> None:
        """Reading finds no head, no rows, no messages, and leaves no memory behind."""
        with store.reading("alice") as view:
            assert view.head is None
            assert view.rows(None) is None
            assert view.messages(MessageQuery()) == []
            assert view.credits() == []
            assert view.journal() == []
            assert view.origins() == []
            assert view.edits() == []
        assert store.memory_ids() == []

    def test_a_block_without_changes_makes_no_memory(self, store: Store) -> None:
        """Taking the write lock alone writes nothing."""
        with store.writing("alice") as writing:
            assert writing.head is None
        assert store.memory_ids() == []

    # ---------------------------------------------------------------- writing

    def test_what_was_written_comes_back(self, store: Store) -> None:
        """Head, signals with vectors, weights, stacks, words and messages are what was given, under version 1."""
        changes = make_exchange(0, 1)
        head = write(store, changes)
        assert head == replace(changes.head, version=1, deletion_version=0)
        rows = read(store)
        assert rows is not None
        assert rows.head == head
        assert rows.complete
        assert comparable(rows.signals) == comparable(changes.signals)
        assert comparable(rows.weights) == comparable(changes.weights)
        assert comparable(rows.stacks) == comparable(changes.stacks)
        assert comparable(rows.words) == comparable(changes.words)
        assert all_messages(store) == list(changes.messages)
        assert store.memory_ids() == ["alice"]

    def test_the_writer_sees_its_own_changes(self, store: Store) -> None:
        """Inside the block, reading goes on from what was applied; each `apply` is a version."""
        with store.writing("alice") as writing:
            first = writing.apply(make_exchange(0), now=NOON)
            assert writing.head == first
            assert [message.sequence for message in writing.messages(MessageQuery())] == [0]
            second = writing.apply(make_exchange(1, head=first), now=NOON)
            assert (first.version, second.version) == (1, 2)
            rows = writing.rows(1)
            assert rows is not None
            assert [signal.key for signal in rows.signals] == [1]
        assert head_of(store) == second

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit])
    def test_a_block_that_raises_leaves_nothing(self, store: Store, error: type[BaseException]) -> None:
        """Whatever ends the block early, all of it is undone and the error is not swallowed."""
        write(store, make_exchange(0))
        before = comparable(read(store))

        def fail() -> None:
            with store.writing("alice") as writing:
                writing.apply(make_exchange(1, head=writing.head, deleted_messages=[0]), now=NOON)
                raise error

        with pytest.raises(error):
            fail()
        assert comparable(read(store)) == before
        assert [message.sequence for message in all_messages(store)] == [0]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"signals": [make_signal_row(1, sequence=99)]},
            {"weights": [make_weight_row(99)]},
            {"messages": [make_message(1), make_message(2, message_id="message-0")]},
            {"messages": [make_message(1), make_message(0, message_id="another")]},
        ],
        ids=["signal without message", "weight without signal", "id taken", "id changed"],
    )
    def test_contradictory_changes_leave_nothing_though_the_block_goes_on(
        self, store: Store, wrong: dict[str, Any]
    ) -> None:
        """`apply` does all or nothing by itself; the rest of the block is committed."""
        write(store, make_exchange(0))
        with store.writing("alice") as writing:
            head = writing.head
            changes = replace(make_exchange(1, head=head), **wrong)
            with pytest.raises(StoreError):
                writing.apply(changes, now=NOON)
            assert writing.head == head
            writing.apply(make_exchange(5, head=head), now=NOON)
        assert [message.sequence for message in all_messages(store)] == [0, 5]
        assert head_of(store).version == 2

    def test_a_new_text_keeps_id_and_place(self, store: Store) -> None:
        """Writing a stored sequence again replaces the text; other messages and the order stay."""
        head = write(store, make_exchange(0, 1, 2))
        edited = make_message(1, content="Something else.", sanitised=True, metadata={"edited": True})
        write(store, Changes(head=head, messages=[edited]))
        assert all_messages(store) == [make_message(0), edited, make_message(2)]

    def test_a_signal_a_weight_and_a_stack_can_be_replaced(self, store: Store) -> None:
        """Writing a stored key again replaces that row, and no other."""
        head = write(store, make_exchange(0, 1))
        signal = make_signal_row(1, vector=make_signal_row(77).vector, end=3)
        weight = make_weight_row(1, base_weight=2.5, stack=4)
        stack = make_stack_row(0, size=9)
        write(store, Changes(head=head, signals=[signal], weights=[weight], stacks=[stack]))
        rows = read(store)
        assert rows is not None
        assert comparable(rows.signals) == comparable([make_signal_row(0), signal])
        assert rows.weights == [make_weight_row(0), weight]
        assert comparable(rows.stacks) == comparable([stack])

    def test_the_head_is_kept_as_given(self, store: Store) -> None:
        """All counters, the token and the encoder come back; only the versions are the store's."""
        head = make_head(
            token="a b",  # noqa: S106 - not a secret
            generation=3,
            version=70,
            deletion_version=60,
            next_turn=5,
            next_sequence=6,
            next_signal=7,
            next_stack=8,
            message_count=9,
            history_tokens=10,
            encoder=None,
            dim=None,
        )
        write(store, Changes(head=head))
        assert head_of(store) == replace(head, version=1, deletion_version=0)

    # ----------------------------------------------------------------- deltas

    def test_only_what_changed_since_a_version_is_read(self, store: Store) -> None:
        """Rows of later versions, and nothing else; nothing at all for a reader that is up to date."""
        for number in range(4):
            write(store, make_exchange(number))
        write(store, Changes(head=head_of(store), learned=[make_learned(0)]))
        since = read(store, since=3)
        assert since is not None
        assert not since.complete
        assert [signal.key for signal in since.signals] == [3]
        assert [weight.key for weight in since.weights] == [0, 3]
        assert [stack.key for stack in since.stacks] == [0]
        current = read(store, since=5)
        assert current is not None
        assert (current.complete, current.signals, current.weights, current.stacks) == (False, [], [], [])

    def test_a_reader_from_before_a_deletion_loads_everything(self, store: Store) -> None:
        """Rows that went cannot be told by a delta, so an older reader gets all, a newer one does not."""
        write(store, make_exchange(0))
        write(store, make_exchange(1))
        deleting = write(store, Changes(head=head_of(store), deleted_messages=[0]))
        write(store, make_exchange(2))
        assert (deleting.version, deleting.deletion_version) == (3, 3)
        older, newer = read(store, since=2), read(store, since=3)
        assert older is not None
        assert newer is not None
        assert (older.complete, [signal.key for signal in older.signals]) == (True, [1, 2])
        assert (newer.complete, [signal.key for signal in newer.signals]) == (False, [2])

    def test_a_reader_ahead_of_the_store_loads_everything(self, store: Store) -> None:
        """A version that was never written means that the data was put back from a backup."""
        write(store, make_exchange(0))
        rows = read(store, since=99)
        assert rows is not None
        assert rows.complete
        assert [signal.key for signal in rows.signals] == [0]

    # --------------------------------------------------------------- deleting

    def test_a_message_goes_with_its_signals_and_weights(self, store: Store) -> None:
        """Deleting a message takes all that is made of it, and nothing of the others."""
        signals = [make_signal_row(10, 0), make_signal_row(11, 0), make_signal_row(12, 1)]
        weights = [make_weight_row(key) for key in (10, 11, 12)]
        write(store, make_exchange(0, 1, signals=signals, weights=weights))
        write(store, Changes(head=head_of(store), deleted_messages=[0, 55]))
        rows = read(store)
        assert rows is not None
        assert [signal.key for signal in rows.signals] == [12]
        assert [weight.key for weight in rows.weights] == [12]
        assert all_messages(store) == [make_message(1)]

    def test_signals_and_stacks_can_be_deleted_alone(self, store: Store) -> None:
        """A signal goes with its weight and leaves its message; a stack goes alone."""
        write(store, make_exchange(0, 1, stacks=[make_stack_row(0), make_stack_row(1)]))
        write(store, Changes(head=head_of(store), deleted_signals=[1], deleted_stacks=[0]))
        rows = read(store)
        assert rows is not None
        assert [signal.key for signal in rows.signals] == [0]
        assert [weight.key for weight in rows.weights] == [0]
        assert [stack.key for stack in rows.stacks] == [1]
        assert all_messages(store) == [make_message(0), make_message(1)]

    def test_a_deleted_id_can_be_used_again_at_once(self, store: Store) -> None:
        """Deletions come before additions of the same changes."""
        write(store, make_exchange(0))
        again = make_message(1, message_id="message-0")
        write(store, make_exchange(1, messages=[again], deleted_messages=[0]))
        assert all_messages(store) == [again]

    def test_a_wipe_leaves_the_head_and_other_memories(self, store: Store) -> None:
        """All rows and the learning log go; the memory keeps its place with the new head."""
        write(store, make_exchange(0, 1))
        write(store, make_exchange(0, head=make_head(memory_id="bob")))
        write(store, Changes(head=head_of(store), learned=[make_learned(0)]))
        bob = comparable(read(store, "bob"))
        head = write(store, Changes(head=replace(head_of(store), generation=1), wipe=True))
        assert (head.generation, head.version, head.deletion_version) == (1, 3, 3)
        rows = read(store)
        assert rows is not None
        assert (rows.head, rows.signals, rows.weights, rows.stacks, rows.words) == (head, [], [], [], [])
        with store.reading("alice") as view:
            assert view.credits() == []
            assert view.messages(MessageQuery()) == []
        assert store.memory_ids() == ["alice", "bob"]
        assert comparable(read(store, "bob")) == bob

    # --------------------------------------------------------------- learning

    def test_learning_changes_the_weight_that_is_there(self, store: Store) -> None:
        """`min(max(1.0 * factor, low), high)`; the clock only moves forward; uses count the used ones."""
        write(store, make_exchange(0, 1, 2, 3))
        steps = [
            make_learned(0, factor=1.5, last_used_turn=9),
            make_learned(1, factor=0.5, last_used_turn=0, used=False, action="demote", contribution=0.1),
            make_learned(2, factor=100.0),
            make_learned(3, factor=0.01, low=0.25),
        ]
        write(store, Changes(head=head_of(store), learned=steps))
        rows = read(store)
        assert rows is not None
        assert [(row.base_weight, row.last_used_turn, row.uses) for row in rows.weights] == [
            (1.5, 9, 1),
            (0.5, 1, 0),
            (8.0, 10, 1),
            (0.25, 10, 1),
        ]

    def test_learning_is_logged(self, store: Store) -> None:
        """One entry per step, oldest first, with the weight before and after; of one signal or of all."""
        write(store, make_exchange(0, 1))
        write(store, Changes(head=head_of(store), learned=[make_learned(1, factor=2.0), make_learned(0, factor=0.5)]))
        write(store, Changes(head=head_of(store), learned=[make_learned(1, factor=1.5, last_used_turn=12)]))
        entry = CreditRow(
            turn=10,
            key=1,
            action="boost",
            contribution=0.75,
            old_weight=1.0,
            new_weight=2.0,
            created_at=NOON,
            old_last_used_turn=1,
            version=2,
        )
        later = replace(entry, turn=12, old_weight=2.0, new_weight=3.0, old_last_used_turn=10, old_uses=1, version=3)
        with store.reading("alice") as view:
            assert view.credits() == [entry, replace(entry, key=0, new_weight=0.5, old_last_used_turn=0), later]
            assert view.credits(1) == [entry, later]
            assert view.credits(5) == []

    def test_two_steps_on_one_signal_follow_each_other(self, store: Store) -> None:
        """In one transaction the second step starts from what the first one left: 1.0, 2.0, 3.0."""
        write(store, make_exchange(0))
        write(store, Changes(head=head_of(store), learned=[make_learned(0, factor=2.0), make_learned(0, factor=1.5)]))
        with store.reading("alice") as view:
            assert [(entry.old_weight, entry.new_weight) for entry in view.credits()] == [(1.0, 2.0), (2.0, 3.0)]
            rows = view.rows(None)
        assert rows is not None
        assert [(row.base_weight, row.uses) for row in rows.weights] == [(3.0, 2)]

    def test_columns_are_the_rows(self, store: Store) -> None:
        """Loading as columns gives what reading all rows gives, after a deletion and a learning step too."""
        write(store, make_exchange(0, 1, 2))
        write(store, Changes(head=head_of(store), deleted_messages=[1], learned=[make_learned(0)]))
        with store.reading("alice") as view:
            loaded, rows = view.loaded(), view.rows(None)
        assert loaded is not None
        assert rows is not None
        assert comparable(loaded) == comparable(loaded_from(rows))
        with store.reading("nobody") as view:
            assert view.loaded() is None

    def test_learning_never_brings_back_what_was_deleted(self, store: Store) -> None:
        """A step on a signal that is gone does nothing and is not logged."""
        write(store, make_exchange(0, 1))
        write(store, Changes(head=head_of(store), deleted_messages=[0]))
        write(store, Changes(head=head_of(store), learned=[make_learned(0), make_learned(1), make_learned(77)]))
        rows = read(store)
        assert rows is not None
        assert [weight.key for weight in rows.weights] == [1]
        with store.reading("alice") as view:
            assert [entry.key for entry in view.credits()] == [1]

    def test_the_learning_log_of_what_was_deleted_goes_with_it(self, store: Store) -> None:
        """What was learned about a text tells something of it."""
        write(store, make_exchange(0, 1, 2))
        write(store, Changes(head=head_of(store), learned=[make_learned(key) for key in (0, 1, 2, 0)]))
        write(store, Changes(head=head_of(store), deleted_messages=[0], deleted_signals=[1]))
        with store.reading("alice") as view:
            assert [entry.key for entry in view.credits()] == [2]
            assert view.credits(0) == view.credits(1) == []

    # ---------------------------------------------------------------- removal

    def test_a_removed_memory_was_never_written(self, store: Store) -> None:
        """Nothing of it is left, not even its id; others stay, and it can begin anew."""
        write(store, make_exchange(0, 1))
        write(store, Changes(head=head_of(store), learned=[make_learned(0)]))
        write(store, make_exchange(0, head=make_head(memory_id="bob")))
        with store.writing("alice") as writing:
            writing.remove()
            assert writing.head is None
        assert store.memory_ids() == ["bob"]
        with store.reading("alice") as view:
            assert (view.head, view.rows(None), view.messages(MessageQuery()), view.credits()) == (None, None, [], [])
        head = write(store, make_exchange(5))
        assert (head.version, [message.sequence for message in all_messages(store)]) == (1, [5])
        assert all_messages(store, "bob") == [make_message(0)]

    def test_a_removal_can_be_undone_and_repeated(self, store: Store) -> None:
        """By an exception like everything else; a memory that is not there is not removed, and no error."""
        write(store, make_exchange(0))

        def fail() -> None:
            with store.writing("alice") as writing:
                writing.remove()
                raise KeyError

        with pytest.raises(KeyError):
            fail()
        assert len(all_messages(store)) == 1
        for _ in range(2):
            with store.writing("alice") as writing:
                writing.remove()
        assert store.memory_ids() == []
        assert store.settle() == ()

    # ------------------------------------------------------------ concurrency

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

    # ---------------------------------------------------------------- closing

    def test_a_closed_store_refuses(self, tmp_path: Path) -> None:
        """Closing twice is fine; everything else raises `ClosedError`."""
        store = self.make_store(tmp_path)
        write(store, make_exchange(0))
        store.close()
        store.close()
        for use in (lambda: head_of(store), lambda: write(store, make_exchange(1)), store.memory_ids):
            with pytest.raises(ClosedError):
                use()


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
