"""What every store has to do with vectors in half precision: the part of `StoreSuite` about them."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from streetai_core.errors import VectorError
from streetai_core.stores.base import Store
from streetai_core.stores.columns import Loaded, loaded_from
from streetai_core.stores.types import Changes, Rows
from streetai_core.testing.factories import (
    DIM,
    make_exchange,
    make_head,
    make_signal_row,
    make_stack_row,
    make_vector,
    make_weight_row,
)
from streetai_core.testing.store_reading import comparable, head_of, read, write
from streetai_core.types import KeptVector

_MANY = 700
"""More rows than are read at once."""


def half_vector(seed: int, dim: int = DIM) -> KeptVector:
    """A vector in half precision."""
    return make_vector(seed, dim).astype(np.float16)


class StorePrecision:
    """Conformance tests of halves, alone and beside singles; inherited by `StoreSuite`."""

    def test_halves_come_back_to_the_last_bit(self, store: Store) -> None:
        """Extremes included; each row says by its type what it is."""
        extremes = np.array([np.finfo(np.float16).max, np.finfo(np.float16).tiny, -6e-8, -0.0], dtype=np.float16)
        vectors = [extremes, np.zeros(DIM, dtype=np.float16), half_vector(7)]
        rows = self._written(store, vectors)
        assert [signal.vector.tobytes() for signal in rows.signals] == [vector.tobytes() for vector in vectors]
        assert {signal.vector.dtype for signal in rows.signals} == {np.dtype(np.float16)}

    def test_some_vectors_can_be_read_by_themselves(self, store: Store) -> None:
        """By key, ascending, as they are kept, or as singles where some are; and stacks, as all of them are loaded."""
        self._written(store, [half_vector(0), make_vector(1), half_vector(2), half_vector(3)])
        with store.reading("alice") as view:
            loaded = view.loaded()
            assert loaded is not None
            for keys in ([2], [0, 3], [0, 1, 3], [0, 1, 2, 3]):
                found = view.vectors(np.array(keys))
                assert found.shape == (len(keys), DIM)
                np.testing.assert_array_equal(found.astype(np.float32), loaded.signals.vectors[keys])
            assert comparable(view.stacks().totals) == comparable(loaded.stacks.totals)
            assert view.stacks().key.tolist() == loaded.stacks.key.tolist()

    def test_sums_of_stacks_are_singles(self, store: Store) -> None:
        """They go on being added to, and would lose more each time."""
        with pytest.raises(VectorError):
            write(store, make_exchange(0, stacks=[make_stack_row(0, total=half_vector(1))]))
        assert read(store) is None

    @pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 7, 8])
    def test_any_dimension_is_kept_in_halves(self, store: Store, dim: int) -> None:
        """Also where the numbers of a vector fill no whole number of bytes that a processor likes."""
        vectors = [half_vector(seed, dim) for seed in range(5)]
        rows = self._written(store, vectors, dim)
        assert comparable([signal.vector for signal in rows.signals]) == comparable(vectors)
        assert comparable(self._loaded(store).signals.vectors) == comparable(np.array(vectors))

    def test_halves_and_singles_stand_side_by_side(self, store: Store) -> None:
        """Each row is what it was written as; loaded together they are singles with the same numbers."""
        vectors = [half_vector(0), make_vector(1), half_vector(2), make_vector(3)]
        rows = self._written(store, vectors)
        assert comparable([signal.vector for signal in rows.signals]) == comparable(vectors)
        loaded = self._loaded(store).signals.vectors
        assert comparable(loaded) == comparable(np.array(vectors, dtype=np.float32))

    @pytest.mark.parametrize("single", [0, _MANY // 2, _MANY - 1])
    def test_one_single_among_many_halves_is_found_wherever_it_is(self, store: Store, single: int) -> None:
        """Whichever block of rows it is read in, the others keep their numbers."""
        vectors = [half_vector(seed) for seed in range(_MANY)]
        vectors[single] = make_vector(single)
        self._written(store, vectors)
        loaded = self._loaded(store).signals.vectors
        assert comparable(loaded) == comparable(np.array(vectors, dtype=np.float32))

    def test_all_halves_are_loaded_as_halves(self, store: Store) -> None:
        """So that they take no more room in RAM."""
        vectors = [half_vector(seed) for seed in range(_MANY)]
        self._written(store, vectors)
        assert comparable(self._loaded(store).signals.vectors) == comparable(np.array(vectors))

    def test_a_vector_may_be_replaced_in_the_other_precision(self, store: Store) -> None:
        """As when a memory is embedded anew; a reader that follows gets it in the precision that it has now."""
        self._written(store, [make_vector(0), half_vector(1)])
        signals = [make_signal_row(0, 0, vector=half_vector(5)), make_signal_row(1, 0, vector=make_vector(6))]
        write(store, Changes(head=head_of(store), signals=signals))
        for since in (None, 1):
            rows = read(store, since=since)
            assert rows is not None
            assert comparable([one.vector for one in rows.signals]) == comparable([half_vector(5), make_vector(6)])

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
    def test_a_half_that_is_not_finite_is_refused(self, store: Store, value: float) -> None:
        """Nothing is written."""
        vector = np.array([value, 0, 0, 0], dtype=np.float16)
        with pytest.raises(VectorError):
            write(store, make_exchange(0, signals=[make_signal_row(0, vector=vector)]))
        assert read(store) is None

    def test_a_half_of_another_byte_order_is_refused(self, store: Store) -> None:
        """Only the machine's own numbers are taken."""
        vector = half_vector(1).astype(half_vector(1).dtype.newbyteorder())
        with pytest.raises(VectorError):
            write(store, make_exchange(0, signals=[make_signal_row(0, vector=vector)]))

    @staticmethod
    def _written(store: Store, vectors: list[KeptVector], dim: int = DIM) -> Rows:
        """All rows after signals of one message with these vectors were written."""
        count = len(vectors)
        changes = make_exchange(
            0,
            head=make_head(dim=dim),
            signals=[make_signal_row(key, 0, vector=vector) for key, vector in enumerate(vectors)],
            weights=[make_weight_row(key) for key in range(count)],
            stacks=[make_stack_row(0, total=make_vector(1, dim))],
        )
        write(store, replace(changes, head=replace(changes.head, next_signal=count)))
        rows = read(store)
        assert rows is not None
        return rows

    @staticmethod
    def _loaded(store: Store) -> Loaded:
        """All as columns, the same whether the store has a way of its own to read them."""
        with store.reading("alice") as view:
            loaded, rows = view.loaded(), view.rows(None)
        assert loaded is not None
        assert rows is not None
        assert comparable(loaded.signals) == comparable(loaded_from(rows).signals)
        return loaded
