"""Columns, centroids, stacks and weights against slow and obvious references."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core.dynamics.decay import ACTIVATION_SPREAD, LEARNED, effective_weights, present, product_scores
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


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 10_001])
def test_dots_equal_the_matrix_product(count):
    """In blocks and through FAISS, on both sides of every switch."""
    rng = np.random.default_rng(1)
    matrix, vector = random_units(rng, count), random_units(rng, 1)[0]
    np.testing.assert_allclose(dots(matrix, vector), matrix.astype(float) @ vector.astype(float), atol=1e-6)


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
        keys=keys,
        first_new_key=100,
        threshold=threshold,
        total_of=lambda key, joined: totals.get(key, np.zeros(6, dtype=np.float32)) + vectors[list(joined)].sum(axis=0),
    )
    expected, expected_totals = naive_assign(vectors, totals, 100, threshold)
    assert plan.stack_of == expected
    for key, total in plan.totals.items():
        np.testing.assert_allclose(total, expected_totals[key], atol=1e-4)


def test_a_vector_without_direction_stands_alone():
    """It is found by its words only, and attracts nobody."""
    vectors = np.zeros((2, 3), dtype=np.float32)
    plan = assign(
        vectors, centroids=np.eye(3, dtype=np.float32), keys=[0, 1, 2], first_new_key=3, threshold=-1.0,
        total_of=lambda _, joined: vectors[list(joined)].sum(axis=0),
    )  # fmt: skip
    assert plan.stack_of == [3, 4]


def test_a_future_use_is_no_age():
    """A clock behind the last use (never in one memory) does not make a weight grow."""
    assert effective_weights(np.array([1.0]), np.array([10]), 3, 0.1)[0] == 1.0


def test_negative_similarity_scores_nothing():
    """max(0, sim)."""
    assert product_scores(np.array([8.0]), np.array([-0.5]), 0.33)[0] == 0.0


@given(st.floats(0.1, 8), st.integers(0, 10**6), st.floats(0, 1))
def test_activation_is_bounded(base, age, kept):
    """Property: so `activation_share` bounds what it can add, and a quarter of it what it can take."""
    learned, fresh = present(np.array([base]), np.array([base * kept]), np.array([age]), (0.1, 8.0))
    assert -LEARNED / 3 <= learned[0] <= LEARNED
    assert 0 < fresh[0] <= 1 - LEARNED
    assert 1 - ACTIVATION_SPREAD <= (learned + fresh)[0] <= 1.0


def test_activation_by_hand():
    """Weight 8 just used: (3 + 1) / 4. Nothing learned, age 3: 1/2 / 4. Weight .1, all faded: (-3 * 1/2 * 1/3) / 4.

    Weight sqrt(8), half faded, age 3: (3 * 3/4 * 1/2 + 1/2) / 4.
    """
    base = np.array([8.0, 1.0, 0.1, math.sqrt(8)])
    learned, fresh = present(base, base * np.array([1, 0.5, 0, 0.5]), np.array([0, 3, 10**12, 3]), (0.1, 8.0))
    np.testing.assert_allclose(learned, [0.75, 0.0, -0.125, 0.28125], atol=1e-6)
    np.testing.assert_allclose(fresh, [0.25, 0.125, 0.0, 0.125], atol=1e-6)


def test_activation_where_nothing_can_be_learned():
    """Bounds of 1 leave freshness alone."""
    one = np.array([1.0])
    np.testing.assert_allclose(np.array(present(one, one, np.array([0]), (1.0, 1.0))), [[0.0], [0.25]])


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("港の潮", 3), ("ab港", 2)])
def test_estimated_tokens(text, tokens):
    """A quarter of the characters, rounded up; one a CJK character."""
    assert EstimatedTokens().count(text) == tokens
    assert math.ceil(len(text) / 4) <= tokens
