"""Estimates of cosines stay as near the cosines as they say, whatever happens to the rows."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core.index.codes import LEAST, Codes
from streetai_core.index.columns import SignalColumns
from streetai_core.vectors import dots
from tests.index.test_bulk import PLACE

LONG = 384


def evenly(number, dim, seed):
    """Unit vectors in all directions."""
    vectors = np.random.default_rng(seed).normal(size=(number, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def sparse(number, dim, seed):
    """Unit vectors with a few numbers that are not 0, as hashed words give."""
    random = np.random.default_rng(seed)
    vectors = np.zeros((number, dim), dtype=np.float32)
    for vector in vectors:
        vector[random.choice(dim, min(dim, 9), replace=False)] = random.choice([-1.0, 1.0, 2.0], min(dim, 9))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(
    st.lists(st.tuples(st.sampled_from(["append", "put", "remove"]), st.integers(0, 99)), max_size=30),
    st.sampled_from([3, 16, 30, 64, LONG]),
    st.integers(0, 99),
)
@settings(max_examples=60)
def test_codes_follow_their_rows(steps, dim, seed):
    """Property: the last row takes the place of one that goes, as in the columns; lengths need not suit FAISS."""
    random = np.random.default_rng(seed)
    codes, kept = Codes(dim), evenly(5, dim, seed)
    codes.append(kept)
    for step, number in steps:
        fresh = evenly(1 + number % 3, dim, number)
        if step == "append":
            codes.append(fresh)
            kept = np.concatenate([kept, fresh])
        elif len(kept):
            row = int(random.integers(len(kept)))
            if step == "put":
                codes.put(row, fresh[0])
                kept[row] = fresh[0]
            else:
                codes.remove(row)
                kept[row] = kept[-1]
                kept = kept[:-1]
    question = evenly(1, dim, seed + 1)[0]
    estimates, error = codes.cosines(question)
    assert len(codes) == len(estimates) == len(kept)
    assert (np.abs(estimates - kept @ question) <= error).all()


@pytest.mark.parametrize("make", [evenly, sparse])
def test_estimates_are_off_by_no_more_than_they_say(make):
    """And by far less than what tells one signal from another; a vector of zeros is as far as it is."""
    vectors = make(5000, LONG, 3)
    vectors[17] = 0.0
    codes = Codes(LONG)
    codes.append(vectors)
    for question in vectors[:20]:
        estimates, error = codes.cosines(question)
        off = np.abs(estimates - dots(vectors, question))
        assert off.max() <= error < 0.03
        assert off.mean() < 0.003
        assert estimates[17] == 0.0
        rows = np.array([17, 4999, 3, 40])
        of_some, error = codes.cosines_of(rows, question)
        assert np.abs(of_some - dots(vectors[rows], question)).max() <= error < 0.03
        assert of_some[0] == 0.0


def test_no_codes_give_no_estimates():
    """A memory may lose all its signals."""
    asked = np.ones(8, dtype=np.float32)
    for estimates, error in (Codes(8).cosines(asked), Codes(8).cosines_of(np.zeros(0, dtype=np.intp), asked)):
        assert (estimates.shape, error) == ((0,), 0.0)


def columns_of(vectors):
    """The columns with these vectors, by key."""
    columns = SignalColumns(vectors.shape[1])
    columns.put_all(list(range(len(vectors))), list(vectors), [dict.fromkeys(PLACE, 0)] * len(vectors))
    return columns


def test_few_signals_have_cosines_and_many_have_estimates():
    """The size decides, and nothing else."""
    vectors = evenly(LEAST, 64, 1)
    columns = columns_of(vectors[:-1])
    estimates, error = columns.estimates(vectors[0])
    assert error == 0.0
    assert estimates.tolist() == columns.similarities(vectors[0]).tolist()
    columns.put_all([LEAST], [vectors[-1]], [dict.fromkeys(PLACE, 0)])
    estimates, error = columns.estimates(vectors[0])
    assert 0.0 < np.abs(estimates - columns.similarities(vectors[0])).max() <= error


@pytest.mark.parametrize("size", [80, LEAST + 9])
@pytest.mark.parametrize("some", [0, 1, 9, 70])
def test_estimates_of_some_signals_are_as_near(size, some):
    """Of few signals they are looked at alone, of many all are; what is asked for comes in the order of the rows."""
    vectors = evenly(size, 64, 7)
    columns = columns_of(vectors)
    rows = np.arange(size)[::-1][:some]
    estimates, error = columns.estimates_of(rows, vectors[5])
    assert estimates.shape == (some,)
    assert np.abs(estimates - vectors[rows] @ vectors[5]).max(initial=0.0) <= error + 1e-6


def test_estimates_of_columns_that_changed_are_those_of_new_ones():
    """Adding, replacing and removing, in every form; a memory that is read anew must not find anything else."""
    vectors = evenly(LEAST + 60, 64, 2)
    columns = columns_of(vectors[: LEAST + 20])
    columns.estimates(vectors[0])
    place = dict.fromkeys(PLACE, 0)
    columns.put(LEAST + 20, vectors[LEAST + 20], place)
    columns.put_all([LEAST + 21, LEAST + 22], list(vectors[LEAST + 21 : LEAST + 23]), [place] * 2)
    columns.put_all([LEAST + 22, LEAST + 23], list(vectors[LEAST + 30 : LEAST + 32]), [place] * 2)
    columns.put(5, vectors[LEAST + 40], place)
    columns.remove([3, LEAST + 23, 9])
    fresh = columns_of(columns.vectors.copy())
    for question in vectors[:5]:
        assert columns.estimates(question)[0].tolist() == fresh.estimates(question)[0].tolist()


def test_taking_some_rows_takes_their_codes():
    """A copy with some rows estimates those."""
    vectors = evenly(LEAST + 60, 64, 4)
    columns = columns_of(vectors)
    columns.estimates(vectors[0])
    rows = np.arange(len(vectors))[::-1][: LEAST + 10]
    taken = columns.taken(rows)
    assert taken.estimates(vectors[0])[0].tolist() == columns.estimates(vectors[0])[0][rows].tolist()


def test_threads_scan_at_the_same_time():
    """Scanners are shared by all memories; none may see the question of another thread."""
    vectors = evenly(6000, 64, 5)
    codes = Codes(64)
    codes.append(vectors)
    expected = [codes.cosines(question)[0].tolist() for question in vectors[:8]]

    def asked(number):
        return all(codes.cosines(vectors[number])[0].tolist() == expected[number] for _ in range(25))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(asked, range(8)))
