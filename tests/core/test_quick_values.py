"""Frozen values that are made quickly are those that their classes make."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from datetime import datetime, timezone

import pytest

from streetai_core import Hit, Message, Signal
from streetai_core.quick_values import quickly

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
SAID = {"message_id": "m", "role": "user", "content": "The boat is red.", "turn": 3, "sequence": 4, "created_at": NOW}
PLACED = {
    "signal_id": "a.1",
    "content": "The boat is red.",
    "role": "user",
    "turn": 3,
    "parent_turn_id": "m",
    "chunk_index": 0,
    "base_weight": 1.5,
    "last_used_turn": 2,
    "stack_id": "a.stack.1",
    "kind": "chunk",
    "start": 0,
    "end": 16,
    "block_start": 0,
    "block_end": 16,
    "conversation_id": None,
    "name": "Mara",
    "created_at": NOW,
}
CASES = [(Message, SAID), (Signal, PLACED), (Hit, {"signal": Signal(**PLACED), "score": 0.5})]


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_it_is_the_value_that_the_class_makes(kind, given):
    """It equals it, is of the class, and can be copied, pickled and replaced."""
    made, known = quickly(kind)(**given), kind(**given)
    assert type(made) is kind
    assert made == known
    assert repr(made) == repr(known)
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - made in the line itself
    assert replace(made) == copy.copy(made) == copy.deepcopy(made) == again == known


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_it_is_frozen_and_has_no_other_fields(kind, given):
    """No field can be set, old or new."""
    made = quickly(kind)(**given)
    for name in (next(iter(given)), "other"):
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(made, name, None)
    assert not hasattr(made, "__dict__")


@pytest.mark.parametrize(("kind", "given"), CASES)
def test_it_takes_what_the_class_takes(kind, given):
    """A field too many or too few is refused by both."""
    for wrong in ({**given, "other": 1}, dict(list(given.items())[1:])):
        with pytest.raises(TypeError):
            kind(**wrong)
        with pytest.raises(TypeError):
            quickly(kind)(**wrong)


def test_a_default_that_can_change_is_nobody_elses():
    """Each value gets a default of its own from a factory."""
    make = quickly(Message)
    one, other = make(**SAID), make(**SAID)
    assert one.metadata == other.metadata == {}
    assert one.metadata is not other.metadata


def test_a_message_is_still_known_by_its_names_alone():
    """Fields that are given by name only stay so."""
    with pytest.raises(TypeError):
        quickly(Message)("m", "user", "The boat is red.", 3, 4)


def test_the_class_stays_as_it_was():
    """Asking for its maker changes nothing about the class."""

    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        tags: list = field(default_factory=list)

    quickly(Point)
    assert Point(1) == Point(x=1, tags=[])
    assert Point(1).tags is not Point(1).tags
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 2


def test_a_class_that_does_more_when_it_makes_a_value_is_refused():
    """What it does would be left out."""

    @dataclass(frozen=True, slots=True)
    class Checked:
        x: int

        def __post_init__(self):
            if self.x < 0:
                raise ValueError

    with pytest.raises(TypeError, match="__post_init__"):
        quickly(Checked)
