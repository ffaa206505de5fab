"""What must be true of a memory after anything."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

from streetai_core.config import Config
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry

CONFIG = Config(stack_threshold=0.4)
"""A threshold at which hashed vectors form stacks of several signals, so that their counts can go wrong."""


def open_registry(path: Path, busy_timeout: float = 30.0) -> MemoryRegistry:
    """A registry with the deterministic encoder."""
    return MemoryRegistry(path, config=CONFIG, encoder=HashingEncoder(dim=64), busy_timeout=busy_timeout)


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
    turns = [message.turn for message in messages.values()]
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


def damage(path: Path) -> list[str]:
    """What SQLite itself finds wrong with the file. Call with no other handle open in this process."""
    database = sqlite3.connect(path)
    try:
        integrity = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return integrity + [f"foreign key broken: {row}" for row in database.execute("PRAGMA foreign_key_check")]
    finally:
        database.close()
