"""The messages of one operation by their vectors."""

import random

import numpy as np
import pytest

from streetai_core.planning.batch import Batch
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


def test_an_empty_batch_has_nothing_alike():
    """Nor has one in which the speaker has said nothing."""
    batch = Batch()
    assert batch.similar(vectors(0, 1), message(1), 5) == {}
    batch.put(message(0, name="Nora"), vectors(1, 2))
    assert batch.similar(vectors(0, 1), message(1), 5) == {}
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
        batch.put(said, own)
    for trust in (0.5, 1.0):
        speaker = message(99, name="Nora", trust=trust)
        asked = vectors((seed, 99), 2)
        expected = {
            said.sequence: float((own @ asked.T).max())
            for said, own in every
            if (said.role, said.name) == ("user", "Nora") and said.trust <= trust
        }
        best = sorted(expected, key=lambda one: -expected[one])
        assert batch.similar(asked, speaker, 100) == pytest.approx(expected, abs=1e-6)
        assert list(batch.similar(asked, speaker, 3)) == best[:3]
