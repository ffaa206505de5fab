"""Strategies of one's own that several tests use, and a memory that they are asked about."""

from datetime import datetime, timedelta, timezone

import numpy as np

from streetai_core import MemoryRegistry, NewMessage, Strategy
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores.reference import ReferenceStore

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
QUESTION = "Where does the boat number 3 lie?"
SAID = [
    NewMessage(
        content=f"The boat number {n} lies at berth {n * 7}, where the {thing} is.",
        role="user" if n % 2 else "assistant",
        name=("Mara", "Tom", None)[n % 3],
        conversation_id=("then", None)[n // 6],
        created_at=NOON - timedelta(days=20 - n),
        message_id=str(n),
    )
    for n, thing in enumerate(
        ["crane", "ferry", "slip", "kiosk", "lamp", "well", "mill", "pump", "shed", "fence", "bridge", "tower"]
    )
]

CALLS = {
    "retrieve": lambda memory, question=QUESTION, **given: memory.retrieve(question, **given),
    "build_prompt": lambda memory, question=QUESTION, **given: (
        memory.build_prompt(question, conversation_id="now", token_budget=100, **given).retrieved
    ),
    "why": lambda memory, question=QUESTION, **given: list(memory.why(question, **given).hits),
}
"""How a question is asked, and the hits that come of it. The budget leaves out the history itself."""


class NewestFirst(Strategy):
    """What was said last, whatever it is about."""

    def score(self, known):
        """One more for each message."""
        return known.sequence


class Scoring(Strategy):
    """Does what a test wants, and remembers what it was told."""

    def __init__(self, make):
        self.make = make
        self.told = []

    def score(self, known):
        """Whatever it is."""
        self.told.append(known)
        return self.make(known)


class Hybrid(Strategy):
    """As the built-in one, gate and all."""

    def score(self, known):
        """The parts, and minus infinity for what is not relevant."""
        return {**known.parts, "gate": np.where(known.relevant, 0.0, -np.inf)}


def memory_of(said=SAID, **given):
    """A memory in RAM."""
    given = {"encoder": HashingEncoder(), "clock": lambda: NOON, **given}
    memory = MemoryRegistry(ReferenceStore(), **given).get("m")
    memory.add_messages(said)
    return memory


def texts(hits):
    """What the hits say, in their order."""
    return [hit.signal.content for hit in hits]


def numbers(hits):
    """The places of the messages in the order of saying, by the order of the hits."""
    return [int(hit.signal.parent_turn_id) for hit in hits]
