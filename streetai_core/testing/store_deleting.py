"""What every store has to do when rows go: the part of `StoreSuite` about deleting and removing."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from dataclasses import replace

import pytest

from streetai_core.stores.base import Store
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.testing.factories import (
    make_exchange,
    make_head,
    make_learned,
    make_message,
    make_signal_row,
    make_stack_row,
    make_vector,
    make_weight_row,
    make_words_row,
)
from streetai_core.testing.store_reading import all_messages, comparable, head_of, read, write


class StoreDeleting:
    """Conformance tests of what goes, and of what goes with it; inherited by `StoreSuite`."""

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

    @pytest.mark.parametrize("many", [63, 64, 65, 200])
    def test_many_rows_are_written_overwritten_and_deleted_at_once(self, store: Store, many: int) -> None:
        """Each as if it were alone; only the last three are left, with what was written over them."""
        numbers = range(many)
        stacks, words = [make_stack_row(key) for key in numbers], [make_words_row(number) for number in numbers]
        write(store, make_exchange(*numbers, stacks=stacks, words=words))
        rows = read(store)
        assert rows is not None
        assert [comparable(stack) for stack in rows.stacks] == [comparable(stack) for stack in stacks]
        messages = [make_message(number, content=f"This is text {number}, another one.") for number in numbers]
        signals = [make_signal_row(number, end=5, vector=make_vector(number + many)) for number in numbers]
        weights = [make_weight_row(number, uses=number) for number in numbers]
        changed = Changes(head=head_of(store), messages=messages, signals=signals, weights=weights)
        gone = list(numbers[:-3])
        write(store, changed)
        write(store, Changes(head=head_of(store), deleted_messages=gone, deleted_signals=gone[:2], deleted_stacks=gone))
        rows = read(store)
        assert rows is not None
        assert all_messages(store) == messages[-3:]
        assert [comparable(signal) for signal in rows.signals] == [comparable(signal) for signal in signals[-3:]]
        assert [comparable(weight) for weight in rows.weights] == [comparable(weight) for weight in weights[-3:]]
        assert [stack.key for stack in rows.stacks] == list(numbers[-3:])
        assert [row.sequence for row in rows.words] == list(numbers[-3:])

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
