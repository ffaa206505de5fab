"""What every store has to do with what was learned: the part of `StoreSuite` about weights and the learning log."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from dataclasses import replace

from streetai_core.stores.base import Store
from streetai_core.stores.types import Changes, CreditRow
from streetai_core.testing.factories import NOON, make_exchange, make_learned
from streetai_core.testing.store_reading import head_of, read, write


class StoreLearning:
    """Conformance tests of learning steps; inherited by `StoreSuite`."""

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

    def test_boosts_are_counted(self, store: Store) -> None:
        """Of the signals that are asked for, in one conversation; what was demoted or in another one does not count."""
        write(store, make_exchange(0, 1))
        steps = [(0, "boost", 7), (1, "boost", 7), (0, "boost", 7), (0, "demote", 7), (0, "boost", 8), (1, "boost", 8)]
        for key, action, conversation in steps:
            step = make_learned(key, conversation=conversation, action=action)
            write(store, Changes(head=head_of(store), learned=[step]))
        with store.reading("alice") as view:
            assert dict(view.boosts([0, 1], 7)) == {0: 2, 1: 1}
            assert dict(view.boosts([1], 7)) == {1: 1}
            assert dict(view.boosts([0, 5], 9)) == {}
            assert dict(view.boosts([], 7)) == {}

    def test_two_steps_on_one_signal_follow_each_other(self, store: Store) -> None:
        """In one transaction the second step starts from what the first one left: 1.0, 2.0, 3.0."""
        write(store, make_exchange(0))
        write(store, Changes(head=head_of(store), learned=[make_learned(0, factor=2.0), make_learned(0, factor=1.5)]))
        with store.reading("alice") as view:
            assert [(entry.old_weight, entry.new_weight) for entry in view.credits()] == [(1.0, 2.0), (2.0, 3.0)]
            rows = view.rows(None)
        assert rows is not None
        assert [(row.base_weight, row.uses) for row in rows.weights] == [(3.0, 2)]
