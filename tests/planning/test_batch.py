"""The messages of one operation by their vectors."""

import random
import tracemalloc
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from streetai_core.planning.batch import _PAGE, Batch
from streetai_core.testing.factories import NOON
from streetai_core.types import Message

DIM = 8


def message(sequence, *, role="user", name=None, trust=1.0):
    """A message of somebody."""
    return Message(
        message_id=str(sequence),
        role=role,
        content="x",
        turn=0,
        sequence=sequence,
        name=name,
        trust=trust,
        created_at=NOON,
    )


def vectors(seed, count):
    """Random unit vectors."""
    rows = np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


NONE = np.zeros(0, dtype=np.uint32)
ONE = np.ones((1, 1), dtype=np.float32)


def sequences_like(batch, speaker, terms=()):
    """What is like what a speaker says; sequences are numbers here."""
    return batch.like(speaker, terms).tolist()


def test_an_empty_batch_has_nothing_alike():
    """Nor has one in which the speaker has said nothing."""
    batch = Batch()
    assert sequences_like(batch, message(1)) == []
    assert batch.similar(vectors(0, 1), batch.like(message(1), ()), 5) == {}
    batch.put(message(0, name="Nora"), vectors(1, 2), NONE)
    assert sequences_like(batch, message(1)) == []
    assert 0 in batch
    assert 1 not in batch
    assert batch[0].name == "Nora"


@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_of_the_same_speaker_are_found(seed):
    """As one by one: by role and name, not those that are trusted more, by the nearest of their chunks."""
    chosen = random.Random(seed)
    batch, every = Batch(), []
    for sequence in range(60):
        said = message(
            sequence,
            role=chosen.choice(["user", "assistant"]),
            name=chosen.choice([None, "Nora"]),
            trust=chosen.choice([0.5, 1.0]),
        )
        own = vectors((seed, sequence), chosen.randint(1, 4))
        every.append((said, own))
        batch.put(said, own, NONE)
    for trust in (0.5, 1.0):
        speaker = message(99, name="Nora", trust=trust)
        asked = vectors((seed, 99), 2)
        expected = {
            said.sequence: float((own @ asked.T).max())
            for said, own in every
            if (said.role, said.name) == ("user", "Nora") and said.trust <= trust
        }
        best = sorted(expected, key=lambda one: -expected[one])
        assert batch.similar(asked, batch.like(speaker, ()), 100) == pytest.approx(expected, abs=1e-6)
        assert list(batch.similar(asked, batch.like(speaker, ()), 3)) == best[:3]


@pytest.mark.parametrize("seed", range(5))
def test_only_messages_with_all_terms_are_like(seed):
    """Of the same speaker, and not of those that are trusted more; in more than one byte of them."""
    chosen = random.Random(seed)
    batch, every = Batch(), []
    for sequence in range(60):
        said = message(sequence, name=chosen.choice([None, "Nora"]), trust=chosen.choice([0.5, 1.0]))
        terms = chosen.sample(range(6), 3)
        every.append((said, set(terms)))
        batch.put(said, vectors((seed, sequence), 1), np.array(terms, dtype=np.uint32))
    speaker = message(99, trust=0.5)
    for wanted in (set(), {0}, {0, 1}, {3, 4, 5}, {7}, {0, 7}, {0, 1, 2, 3}):
        assert sequences_like(batch, speaker, wanted) == [
            said.sequence for said, terms in every if (said.name, said.trust) == (None, 0.5) and wanted <= terms
        ]


@pytest.mark.parametrize("numbers", [[], [7], [0, 59], list(range(0, 60, 2)), list(range(60))])
def test_only_those_that_are_asked_for_are_compared(numbers):
    """Few of them, and most of them, of which all are compared at once."""
    batch, every = Batch(), []
    for sequence in range(60):
        every.append(vectors(sequence, 1 + sequence % 4))
        batch.put(message(sequence), every[-1], NONE)
    asked = vectors(99, 3)
    expected = {number: float((every[number] @ asked.T).max()) for number in numbers}
    best = sorted(expected, key=lambda one: -expected[one])
    found = batch.similar(asked, np.array(numbers, dtype=np.intp), 10)
    assert list(found) == best[:10]
    assert found == pytest.approx({one: expected[one] for one in best[:10]}, abs=1e-6)


def test_terms_take_as_much_room_in_a_large_operation_as_in_a_small_one():
    """Every message has terms that no other has, as numbers and names are."""
    batch, sizes = Batch(), []
    tracemalloc.start()
    try:
        for sequence in range(16_000):
            batch.put(message(sequence), ONE, np.arange(8 * sequence, 8 * sequence + 8, dtype=np.uint32))
            if sequence % 4_000 == 3_999:
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # Of the same number of messages each; what is allocated ahead makes some difference.
    assert sizes[3] - sizes[2] < 1.5 * (sizes[1] - sizes[0])
    assert sequences_like(batch, message(16_000), [8 * 9_000 + 3]) == [9_000]


def test_which_message_has_a_term():
    """By pages: the terms of one say nothing of another."""
    batch = Batch()
    for number in range(_PAGE + 2):
        batch.put(message(2 * number), ONE, np.array([7] if number % 2 else [7, 8], dtype=np.uint32))
    assert all(batch.has(2 * number, 7) for number in range(_PAGE + 2))
    assert [batch.has(2 * number, 8) for number in range(_PAGE + 2)] == [not number % 2 for number in range(_PAGE + 2)]
    assert not batch.has(0, 9)


def test_what_was_said_years_before_is_older_and_was_not_said_lately():
    """Also if it came later; on the day before, that may be another zone."""
    batch, today = Batch(), message(2)
    for sequence, days in enumerate([0, 0, 0, 1, 2, 900]):
        batch.put(replace(message(sequence), created_at=NOON - timedelta(days=days)), ONE, NONE)
    assert sequences_like(batch, today) == [0, 1, 4, 5]
    assert batch.lately(today, 10).tolist() == [0, 1]


def test_what_was_said_since_is_of_the_same_role_and_trusted_as_much():
    """What comes late is told by its day."""
    batch = Batch()
    for sequence, changes in enumerate([{}, {"role": "assistant"}, {"trust": 0.5}, {"name": "Nora"}]):
        batch.put(message(sequence, **changes), vectors(sequence, 1 + sequence), NONE)
    assert batch.after(replace(message(4), created_at=NOON - timedelta(days=2))).tolist() == [0, 3]
    assert batch.after(replace(message(4), created_at=NOON - timedelta(days=1))).tolist() == []
    assert batch.vectors_of(2).tolist() == vectors(2, 3).tolist()
