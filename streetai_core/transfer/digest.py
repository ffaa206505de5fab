"""A hash of a memory's content, equal exactly where two memories hold the same rows."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from streetai_core.registry import MemoryRegistry
from streetai_core.transfer.codec import codec_of
from streetai_core.transfer.snapshot import (
    COUNTERS,
    KINDS,
    MADE_OF_VECTORS,
    PLACE_FIELDS,
    VECTOR_FIELDS,
    Snapshot,
    snapshot_of,
)

_PLACES = frozenset({"next_sequence", "next_signal", "next_stack"})
"""Counters that say only which number comes next; a memory that was reset goes on with its old ones."""

_UNKNOWN = 0
"""Version of learning steps in files without a journal, which name none; and of the rules of words in files of before
these had numbers. What is not known is neither written nor counted, so that the digests of such files still fit."""

_VERSIONS = ("version", "rules")
"""Fields that may be unknown."""


def memory_digest(registry: MemoryRegistry, memory_id: str, *, vectors: bool = True) -> str | None:
    """SHA-256 of everything in a memory but its identity (id, token, version), as hex digits.

    Args:
        registry: where it is.
        memory_id: which one.
        vectors: whether vectors, and the stacks that are made of them, count.

    Returns:
        The digest; `None` if nothing was ever written under this id.
    """
    with registry.store.reading(memory_id) as transaction:
        found = snapshot_of(transaction)
    return None if found is None else digest_of(found, vectors=vectors and found.vectors)


def digest_of(snapshot: Snapshot, *, vectors: bool) -> str:
    """What `memory_digest` gives, of a snapshot.

    Args:
        snapshot: the rows.
        vectors: whether vectors, and the stacks that are made of them, count; only if the snapshot has them.
    """
    content = ContentHash()
    content.add("head", head_values(snapshot, vectors=vectors), without=_PLACES)
    for kind, row in snapshot.counted():
        if vectors or kind not in MADE_OF_VECTORS:
            content.add(kind, row_values(kind, row, vectors=vectors))
    return content.hexdigest()


class ContentHash:
    """Hashes rows in one spelling."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, kind: str, values: dict[str, Any], without: frozenset[str] = frozenset()) -> None:
        """Take in a row."""
        kept = {name: value for name, value in values.items() if name not in without}
        self._hash.update(json.dumps([kind, kept], sort_keys=True, separators=(",", ":")).encode() + b"\n")

    def hexdigest(self) -> str:
        """The digest of what was taken in."""
        return self._hash.hexdigest()


def head_values(snapshot: Snapshot, *, vectors: bool) -> dict[str, Any]:
    """What the head says of the content; of the encoder only where its vectors are given too."""
    values = {name: getattr(snapshot.head, name) for name in COUNTERS}
    return values if vectors else {**values, "encoder": None, "dim": None}


def row_values(kind: str, row: Any, *, vectors: bool) -> dict[str, Any]:
    """A row as JSON values."""
    left_out = PLACE_FIELDS if vectors else PLACE_FIELDS | VECTOR_FIELDS
    values = codec_of(KINDS[kind]).encode(row, left_out)
    return {name: value for name, value in values.items() if name not in _VERSIONS or value != _UNKNOWN}
