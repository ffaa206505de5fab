"""Many stacks: estimates spare most comparisons, and change no answer."""

import numpy as np
import pytest

from streetai_core.index.centroids import CentroidIndex
from streetai_core.index.codes import LEAST
from streetai_core.stacks import assign
from streetai_core.vectors import dots, unit

DIM = 32


def random_units(rng, count):
    """Random directions, shape (count, DIM)."""
    rows = rng.normal(size=(count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def lived_in(rng, count):
    """An index of about so many stacks that has been asked, and then changed in every way."""
    index = CentroidIndex(DIM)
    index.put_all(list(range(count)), random_units(rng, count) * 3, [3] * count)
    index.cosines(random_units(rng, 1)[0], 0.5)
    index.put(count, random_units(rng, 1)[0], 1)
    index.put_all([count + 1, count + 2], random_units(rng, 2), [1, 1])
    for key in rng.integers(0, count, 50).tolist():
        index.put(key, random_units(rng, 1)[0] * 2, 2)
    index.remove([*range(0, 40, 3), count + 1])
    return index


@pytest.mark.parametrize("count", [1, 300, LEAST - 1, LEAST + 20, LEAST + 900])
@pytest.mark.parametrize("least", [-1.0, 0.3, 0.55, 0.99])
def test_cosines_are_exact_from_the_least_that_matters_on(count, least):
    """What is below it is below it in the estimate too, so that it never joins a stack that it should not."""
    rng = np.random.default_rng(count)
    index = lived_in(rng, count)
    for vector in (*random_units(rng, 8), index.centroids[-1].copy()):
        exact = dots(index.centroids, vector)
        found = index.cosines(vector, least)
        matters = exact >= least
        np.testing.assert_array_equal(found[matters], exact[matters])
        assert (found[~matters] < least).all()


@pytest.mark.parametrize("count", [LEAST + 20, LEAST + 900])
def test_the_nearest_of_many_are_those_of_all(count):
    """Best first, with their own cosines."""
    rng = np.random.default_rng(count)
    index = lived_in(rng, count)
    for vector in random_units(rng, 20):
        exact = {key: float(unit(index.total(key)) @ vector) for key in index.keys}
        found = index.nearest(vector, 6)
        assert [key for key, _ in found] == sorted(exact, key=lambda key: -exact[key])[:6]
        assert dict(found) == pytest.approx({key: exact[key] for key, _ in found}, abs=1e-6)
    assert len(index.nearest(random_units(rng, 1)[0], len(index) + 9)) == len(index)


@pytest.mark.parametrize("count", [1, 6, 40, LEAST + 20])
def test_of_stacks_that_are_equally_near_the_oldest_are_woken(count):
    """Whatever rows they have: one from the end has taken the place of one that is gone, and is read anew in order."""
    index = CentroidIndex(DIM)
    rng = np.random.default_rng(count)
    near, away = random_units(rng, 2)
    away -= (away @ near) * near
    totals = np.where(np.arange(count + 5)[:, None] % 3 == 1, near, away).astype(np.float32)
    index.put_all(list(range(count + 5)), totals, [1] * (count + 5))
    index.remove([0, 1, 2, 4, 5])
    left = sorted(index.keys)
    for vector in (near, np.zeros(DIM, dtype=np.float32)):
        expected = sorted(left, key=lambda key: (key % 3 != 1 if vector.any() else 0, key))
        for most in (1, 3, 6, len(left)):
            assert [key for key, _ in index.nearest(vector, most)] == expected[:most]


def test_signals_join_the_stacks_of_many_that_they_join_by_exact_cosines():
    """One by one and several at once; some join, some found stacks of their own."""
    rng = np.random.default_rng(9)
    index = lived_in(rng, LEAST + 200)
    near = index.centroids[rng.integers(0, len(index), 40)] + rng.normal(size=(40, DIM)).astype(np.float32) * 0.1
    vectors = np.concatenate([near / np.linalg.norm(near, axis=1, keepdims=True), random_units(rng, 10)])
    joined = []
    for first in range(0, len(vectors), 4):
        some = vectors[first : first + 1 + first % 3]
        plans = [
            assign(
                some,
                centroids=index.centroids,
                compare=compare,
                keys=index.keys,
                first_new_key=10**6,
                threshold=0.8,
                total_of=index.total,
            ).stack_of
            for compare in (index.cosines, lambda vector, _: dots(index.centroids, vector))
        ]
        assert plans[0] == plans[1]
        joined += [key < 10**6 for key in plans[0]]
    assert any(joined)
    assert not all(joined)
