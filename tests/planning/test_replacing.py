"""Which stored messages a new one is compared with."""

import numpy as np
import pytest

from streetai_core.index.codes import LEAST
from streetai_core.planning.replacing import Replacing, wanted_by
from streetai_core.planning.words import words_row
from streetai_core.state import MemoryState
from streetai_core.stores.types import Head
from streetai_core.testing.factories import NOON
from streetai_core.text.words import hashed, terms
from streetai_core.types import Message
from tests.index.test_words import Line, entry

DIM = 64
PLACE = ("chunk_index", "code", "start", "end", "block_start", "block_end")
NEAREST, COMPARED = 80, 20
"""Signals that are looked at, and messages that are compared, as `planning/replacing.py` has them."""


def unit(rows):
    """Rows of length one."""
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def of_one_speaker(sequences, vectors):
    """A memory of messages whose signals these are."""
    state = MemoryState(Head(memory_id="m", token="", dim=DIM))
    places = [{"sequence": sequence, **dict.fromkeys(PLACE, 0)} for sequence in sequences]
    state.columns.put_all(list(range(len(sequences))), list(vectors), places)
    state.words.put_all([entry(Line(sequence, None, (1,))) for sequence in sorted(set(sequences))])
    return state


@pytest.mark.parametrize(("common", "away"), [(0.0, 0.0), (0.5, 1.0)])
@pytest.mark.parametrize("most", [1, 3, 40])
@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_messages_are_compared(seed, most, common, away):
    """As if all signals were compared exactly.

    Also where few messages have all that are near, and where what has no vector comes before what is a little near.
    """
    random = np.random.default_rng((seed, most))
    sizes = random.integers(1, most + 1, size=2 * LEAST // most)
    sequences = np.repeat(np.arange(len(sizes)), sizes)[: 2 * LEAST].tolist()
    # What a message has is near each other, and to what is said now.
    said = random.normal(size=DIM) + random.normal(size=(2, DIM)) * 0.1
    about = (random.exponential(0.2, size=len(sizes)) - away)[:, None] * said[0]
    about += random.normal(size=(len(sizes), DIM))
    vectors = unit(about[sequences] + random.normal(size=(len(sequences), DIM)) * 0.1)
    vectors[random.random(len(vectors)) < 0.02] = 0.0
    state, asked = of_one_speaker(sequences, vectors), []

    def read(wanted):
        asked.extend(wanted)
        return {}

    message = Message(
        message_id="new", role="user", content="I moved to Graz.", turn=0, sequence=len(sizes), created_at=NOON
    )
    new = unit(said)
    replaced_by(Replacing(state, read, common), message, new)
    assert asked == directly(sequences, vectors, new, common)


def replaced_by(replacing, message, vectors):
    """What is found for a message that is being written."""
    return replacing.of(message, vectors, words_row(message), wanted_by(message))


def directly(sequences, vectors, new, common):
    """The same by the cosines of all signals, of those that tie the newest."""
    cosines = np.max([exactly(vectors, one) for one in new], axis=0)
    near = {}
    for row in np.lexsort((-np.array(sequences), -cosines))[:NEAREST].tolist():
        near.setdefault(sequences[row], float(cosines[row]))
    meaning = {sequence: (one - common) / (1 - common) * (one != 0.0) for sequence, one in near.items()}
    return sorted(meaning, key=lambda sequence: (-meaning[sequence], -sequence))[:COMPARED]


def exactly(vectors, one):
    """Cosines as single numbers are multiplied."""
    return (vectors.astype(np.float64) @ one.astype(np.float64)).astype(np.float32)


ROOMS, COFFEE = "My flat has four rooms.", "Coffee is not good for sleep."
"""Another number of rooms can be swapped for the one, the other can only be told anew."""


@pytest.mark.parametrize(
    ("said", "older", "nearness", "is_read"),
    [
        (ROOMS, "My flat has three rooms.", 0.1, True),
        (ROOMS, "I have three rooms.", 0.9, False),
        (COFFEE, "Coffee is good for sleep.", 0.9, True),
        (COFFEE, "Coffee is good for sleep.", 0.6, False),
        (COFFEE, "Coffee is good for breakfast.", 0.9, False),
    ],
)
def test_only_what_is_like_it_is_read(said, older, nearness, is_read):
    """What has none of its words can neither be swapped for it nor told anew by it, however near it is."""
    new = np.array([[1.0, 0.0]], dtype=np.float32)
    near = np.array([nearness, np.sqrt(1 - nearness**2)], dtype=np.float32)
    state, asked = MemoryState(Head(memory_id="m", token="", dim=2)), []
    state.columns.put_all([0], [near], [{"sequence": 0, **dict.fromkeys(PLACE, 0)}])
    state.words.put_all([entry(Line(0, None, tuple(map(hashed, terms(older)))))])

    def read(wanted):
        asked.extend(wanted)
        return {}

    message = Message(message_id="new", role="user", content=said, turn=0, sequence=1, created_at=NOON)
    replaced_by(Replacing(state, read), message, new)
    assert asked == [0] * is_read


def test_a_value_is_swapped_however_far_away_the_older_one_is():
    """Where all vectors are near each other, what is a little less near counts as farther than its opposite."""
    state, asked = MemoryState(Head(memory_id="m", token="", dim=2)), []
    state.columns.put_all([0], [np.array([-0.6, 0.8], np.float32)], [{"sequence": 0, **dict.fromkeys(PLACE, 0)}])
    state.words.put_all([entry(Line(0, None, tuple(map(hashed, terms("My flat has three rooms.")))))])

    def read(wanted):
        asked.extend(wanted)
        return {}

    message = Message(message_id="new", role="user", content=ROOMS, turn=0, sequence=1, created_at=NOON)
    Replacing(state, read, 0.7).of(
        message, np.array([[1.0, 0.0]], dtype=np.float32), words_row(message), wanted_by(message)
    )
    assert asked == [0]


def test_of_many_alike_the_newest_are_compared():
    """Each of a thousand and more can be swapped for the next: the oldest were replaced long ago, however near."""
    number = 1_200
    state, asked = MemoryState(Head(memory_id="m", token="", dim=2)), []
    near = np.linspace(1.0, 0.5, number)
    vectors = np.stack([near, np.sqrt(1 - near**2)], axis=1).astype(np.float32)
    places = [{"sequence": sequence, **dict.fromkeys(PLACE, 0)} for sequence in range(number)]
    state.columns.put_all(list(range(number)), list(vectors), places)
    words = tuple(map(hashed, terms("My flat has three rooms.")))
    # Rows need not be in the order of what was said: an edited message has got a new one.
    state.words.put_all([entry(Line(sequence, None, words)) for sequence in [*range(9, number), *range(9)]])

    def read(wanted):
        asked.extend(wanted)
        return {}

    message = Message(message_id="new", role="user", content=ROOMS, turn=0, sequence=number, created_at=NOON)
    replaced_by(Replacing(state, read), message, np.array([[1.0, 0.0]], dtype=np.float32))
    assert asked == list(range(number - 1_000, number - 1_000 + COMPARED))


def test_what_was_said_later_takes_no_place():
    """An edited message is compared with what was there before it, however much like it came since."""
    number, asked = 60, []
    state = MemoryState(Head(memory_id="m", token="", dim=2))
    places = [{"sequence": sequence, **dict.fromkeys(PLACE, 0)} for sequence in range(number)]
    state.columns.put_all(list(range(number)), [np.array([1.0, 0.0], dtype=np.float32)] * number, places)
    words = tuple(map(hashed, terms("My flat has three rooms.")))
    today = NOON.date().toordinal()
    state.words.put_all([entry(Line(sequence, None, words), day=today) for sequence in range(number)])

    def read(wanted):
        asked.extend(wanted)
        return {}

    message = Message(message_id="edited", role="user", content=ROOMS, turn=0, sequence=2, created_at=NOON)
    replaced_by(Replacing(state, read), message, np.array([[1.0, 0.0]], dtype=np.float32))
    assert asked == [1, 0]


def test_a_correction_is_of_what_came_before_it():
    """Not of an old history that was stored since, although all of that was said before."""
    number, asked = 60, []
    state = MemoryState(Head(memory_id="m", token="", dim=2))
    places = [{"sequence": sequence, **dict.fromkeys(PLACE, 0)} for sequence in range(number)]
    state.columns.put_all(list(range(number)), [np.array([1.0, 0.0], dtype=np.float32)] * number, places)
    today = NOON.date().toordinal()
    state.words.put_all([entry(Line(one, None, (1,)), day=today - 900 * (one > 2)) for one in range(number)])

    def read(wanted):
        asked.append(list(wanted))
        return {}

    message = Message(
        message_id="old", role="user", content="I was wrong, it's in Bath.", turn=0, sequence=2, created_at=NOON
    )
    replaced_by(Replacing(state, read), message, np.array([[1.0, 0.0]], dtype=np.float32))
    assert asked[-1] == [1, 0]
    assert len(asked[0]) == COMPARED
