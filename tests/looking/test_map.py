"""The memory on a plane."""

import numpy as np
import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.recall.mapping import principal_plane
from streetai_core.stores.reference import ReferenceStore


def test_the_plane_is_that_of_a_singular_value_decomposition():
    """Up to the sign of an axis; the shares are those of the squared singular values."""
    seed = 20260302
    vectors = np.random.default_rng(seed).normal(size=(40, 7)).astype(np.float32) * np.arange(1, 8)
    vectors = vectors.astype(np.float32)
    places, explained = principal_plane(vectors)
    centred = vectors - vectors.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(places), np.abs(left[:, :2] * values[:2]), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(explained, (values**2)[:2] / (values**2).sum(), rtol=1e-5)


@pytest.mark.parametrize(
    ("vectors", "places", "explained"),
    [
        (np.zeros((0, 0)), np.zeros((0, 2)), (0.0, 0.0)),
        (np.zeros((0, 3)), np.zeros((0, 2)), (0.0, 0.0)),
        (np.ones((1, 3)), np.zeros((1, 2)), (0.0, 0.0)),
        (np.ones((4, 3)), np.zeros((4, 2)), (0.0, 0.0)),
        (np.array([[1.0], [3.0]]), np.array([[-1.0, 0.0], [1.0, 0.0]]), (1.0, 0.0)),
    ],
)
def test_nothing_to_spread_lies_in_one_place(vectors, places, explained):
    """No signal, one, all alike, and fewer dimensions than a plane has."""
    found, shares = principal_plane(vectors.astype(np.float32))
    np.testing.assert_allclose(found, places, atol=1e-6)
    assert shares == pytest.approx(explained)


def test_every_signal_is_on_the_map_once(harbour):
    """With its weight, in the order said; like ones are nearer to each other than to the others."""
    found = harbour.stack_map()
    assert [point.signal for point in found.points] == harbour.signals
    assert 0.05 < sum(found.explained) < 1.0
    assert all(0.0 < point.effective_weight <= 1.0 for point in found.points)
    assert repr(found).startswith(f"StackMap({len(found.points)} signals, ")


def test_an_empty_memory_has_an_empty_map():
    """Before and after its only message went."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    assert memory.stack_map().points == ()
    memory.add_message("one", "user", message_id="1")
    assert len(memory.stack_map().points) == 1
    memory.delete_message("1")
    assert memory.stack_map().points == ()
