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

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streetai_core.errors import ClosedError, StoreError
from streetai_core.stores.base import Store
from streetai_core.stores.columns import loaded_from
from streetai_core.stores.types import Changes, MessageQuery
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
from streetai_core.testing.store_cues import StoreCues
from streetai_core.testing.store_deleting import StoreDeleting
from streetai_core.testing.store_inputs import StoreInputs
from streetai_core.testing.store_learning import StoreLearning
from streetai_core.testing.store_precision import StorePrecision
from streetai_core.testing.store_provenance import StoreProvenance
from streetai_core.testing.store_reading import all_messages, comparable, head_of, read, write
from streetai_core.testing.store_sharing import StoreSharing
from streetai_core.testing.store_words import StoreWords


class StoreSuite(
    StoreInputs, StorePrecision, StoreWords, StoreCues, StoreProvenance, StoreDeleting, StoreLearning, StoreSharing
):
    """Conformance tests of `Store`. Subclass it with `make_store`."""

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
