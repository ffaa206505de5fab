"""What must be true of a memory after anything."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from streetai_core.config import Config
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.stores._sqlite import Connect
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.torture.work import Model, text_of

CONFIG = Config(stack_threshold=0.4)
"""A threshold at which hashed vectors form stacks of several signals, so that their counts can go wrong."""

ENCODER = HashingEncoder(dim=64)
"""Deterministic, and quick enough to leave most of the time to the store."""


def open_registry(
    path: Path, busy_timeout: float = 30.0, durability: str = "full", opener: Connect | None = None
) -> MemoryRegistry:
    """A registry with the deterministic encoder."""
    store = SqliteStore(path, busy_timeout=busy_timeout, durability=durability, opener=opener)
    return MemoryRegistry(store, config=CONFIG, encoder=ENCODER)


def differences(memory: Memory, model: Model) -> list[str]:
    """Messages that are not what the model says, missing and surplus ones included."""
    stored = {message.message_id: message.content for message in memory.messages()}
    expected = {one: text_of(one, edit) for one, edit in model.items()}
    return [one for one in {*stored, *expected} if stored.get(one) != expected.get(one)]


def torn_parts(memory: Memory) -> list[str]:
    """Everything about a memory that is not whole; empty if all is well."""
    found: list[str] = []
    messages = {message.message_id: message for message in memory.messages()}
    signals = memory.signals
    stats = memory.stats()
    pieces: dict[str, list[str]] = {}
    for signal in signals:
        message = messages.get(signal.parent_turn_id)
        if message is None:
            found.append(f"signal {signal.signal_id} has no message")
            continue
        pieces.setdefault(signal.parent_turn_id, []).append(message.content[signal.start : signal.end])
    for message_id, message in messages.items():
        if "".join(pieces.get(message_id, [])) != message.content:
            found.append(f"message {message_id} has lost pieces")
    # Tool calls and their results do not move the clock.
    turns = [one.turn for one in messages.values() if one.role != "tool" and "tool_calls" not in one.metadata]
    if len(set(turns)) != len(turns):
        found.append("two messages share a turn")
    if turns and max(turns) >= stats["turn_counter"]:
        found.append("the clock is behind a message")
    if stats["messages"] != len(messages):
        found.append(f"the head counts {stats['messages']} messages, there are {len(messages)}")
    members = Counter(signal.stack_id for signal in signals)
    sizes = {stack.stack_id: stack.size for stack in memory.stacks}
    if sizes != dict(members):
        found.append("stack sizes do not match their signals")
    return found


def unlogged_weights(memory: Memory) -> list[str]:
    """Signals whose weight is not the last one that the learning log says; empty if all is well."""
    found: list[str] = []
    for signal in memory.signals:
        log = memory.history(signal.signal_id)
        if signal.base_weight != (log[-1].new_weight if log else 1.0):
            found.append(f"the weight of signal {signal.signal_id} is not what its log says")
    return found


def picture(memory: Memory) -> dict[str, Any]:
    """All that a memory holds, through its public verbs, and its vectors and stacks as they are in RAM.

    Two pictures are equal if and only if every question has the same answer.
    """
    with memory._coherent.reading() as (transaction, state):  # noqa: SLF001 - what RAM holds is what is compared
        head = transaction.head
        vectors = {} if state is None else dict(zip(state.columns.keys.tolist(), state.columns.vectors, strict=True))
        totals = {} if state is None else {key: state.stacks.total(key).tobytes() for key in state.stacks.keys}
    return {
        "head": head,
        "stats": memory.stats(),
        "messages": memory.messages(),
        "signals": memory.signals,
        "stacks": sorted(memory.stacks, key=lambda stack: stack.stack_id),
        "vectors": {key: vectors[key].tobytes() for key in sorted(vectors)},
        "totals": totals,
    }


def damage(path: Path) -> list[str]:
    """What SQLite itself finds wrong with the file. Call with no other handle open in this process."""
    database = sqlite3.connect(path)
    try:
        integrity = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return integrity + [f"foreign key broken: {row}" for row in database.execute("PRAGMA foreign_key_check")]
    except sqlite3.DatabaseError as error:
        return [f"SQLite cannot read the file: {error}"]
    finally:
        database.close()
