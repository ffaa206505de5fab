"""Columns, centroids, stacks and weights against slow and obvious references."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import Config
from streetai_core.dynamics.activation import ACTIVATION_SPREAD, FRESH, LEARNED, present, taught, within_reach
from streetai_core.dynamics.credit import NOTHING_NEW, credit
from streetai_core.dynamics.decay import effective_weights, product_scores
from streetai_core.dynamics.learning import helped, most_uses
from streetai_core.errors import VectorError
from streetai_core.index.centroids import CentroidIndex
from streetai_core.index.columns import SignalColumns
from streetai_core.stacks import assign
from streetai_core.tokens import EstimatedTokens
from streetai_core.vectors import dots, unit

PLACE = dict.fromkeys(("sequence", "chunk_index", "code", "start", "end", "block_start", "block_end"), 0)


def random_units(rng, count, dim=16):
    """Seeded unit rows."""
    rows = rng.normal(size=(count, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("count", [0, 1, 2, 1023, 1024, 1025, 10_001])
def test_dots_equal_the_matrix_product(count):
    """Of any number of rows, in one piece of memory or not."""
    rng = np.random.default_rng(1)
    whole, vector = random_units(rng, count), random_units(rng, 1)[0]
    for matrix in (whole, whole[::2], whole.astype(np.float16), whole.astype(np.float16)[1:]):
        np.testing.assert_allclose(dots(matrix, vector), matrix.astype(float) @ vector.astype(float), atol=1e-6)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
@pytest.mark.parametrize("length", [0, 15, 17])
def test_a_vector_of_another_length_is_refused(kind, length):
    """It would be compared with whatever lies behind it in memory."""
    with pytest.raises(VectorError, match="cannot be compared"):
        dots(np.zeros((3, 16), dtype=kind), np.zeros(length, dtype=np.float32))


def test_unit_of_nothing_is_nothing():
    """No division by zero."""
    assert not unit(np.zeros(4, dtype=np.float32)).any()


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["put", "remove"]), st.integers(0, 40)), max_size=120))
def test_columns_and_index_agree_with_a_dict(steps):
    """Property: after any puts and removals both hold exactly what a dict holds, and search it alike."""
    rng = np.random.default_rng(2)
    columns, index, model = SignalColumns(16), CentroidIndex(16), {}
    for verb, key in steps:
        if verb == "put":
            vector = random_units(rng, 1)[0]
            columns.put(key, vector, PLACE)
            columns.weigh(key, base_weight=float(key), last_used_turn=key, uses=key, stack=key)
            index.put(key, vector * 3, key)
            model[key] = vector
        else:
            columns.remove([key])
            index.remove([key])
            model.pop(key, None)
    assert sorted(model) == sorted(columns.keys.tolist()) == sorted(index.keys)
    question = random_units(rng, 1)[0]
    cosines = {key: float(vector @ question) for key, vector in model.items()}
    found = dict(zip(columns.keys.tolist(), columns.similarities(question).tolist(), strict=True))
    assert found == pytest.approx(cosines, abs=1e-6)
    assert columns.base.tolist() == columns.keys.tolist()
    best = [key for key, _ in index.nearest(question, 5)]
    assert best == sorted(cosines, key=lambda key: -cosines[key])[:5]
    assert dict(index.nearest(question, 99)) == pytest.approx(cosines, abs=1e-6)
    assert all(index.size(key) == key for key in model)


def naive_assign(vectors, stacks, first_new, threshold):
    """One signal after the other, one stack after the other."""
    totals, result = dict(stacks), []
    for vector in vectors:
        best, best_cosine = None, -2.0
        for key, total in totals.items():
            cosine = float(unit(total) @ vector)
            if cosine > best_cosine:
                best, best_cosine = key, cosine
        if best is None or best_cosine < threshold:
            best = first_new + len(totals) - len(stacks)
            totals[best] = np.zeros_like(vector)
        totals[best] = totals[best] + vector
        result.append(best)
    return result, totals


@pytest.mark.parametrize("threshold", [-0.5, 0.2, 0.55])
@pytest.mark.parametrize("count", [1, 5, 255, 256, 600])
def test_assignment_equals_the_loop_over_stacks(count, threshold):
    """The matrix form finds the same stack for every signal, over several blocks too."""
    rng = np.random.default_rng(count)
    vectors, old = random_units(rng, count, 6), random_units(rng, 12, 6)
    keys = [key * 2 for key in range(12)]
    totals = {key: row * 2 for key, row in zip(keys, old, strict=True)}
    plan = assign(
        vectors,
        centroids=old,
        compare=lambda vector, _: old @ vector,
        keys=keys,
        first_new_key=100,
        threshold=threshold,
        total_of=lambda key: totals.get(key, np.zeros(6, dtype=np.float32)),
    )
    expected, expected_totals = naive_assign(vectors, totals, 100, threshold)
    assert plan.stack_of == expected
    for key, total in plan.totals.items():
        np.testing.assert_allclose(total, expected_totals[key], atol=1e-4)


@pytest.mark.parametrize("keys", [[7, 3, 5], [5, 7, 3]])
@pytest.mark.parametrize("count", [1, 9])
def test_of_stacks_that_are_equally_near_the_oldest_gets_the_signal(keys, count):
    """In whatever rows they are: after a deletion that is another order than in a memory that is read anew."""
    centroids = np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (3, 1))
    plan = assign(
        np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (count, 1)),
        centroids=centroids,
        compare=lambda vector, _: centroids @ vector,
        keys=keys,
        first_new_key=8,
        threshold=0.5,
        total_of=lambda _: np.array([0.6, 0.8], dtype=np.float32),
    )
    assert plan.stack_of[0] == 3


def test_a_vector_without_direction_stands_alone():
    """It is found by its words only, and attracts nobody."""
    vectors = np.zeros((2, 3), dtype=np.float32)
    plan = assign(
        vectors, centroids=np.eye(3, dtype=np.float32), compare=lambda vector, _: vector, keys=[0, 1, 2],
        first_new_key=3, threshold=-1.0,
        total_of=lambda _: np.zeros(vectors.shape[1], dtype=np.float32),
    )  # fmt: skip
    assert plan.stack_of == [3, 4]


def test_a_future_use_is_no_age():
    """A clock behind the last use (never in one memory) does not make a weight grow."""
    assert effective_weights(np.array([1.0]), np.array([10]), 3, 0.1)[0] == 1.0


def test_negative_similarity_scores_nothing():
    """max(0, sim)."""
    assert product_scores(np.array([8.0]), np.array([-0.5]), 0.33)[0] == 0.0


@given(st.floats(0, 1e6), st.floats(0.1, 8), st.integers(-5, 10**6), st.floats(0, 1))
def test_activation_is_bounded(uses, base, age, kept):
    """Property: so `activation_share` bounds what it can add, and it takes nothing."""
    learned, fresh = present(np.array([uses]), np.array([base]), np.array([base * kept]), np.array([age]))
    assert 0 <= learned[0] <= LEARNED
    assert 0 < fresh[0] <= FRESH
    assert 0 < (learned + fresh)[0] <= ACTIVATION_SPREAD


def test_activation_by_hand():
    """Used once, weight 1, fresh: .05 / 2. Used 6 times, demoted to .5, half faded, age 3: .05 * 3/4 * 3/4.

    Never used, and demoted: nothing learned. Used once and boosted to 1.5, all faded, age 8: .05 * 3/5 * 1/2. Imported
    with weight 4 and without uses: .05 * 3/4.
    """
    uses, base = np.array([1.0, 6.0, 0.0, 1.0, 0.0]), np.array([1.0, 0.5, 0.1, 1.5, 4.0])
    learned, fresh = present(uses, base, base * np.array([1, 0.5, 1, 0, 1]), np.array([0, 3, 10**12, 8, 0]))
    np.testing.assert_allclose(learned, [0.025, 0.028125, 0.0, 0.015, 0.0375], atol=1e-6)
    np.testing.assert_allclose(fresh, [0.05, 0.025, 0.0, 0.05 / 3, 0.05], atol=1e-6)


def test_what_was_taught_by_hand():
    """20 for each point above .6, nothing below."""
    np.testing.assert_allclose(taught(np.array([1.0, 0.7, 0.6, 0.2, -1.0])), [8.0, 2.0, 0.0, 0.0, 0.0], atol=1e-9)


def test_what_shares_nothing_new_has_not_helped():
    """.15 + .85 * 2 / 5 = .49; with the published credit, what is boosted has helped."""
    assert pytest.approx(0.49) == NOTHING_NEW
    assert credit(np.array([0.0]), np.array([1.0]), np.array([1.0]))[0] == pytest.approx(NOTHING_NEW)
    assert [helped(share, Config()) for share in (NOTHING_NEW, 0.5, 1.0)] == [False, True, True]
    assert [helped(share, Config(credit="reply")) for share in (0.5, 0.55)] == [False, True]


def test_what_was_learned_counts_for_the_best():
    """All from the compared score on, nothing from .2 below it, a line between; nothing where nothing is compared."""
    share = within_reach(np.array([1.0, 0.6, 0.5, 0.4, -1.0]), 0.6)
    np.testing.assert_allclose(share, [1.0, 1.0, 0.5, 0.0, 0.0], atol=1e-9)
    assert within_reach(np.array([1.0]), math.inf) == [0.0]


@pytest.mark.parametrize(
    ("changes", "trusted", "doubtful"),
    [
        ({}, math.log(8) / math.log(1.1), 0.0),
        ({"max_base_weight": 1.21}, 2.0, 0.0),
        ({"max_untrusted_weight": 1.1}, math.log(8) / math.log(1.1), 1.0),
        ({"max_untrusted_weight": 0.5}, math.log(8) / math.log(1.1), 0.0),
        ({"max_base_weight": 1.0, "max_untrusted_weight": 8.0}, 0.0, 0.0),
        ({"boost_factor": 1.0}, 0.0, 0.0),
    ],
)
def test_as_many_uses_count_as_the_bounds_leave_boosts(changes, trusted, doubtful):
    """Whoever lets learning lift nothing has nothing lifted, by its bounds or by its factor."""
    config = Config(**changes)
    assert most_uses(1.0, config) == pytest.approx(trusted)
    assert most_uses(0.5, config) == pytest.approx(doubtful)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("港の潮", 3), ("ab港", 2)])
def test_estimated_tokens(text, tokens):
    """A quarter of the characters, rounded up; one a CJK character."""
    assert EstimatedTokens().count(text) == tokens
    assert math.ceil(len(text) / 4) <= tokens
