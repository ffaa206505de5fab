"""What every store has to do with cues: the part of `StoreSuite` about questions that signals helped to answer."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from streetai_core.errors import InputError, StoreError, VectorError
from streetai_core.stores.base import Store
from streetai_core.stores.columns import loaded_from
from streetai_core.stores.types import Changes
from streetai_core.stores.values import CUES_KEPT
from streetai_core.testing.factories import make_cue_row, make_exchange, make_signal_row, make_vector
from streetai_core.testing.store_reading import comparable, head_of, read, write


def _names(store: Store, since: int | None = None) -> list[tuple[int, int]]:
    """Signal and question of each cue, in the order in which they are read."""
    rows = read(store, since=since)
    assert rows is not None
    return [(cue.key, cue.question) for cue in rows.cues]


class StoreCues:
    """Conformance tests of cues; inherited by `StoreSuite`."""

    def test_cues_are_read_as_they_were_written(self, store: Store) -> None:
        """By signal and question, single and half, with the questions at both ends of 64 bits; as columns too."""
        write(store, make_exchange(0, 1))
        half = make_vector(3).astype(np.float16)
        cues = [make_cue_row(1, -(2**63)), make_cue_row(0, 2**63 - 1, vector=half), make_cue_row(0, 5)]
        write(store, Changes(head=head_of(store), cues=cues))
        rows = read(store)
        assert rows is not None
        assert comparable(rows.cues) == comparable([replace(cues[number], version=2) for number in (2, 1, 0)])
        assert [cue.vector.dtype for cue in rows.cues] == [np.float32, np.float16, np.float32]
        with store.reading("alice") as view:
            loaded = view.loaded()
            assert loaded is not None
            assert comparable(loaded.cues) == comparable(loaded_from(rows).cues)

    def test_the_same_question_stays_as_it_was(self, store: Store) -> None:
        """One cue for each signal and question; a reader of before sees what is new, and that alone."""
        write(store, make_exchange(0, 1))
        write(store, Changes(head=head_of(store), cues=[make_cue_row(0, 5), make_cue_row(1, 5)]))
        more = [make_cue_row(0, 5, vector=make_vector(9)), make_cue_row(0, 6)]
        write(store, Changes(head=head_of(store), cues=more))
        rows, since = read(store), read(store, since=2)
        assert rows is not None
        assert since is not None
        new = make_cue_row(0, 6, version=3)
        assert comparable(rows.cues) == comparable([make_cue_row(0, 5, version=2), new, make_cue_row(1, 5, version=2)])
        assert (since.complete, comparable(since.cues)) == (False, comparable([new]))

    def test_a_cue_goes_with_its_signal(self, store: Store) -> None:
        """With the message, with the signal alone, with everything; and a signal that comes back has none."""
        write(store, make_exchange(0, 1, 2))
        write(store, Changes(head=head_of(store), cues=[make_cue_row(key, 5) for key in (0, 1, 2)]))
        write(store, Changes(head=head_of(store), deleted_messages=[0], deleted_signals=[1]))
        assert _names(store) == [(2, 5)]
        write(store, Changes(head=head_of(store), signals=[make_signal_row(1)]))
        assert _names(store) == [(2, 5)]
        write(store, Changes(head=replace(head_of(store), generation=1), wipe=True))
        assert _names(store) == []

    def test_a_cue_can_be_deleted_alone(self, store: Store) -> None:
        """It counts as a deletion, so that every reader lets go of it; what is not there is no error."""
        write(store, make_exchange(0))
        write(store, Changes(head=head_of(store), cues=[make_cue_row(0, 5), make_cue_row(0, 6)]))
        head = write(store, Changes(head=head_of(store), deleted_cues=[(0, 6), (0, 7), (9, 5)]))
        assert head.deletion_version == head.version
        assert _names(store) == _names(store, since=head.version - 1) == [(0, 5)]

    def test_only_the_newest_are_kept(self, store: Store) -> None:
        """By version, then signal, then question; no reader has to load anything anew for that."""
        write(store, make_exchange(0, 1))
        write(store, Changes(head=head_of(store), cues=[make_cue_row(0, number, version=9) for number in range(3)]))
        deleted = head_of(store).deletion_version
        more = [make_cue_row(1, number, version=8 + number % 2 * 2) for number in range(2 * CUES_KEPT - 4)]
        write(store, Changes(head=head_of(store), cues=more))
        # Half of them are newer, so one of the three and none of the older ones stays beside them.
        assert _names(store) == [(0, 1), (0, 2), *((1, number) for number in range(1, 2 * CUES_KEPT - 4, 2))]
        assert head_of(store).deletion_version == deleted

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            ({"question": 2**63}, InputError),
            ({"question": True}, InputError),
            ({"version": -1}, InputError),
            ({"vector": make_vector(1, 5)}, VectorError),
            ({"vector": np.full(4, np.nan, dtype=np.float32)}, VectorError),
            ({"key": 7}, StoreError),
        ],
    )
    def test_a_wrong_cue_is_refused(self, store: Store, wrong: dict[str, Any], error: type[Exception]) -> None:
        """And nothing of the changes is stored."""
        write(store, make_exchange(0))
        before = comparable(read(store))
        cues = [make_cue_row(0, 5), make_cue_row(**({"key": 0, "question": 6} | wrong))]
        with pytest.raises(error):
            write(store, Changes(head=head_of(store), cues=cues))
        assert comparable(read(store)) == before
