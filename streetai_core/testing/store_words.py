"""What every store has to do with words rows: the part of `StoreSuite` about finding messages by their words."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streetai_core.errors import InputError, StoreError
from streetai_core.stores.base import ReadTransaction, Store
from streetai_core.stores.types import Changes, WordsRow
from streetai_core.testing.factories import (
    NOON,
    make_counts,
    make_days,
    make_exchange,
    make_head,
    make_message,
    make_signal_row,
    make_terms,
    make_words_row,
)
from streetai_core.testing.store_making import StoreMaking
from streetai_core.testing.store_reading import comparable, head_of, read, write
from streetai_core.types import ROLES

LAST_DAY = date.max.toordinal()

LARGEST_ROW = make_words_row(
    0,
    conversation_id="🎉" * 128,
    name="'; DROP TABLE words; --",
    role="developer",
    day=LAST_DAY,
    characters=2**63 - 1,
    question=True,
    terms=make_terms(0, 2**31, 2**32 - 1),
    counts=make_counts(1, 2**15, 2**16 - 1),
    days=make_days((1, 1), (1, LAST_DAY), (LAST_DAY, LAST_DAY)),
    replaces=(0, 7, 2**63 - 1),
    rules=2**63 - 1,
)
SMALLEST_ROW = make_words_row(
    1, conversation_id="", name="", day=1, characters=0, terms=make_terms(), counts=make_counts(), days=make_days()
)

_names = count()
"""Every example of a property writes to a memory of its own."""

_STORABLE = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
"""Everything but NUL and surrogates: control characters, marks, quotes, other planes."""

_DAYS = st.tuples(st.integers(1, LAST_DAY), st.integers(1, LAST_DAY)).map(lambda days: (min(days), max(days)))
_ROWS = st.builds(
    lambda terms, **others: make_words_row(
        0, terms=make_terms(*sorted(terms)), counts=make_counts(*(terms[term] for term in sorted(terms))), **others
    ),
    st.dictionaries(st.integers(0, 2**32 - 1), st.integers(0, 2**16 - 1), max_size=12),
    conversation_id=_STORABLE,
    name=_STORABLE,
    role=st.sampled_from(ROLES),
    day=st.integers(1, LAST_DAY),
    characters=st.integers(0, 2**63 - 1),
    question=st.booleans(),
    days=st.lists(_DAYS, max_size=4).map(lambda spans: make_days(*spans)),
    replaces=st.lists(st.integers(0, 2**63 - 1), max_size=4).map(tuple),
    rules=st.integers(0, 2**63 - 1),
)


class StoreWords(StoreMaking):
    """Tests of words rows. They take the fixture `store` of `StoreSuite`."""

    # ------------------------------------------------------------- kept exactly

    @settings(
        deadline=None,
        max_examples=50,
        # The store is shared by the examples on purpose, and the suite is inherited by several classes.
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(row=_ROWS)
    def test_words_come_back_exactly(self, store: Store, row: WordsRow) -> None:
        """Recall would search by other words, days, names or conversations than were written, hostile ones too."""
        head = make_head(memory_id=f"words {next(_names)}")
        write(store, Changes(head=head, messages=[make_message(0)], words=[row]))
        [kept] = _words(store, head.memory_id)
        assert comparable(kept) == comparable(row)
        assert isinstance(kept.question, bool)

    def test_the_largest_and_the_emptiest_words_come_back(self, store: Store) -> None:
        """A message of every extreme, or of no words at all, would be found by something else."""
        write(store, make_exchange(0, 1, words=[LARGEST_ROW, SMALLEST_ROW]))
        kept = _words(store)
        assert comparable(kept) == comparable([LARGEST_ROW, SMALLEST_ROW])
        assert [(row.terms.dtype, row.counts.dtype, row.days.dtype, row.days.shape) for row in kept] == [
            (np.dtype(np.uint32), np.dtype(np.uint16), np.dtype(np.int32), (3, 2)),
            (np.dtype(np.uint32), np.dtype(np.uint16), np.dtype(np.int32), (0, 2)),
        ]

    def test_any_array_of_the_right_type_is_taken(self, store: Store) -> None:
        """A view with gaps between its numbers would be stored as its neighbours, and NumPy's numbers refused."""
        row = make_words_row(
            cast("int", np.int64(0)),
            day=np.int32(5),
            question=np.True_,
            terms=make_terms(1, 99, 2, 99, 3, 99)[::2],
            counts=make_counts(6, 5, 4)[::-1],
            days=np.asfortranarray(make_days((1, 2), (3, 4))),
            replaces=(np.int64(8),),
            rules=np.int64(3),
        )
        write(store, make_exchange(0, words=[row]))
        expected = make_words_row(
            0,
            day=5,
            question=True,
            terms=make_terms(1, 2, 3),
            counts=make_counts(4, 5, 6),
            days=make_days((1, 2), (3, 4)),
            replaces=(8,),
            rules=3,
        )
        assert comparable(_words(store)) == comparable([expected])

    def test_what_is_stored_of_words_is_a_copy(self, store: Store) -> None:
        """An app that reuses an array would change what its messages are found by."""
        given_row = make_words_row(0)
        write(store, make_exchange(0, words=[given_row]))
        given_row.terms[:], given_row.counts[:], given_row.days[:] = 0, 0, 0
        [kept] = _words(store)
        assert comparable(kept) == comparable(make_words_row(0))
        for array in (kept.terms, kept.counts, kept.days):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0

    def test_words_are_read_in_the_order_of_messages(self, store: Store) -> None:
        """Neighbours of a message are told by order, whatever order the rows were written in."""
        write(store, make_exchange(0, 1, 2, 3, words=[make_words_row(number) for number in (3, 0, 2)]))
        assert [row.sequence for row in _words(store)] == [0, 2, 3]

    # ----------------------------------------------------------------- changes

    def test_words_are_replaced_and_others_stay(self, store: Store) -> None:
        """After an edit a message would still be found by its old words, or another one lose its own."""
        write(store, make_exchange(0, 1, 2))
        new = make_words_row(1, terms=make_terms(5), counts=make_counts(1), days=make_days(), question=True)
        edited = make_message(1, content="Five?")
        write(store, Changes(head=head_of(store), messages=[edited], words=[new]))
        expected = [make_words_row(0), new, make_words_row(2)]
        assert comparable(_words(store)) == comparable(expected)

    def test_a_message_may_have_no_words_yet(self, store: Store) -> None:
        """A message without words would be refused, or could not be given any later."""
        write(store, make_exchange(0, words=[]))
        assert _words(store) == []
        write(store, Changes(head=head_of(store), words=[make_words_row(0)]))
        assert comparable(_words(store)) == comparable([make_words_row(0)])

    def test_words_need_their_message(self, store: Store) -> None:
        """Words of a message that is not there would be found, and have no text to show."""
        write(store, make_exchange(0))
        head = head_of(store)
        with pytest.raises(StoreError):
            write(store, Changes(head=head, words=[make_words_row(1)]))
        with pytest.raises(StoreError):
            write(store, Changes(head=head, deleted_messages=[0], words=[make_words_row(0)]))
        assert comparable(_words(store)) == comparable([make_words_row(0)])

    def test_words_go_with_their_message(self, store: Store) -> None:
        """A deleted message would still be found by its words."""
        write(store, make_exchange(0, 1))
        write(store, Changes(head=head_of(store), deleted_messages=[0, 55]))
        assert [row.sequence for row in _words(store)] == [1]
        write(store, Changes(head=head_of(store), deleted_signals=[1]))
        assert [row.sequence for row in _words(store)] == [1]

    def test_a_wipe_takes_the_words_of_one_memory_only(self, store: Store) -> None:
        """A reset would leave what was said findable, or take it from somebody else."""
        write(store, make_exchange(0, 1))
        bob = make_exchange(0, head=make_head(memory_id="bob"), words=[make_words_row(0, name="of bob")])
        write(store, bob)
        write(store, Changes(head=head_of(store), wipe=True))
        assert _words(store) == []
        assert comparable(_words(store, "bob")) == comparable(bob.words)

    def test_only_words_that_changed_since_a_version_are_read(self, store: Store) -> None:
        """Each call would read the words of all messages again, or miss new ones."""
        for number in range(3):
            write(store, make_exchange(number))
        again = make_words_row(0, characters=1)
        write(store, Changes(head=head_of(store), words=[again]))
        assert comparable(_words(store, since=2)) == comparable([again, make_words_row(2)])
        assert _words(store, since=4) == []
        write(store, Changes(head=head_of(store), deleted_messages=[1]))
        rows = read(store, since=4)
        assert rows is not None
        assert (rows.complete, [row.sequence for row in rows.words]) == (True, [0, 2])

    def test_another_connection_sees_new_words(self, tmp_path: Path) -> None:
        """What one process was told could not be found by another."""
        if not self.shares_data:
            pytest.skip("this store does not share its data")
        with self.make_store(tmp_path) as first, self.make_store(tmp_path) as second:
            write(first, make_exchange(0, words=[LARGEST_ROW]))
            assert comparable(_words(second)) == comparable([LARGEST_ROW])
            write(first, make_exchange(1, head=head_of(first), words=[SMALLEST_ROW]))
            assert comparable(_words(second, since=1)) == comparable([SMALLEST_ROW])
            write(second, Changes(head=head_of(second), words=[make_words_row(0)]))
            assert comparable(_words(first, since=2)) == comparable([make_words_row(0)])

    def test_the_words_of_some_messages_can_be_read(self, store: Store) -> None:
        """To make some anew, all of a memory would be read; or what an older text was found by."""
        write(store, make_exchange(0, 1, 2, 3, words=[make_words_row(number) for number in (0, 1, 3)]))
        write(store, make_exchange(1, head=make_head(memory_id="bob"), words=[make_words_row(1, name="of bob")]))
        again = make_words_row(1, rules=2)
        write(store, Changes(head=head_of(store), words=[again]))
        with store.reading("alice") as reading:
            for words in (reading.words, partial(ReadTransaction.words, reading)):
                assert comparable(words([3, 1, 2, 1, 77])) == comparable([again, make_words_row(3)])
            assert reading.words([]) == []
        with store.reading("nobody") as reading:
            assert reading.words([1]) == []

    def test_words_that_are_about_to_be_committed_can_be_read(self, store: Store) -> None:
        """What an operation has written already, it would write over with what was there before."""
        write(store, make_exchange(0, 1))
        head = head_of(store)
        with store.writing("alice") as writing:
            writing.apply(Changes(head=head, deleted_messages=[1], words=[make_words_row(0, rules=1)]), now=NOON)
            assert comparable(writing.words([0, 1])) == comparable([make_words_row(0, rules=1)])

    # ----------------------------------------------------------------- refused

    @pytest.mark.parametrize(
        "wrong",
        [
            {"conversation_id": "a\0b"},
            {"name": "\ud800"},
            {"role": "robot"},
            {"role": None},
            {"day": 0},
            {"day": LAST_DAY + 1},
            {"day": NOON},
            {"characters": -1},
            {"characters": 2**63},
            {"characters": 1.5},
            {"question": "yes"},
            {"replaces": (-1,)},
            {"replaces": (2**63,)},
            {"replaces": (True,)},
            {"replaces": "12"},
            {"rules": -1},
            {"rules": 2**63},
            {"rules": 1.5},
            {"rules": True},
            {"rules": None},
            {"terms": make_terms(2, 1)},
            {"terms": make_terms(1, 1)},
            {"terms": make_terms(1)},
            {"terms": make_terms(1, 2).reshape(2, 1)},
            {"terms": make_terms(1, 2).astype(np.int64)},
            {"terms": make_terms(1, 2).astype(">u4")},
            {"terms": [1, 2]},
            {"counts": make_counts(1, 2, 3)},
            {"counts": make_counts(1, 2).astype(np.uint32)},
            {"counts": None},
            {"days": make_days((2, 1))},
            {"days": make_days((0, 1))},
            {"days": make_days((1, LAST_DAY + 1))},
            {"days": make_days((1, 2)).ravel()},
            {"days": make_days((1, 2)).reshape(1, 2, 1)},
            {"days": make_days((1, 2)).astype(np.int64)},
            {"days": ((1, 2),)},
        ],
        ids=str,
    )
    def test_wrong_words_are_refused_before_anything_is_written(self, store: Store, wrong: dict[str, Any]) -> None:
        """A message would be stored that cannot be found as it should, and no error would say so."""
        changes = make_exchange(0, 1, words=[make_words_row(0), make_words_row(1, **wrong)])
        with store.writing("alice") as writing, pytest.raises(InputError, match="words of message 1"):
            writing.apply(changes, now=NOON)
        assert store.memory_ids() == []

    # --------------------------------------------------------- nothing depends

    def test_words_leave_everything_else_alone(self, store: Store) -> None:
        """Writing words would make readers load signals, weights and stacks again that nobody changed."""
        write(store, make_exchange(0, 1, signals=[make_signal_row(0), make_signal_row(1)]))
        head = write(store, Changes(head=head_of(store), words=[make_words_row(1)]))
        assert head == replace(head_of(store), version=2, deletion_version=0)
        rows = read(store, since=1)
        assert rows is not None
        assert (rows.complete, rows.signals, rows.weights, rows.stacks) == (False, [], [], [])
        assert len(rows.words) == 1


def _words(store: Store, memory_id: str = "alice", since: int | None = None) -> list[WordsRow]:
    """The words rows of a memory."""
    rows = read(store, memory_id, since)
    assert rows is not None
    return list(rows.words)
