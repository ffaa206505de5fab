"""A memory that is large enough for an image, made once and copied for each test."""

from datetime import datetime, timedelta, timezone

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.index.codes import LEAST
from tests.databases import made_once, put

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
ENCODER = HashingEncoder(dim=32)
MESSAGES = LEAST + 80
PLACES = ("Oslo", "Lima", "Kyiv", "Cairo", "Quito", "Turin", "Minsk", "Perth", "Delhi")
THINGS = ("harbour", "museum", "bakery", "bridge", "garden", "station", "library", "tower", "market", "theatre", "lake")


def said(number):
    """A message that differs from the others in what it says of whom, where and when."""
    place, thing = PLACES[number % len(PLACES)], THINGS[number % len(THINGS)]
    text = f"Lamps near the {thing}, {place}: {number}."
    if number % 50 == 0:
        text = f"I no longer live in {PLACES[number // 50 % len(PLACES)]}, I moved to {place} last Monday."
    if number % 50 == 7:
        text = f"How many lamps has the {thing} of {place}?"
    return NewMessage(
        content=text,
        role="user" if number % 3 else "assistant",
        name=("Ilse", "Tomas", None)[number % 3],
        conversation_id=None if number % 40 < 3 else f"talk {number // 40}",
        created_at=NOON + timedelta(minutes=17 * number),
    )


def opened(path, **options):
    """A registry that does not wait for the disk."""
    options = {"config": Config(stack_threshold=0.9), **options}
    return MemoryRegistry(path, encoder=ENCODER, durability="fast", clock=lambda: NOON, **options)


@pytest.fixture(scope="session", params=["single", "half"])
def original(request, tmp_path_factory):
    """The database of a large memory that nobody has closed nicely, so that it has no image; in both precisions."""

    def fill(path):
        registry = opened(path, config=Config(stack_threshold=0.9, vector_precision=request.param))
        registry.get("m").add_messages([said(number) for number in range(MESSAGES)])
        registry.store.close()

    return made_once(tmp_path_factory, f"large-{request.param}.db", fill)


@pytest.fixture
def path(original, tmp_path):
    """A copy of it."""
    return put(tmp_path / "memory.db", original.read_bytes())
