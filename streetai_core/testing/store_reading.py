"""Short ways to write and read one memory of a store, for tests."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from streetai_core.stores.base import Store
from streetai_core.stores.types import Changes, Head, MessageQuery, Rows
from streetai_core.testing.factories import NOON
from streetai_core.types import Message


def write(store: Store, changes: Changes) -> Head:
    """Apply changes in a transaction of their own, to the memory that their head names."""
    with store.writing(changes.head.memory_id) as writing:
        return writing.apply(changes, now=NOON)


def read(store: Store, memory_id: str = "alice", since: int | None = None) -> Rows | None:
    """The rows of a memory."""
    with store.reading(memory_id) as view:
        return view.rows(since)


def head_of(store: Store, memory_id: str = "alice") -> Head:
    """The head of a memory that exists."""
    with store.reading(memory_id) as view:
        if view.head is None:
            raise LookupError(f"memory {memory_id!r} was never written")
        return view.head


def all_messages(store: Store, memory_id: str = "alice", **conditions: Any) -> list[Message]:
    """The messages of a memory, or those that a query finds."""
    with store.reading(memory_id) as view:
        return view.messages(MessageQuery(**conditions))


def comparable(value: Any) -> Any:
    """A value in a form that `==` compares to the last bit: arrays as type, shape and numbers, rows as dicts."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tolist())
    if is_dataclass(value):
        return {field.name: comparable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [comparable(item) for item in value]
    return value
