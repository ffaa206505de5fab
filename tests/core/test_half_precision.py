"""Vectors in half precision: rounded once, before anything is made of them, so that RAM is what the file says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import ConfigError, VectorError
from streetai_core.index.columns import SignalColumns
from streetai_core.state import MemoryState
from streetai_core.vectors import dots, kept, rounded, unit
from tests.core.test_arithmetic import PLACE, random_units

ENCODER = HashingEncoder(dim=64)
HALF, SINGLE = Config(vector_precision="half"), Config()
TEXTS = [f"The {what} lies at berth {n}, and the crane is beside it." for n, what in enumerate(["boat", "ferry"] * 20)]


def opened(path, config=HALF):
    """A registry on a file that does not wait for the disk."""
    return MemoryRegistry(path, config=config, encoder=ENCODER, durability="fast")


def said(texts=TEXTS):
    """Messages of the user."""
    return [NewMessage(content=text, role="user") for text in texts]


def bits(state):
    """Everything that is made of vectors, to the last bit."""
    order = np.argsort(state.columns.keys)
    return {
        "vectors": state.columns.vectors[order].tobytes(),
        "stack of": state.columns.column("stack")[order].tolist(),
        "sums": {key: state.stacks.total(key).tobytes() for key in sorted(state.stacks.keys)},
        "centroids": {
            key: unit(state.stacks.total(key)).tobytes() == state.stacks.centroids[row].tobytes()
            for row, key in enumerate(state.stacks.keys)
        },
    }


def state_of(memory):
    """The state in RAM as of now."""
    with memory._coherent.reading() as (_, state):
        return state


def stored(path):
    """How many bytes each vector has on disk, by signal."""
    with MemoryRegistry(path, encoder=ENCODER) as registry, registry.store.reading("m") as view:
        return [signal.vector.nbytes for signal in view.rows(None).signals]


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 10_000, 10_001, 12_345])
def test_products_of_halves_are_those_of_the_same_singles(count):
    """To the last bit, on both sides of every switch."""
    rng = np.random.default_rng(1)
    halves, vector = random_units(rng, count).astype(np.float16), random_units(rng, 1)[0]
    assert dots(halves, vector).tobytes() == dots(halves.astype(np.float32), vector).tobytes()


def test_every_half_is_widened_to_itself():
    """All 63,488 finite ones, those below the smallest normal number included."""
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)][:, None]
    with np.errstate(under="ignore"):
        assert dots(finite, np.ones(1, dtype=np.float32)).tolist() == finite.astype(np.float32).ravel().tolist()


def test_rounding_loses_what_half_precision_lacks():
    """At most a part in 2,048 of a number, and little of an angle; doing it again loses nothing."""
    rows = random_units(np.random.default_rng(2), 200, dim=384)
    once = rounded(rows, "half")
    assert once.dtype == np.float32
    assert (once == rounded(once, "half")).all()
    np.testing.assert_allclose(once, rows, rtol=2**-11, atol=2**-25)
    np.testing.assert_allclose(once @ once.T, rows @ rows.T, atol=1e-3)
    assert (kept(rows, "half") == once).all()


def test_single_precision_is_left_alone():
    """The very same array."""
    rows = random_units(np.random.default_rng(3), 3)
    assert rounded(rows, "single") is rows
    assert kept(rows, "single") is rows


def test_what_half_precision_cannot_hold_is_refused():
    """Vectors of encoders are of length one; those of a foreign file need not be."""
    with pytest.raises(VectorError, match="65,504"):
        kept(np.array([1e6, 0.0], dtype=np.float32), "half")


@pytest.mark.parametrize("value", ["double", None, 16, True, "Half"])
def test_other_precisions_are_refused(value):
    """With the words for those that there are."""
    with pytest.raises(ConfigError, match="vector_precision must be 'single' or 'half'"):
        Config(vector_precision=value)


@pytest.mark.parametrize("make", [Config, Config.classic], ids=["default", "classic"])
def test_a_memory_in_halves_is_the_same_after_it_is_opened_again(tmp_path, make):
    """Added at once and one by one, edited, deleted, learned from: RAM is to the bit what the file says."""
    path, config = tmp_path / "memory.db", make(vector_precision="half", stack_threshold=0.3)
    with opened(path, config) as registry:
        memory = registry.get("m")
        made = memory.add_messages(said())
        memory.add_message("The boat has left berth 3.", "user")
        memory.update_message(made[3][0].parent_turn_id, "The ferry has left berth 5.")
        memory.delete_message(made[4][0].parent_turn_id)
        memory.post_process(memory.retrieve("Which berth?"), "The boat is at berth 7, beside the crane.")
        before = state_of(memory)
        hits = [(hit.signal.signal_id, hit.score) for hit in memory.retrieve("Where is the ferry?")]
    with opened(path, config) as registry:
        memory = registry.get("m")
        after = state_of(memory)
        assert bits(before) == bits(after)
        assert [(hit.signal.signal_id, hit.score) for hit in memory.retrieve("Where is the ferry?")] == hits
    assert before.columns.are_halves
    assert after.columns.are_halves
    assert set(stored(path)) == {2 * ENCODER.dim}


@pytest.mark.parametrize(("first", "then"), [(SINGLE, HALF), (HALF, SINGLE)], ids=["single first", "half first"])
def test_a_memory_goes_on_in_another_precision(tmp_path, first, then):
    """What is stored stays, what is new is as configured, and all of it is found, in RAM as after another start."""
    path = tmp_path / "memory.db"
    with opened(path, first) as registry:
        registry.get("m").add_messages(said())
    with opened(path, then) as registry:
        memory = registry.get("m")
        memory.add_message("The heron stands in the reeds.", "user")
        found = [hit.signal.content for hit in memory.retrieve("Where does the heron stand?", strategy="vector")]
        assert "The heron stands in the reeds." in found
        in_ram = state_of(memory)
        with registry.store.reading("m") as view:
            assert bits(in_ram) == bits(MemoryState.loaded(view.loaded())) == bits(MemoryState.of(view.rows(None)))
        assert not in_ram.columns.are_halves
    sizes = {SINGLE: 4 * ENCODER.dim, HALF: 2 * ENCODER.dim}
    assert stored(path) == [sizes[first]] * len(TEXTS) + [sizes[then]]


def test_two_processes_may_differ(tmp_path):
    """One writes halves and one singles into the same memory; each sees at once what the other wrote."""
    path = tmp_path / "memory.db"
    with opened(path, HALF) as one, opened(path, SINGLE) as other:
        for number, text in enumerate(TEXTS[:10]):
            (one, other)[number % 2].get("m").add_message(text, "user")
            assert bits(state_of(one.get("m"))) == bits(state_of(other.get("m")))


@pytest.mark.parametrize(("first", "then"), [(SINGLE, HALF), (HALF, SINGLE)], ids=["to half", "to single"])
def test_embedding_anew_writes_all_in_the_configured_precision(tmp_path, first, then):
    """So a memory is converted; with its weights and texts, and without another encoder."""
    path = tmp_path / "memory.db"
    with opened(path, first) as registry:
        registry.get("m").add_messages(said())
    with opened(path, then) as registry:
        assert registry.get("m").reencode() == len(TEXTS)
        converted = bits(state_of(registry.get("m")))
    with opened(tmp_path / "new.db", then) as registry:
        memory = registry.get("m")
        memory.add_messages(said())
        assert converted["vectors"] == bits(state_of(memory))["vectors"]
    assert set(stored(path)) == {ENCODER.dim * (2 if then is HALF else 4)}


def test_an_encoder_still_agrees_with_its_halves(tmp_path):
    """That they are rounded does not look like another model."""
    with opened(tmp_path / "memory.db") as registry:
        memory = registry.get("m")
        memory.add_messages(said())
        assert memory.encoder_agreement() == pytest.approx(1, abs=5e-4)


steps = st.lists(st.tuples(st.sampled_from(["half", "single", "remove"]), st.integers(0, 9)), max_size=40)


@settings(deadline=None)
@given(steps)
def test_columns_are_right_in_whatever_form_they_are(steps):
    """Property: halves and singles added, replaced and removed one by one leave the numbers that were given last."""
    columns, model = SignalColumns(4), {}
    for number, (what, key) in enumerate(steps):
        if what == "remove":
            columns.remove([key])
            model.pop(key, None)
            continue
        model[key] = kept(np.float32([key, number, 1 / 3, 0]), what)
        columns.put_all([key], [model[key]], [PLACE])
    assert dict(zip(columns.keys.tolist(), columns.vectors.tolist(), strict=True)) == {
        key: vector.astype(np.float32).tolist() for key, vector in model.items()
    }
    assert columns.vectors_of(columns.rows(model)).tolist() == [
        one.astype(np.float32).tolist() for one in model.values()
    ]
    if all(vector.dtype == np.float32 for vector in model.values()) and model:
        assert not columns.are_halves
    query = np.float32([1, 0.5, 0.25, 0])
    assert columns.similarities(query).tolist() == dots(columns.vectors, query).tolist()
