"""The index of cues beside a plain dict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.cues import CueIndex
from streetai_core.testing.factories import make_vector

NAMES = st.tuples(st.integers(0, 4), st.integers(-3, 3))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, st.integers(0, 9), st.integers(0, 99)),
        st.tuples(st.just("remove"), st.lists(NAMES, max_size=3)),
        st.tuples(st.just("remove_of"), st.sets(st.integers(0, 4), max_size=2)),
        st.tuples(st.just("keep_newest"), st.integers(0, 20)),
    ),
    max_size=60,
)


def carry_out(index, plain, step):
    """One step, in both."""
    match step:
        case ("put", name, version, seed):
            index.put(name, version, make_vector(seed))
            plain.setdefault(name, (version, make_vector(seed)))
        case ("remove", names):
            index.remove(names)
            for name in names:
                plain.pop(name, None)
        case ("remove_of", signals):
            index.remove_of(signals)
            for name in [name for name in plain if name[0] in signals]:
                del plain[name]
        case ("keep_newest", most):
            index.keep_newest(most)
            for name in sorted(plain, key=lambda name: (plain[name][0], name))[: max(0, len(plain) - most)]:
                del plain[name]


def contents(index):
    """Version and vector by name."""
    return {name: (index.version(name), index.vectors_of([name])[0].tolist()) for name in index}


@given(steps=STEPS)
def test_it_holds_what_a_dict_holds(steps):
    """After each step, and restored from its image: names, versions, vectors, and each signal beside its cosine."""
    index, plain = CueIndex(4), {}
    question = make_vector(7)
    for step in steps:
        carry_out(index, plain, step)
        assert len(index) == len(plain)
        assert contents(index) == {name: (version, vector.tolist()) for name, (version, vector) in plain.items()}
    signals, cosines = index.near(question)
    pairs = sorted(zip(signals.tolist(), cosines.tolist(), strict=True))
    expected = sorted((name[0], float(vector @ question)) for name, (_, vector) in plain.items())
    np.testing.assert_allclose(np.reshape(pairs, (-1, 2)), np.reshape(expected, (-1, 2)), atol=1e-6)
    assert set(index.since(5)) == {name for name, (version, _) in plain.items() if version > 5}
    assert set(index.of_questions({1, 2})) == {name for name in plain if name[1] in {1, 2}}
    again = CueIndex(4)
    again.restore(index.image())
    assert contents(again) == contents(index)


def test_an_image_that_does_not_fit_is_refused():
    """If it fails, a torn image makes another memory of it."""
    index = CueIndex(4)
    index.put((1, 2), 3, make_vector(1))
    for name in ("signal", "question", "version", "vectors"):
        image = index.image()
        with pytest.raises(ValueError, match=r"reshape|zip"):
            CueIndex(4).restore(image | {name: np.concatenate([image[name]] * 2)})
        with pytest.raises(KeyError):
            CueIndex(4).restore({other: array for other, array in image.items() if other != name})
