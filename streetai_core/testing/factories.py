"""Values for tests: `make_x(**overrides)` gives a valid one, with any field replaced."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import numpy as np

from streetai_core.stores.types import Changes, CueRow, Head, Learned, SignalRow, StackRow, WeightRow, WordsRow
from streetai_core.types import DaySpans, Message, TermCounts, TermHashes, Vector

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=timezone.utc)
"""A moment with microseconds, so that losing them shows."""

DIM = 4
"""Length of the vectors of tests: short enough to be written by hand."""


def make_vector(seed: int, dim: int = DIM) -> Vector:
    """A unit vector, shape (dim,) float32; the same for the same seed."""
    vector = np.random.default_rng(seed).normal(size=dim)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def make_head(**overrides: Any) -> Head:
    """The head of an empty memory with vectors of `DIM`."""
    values: dict[str, Any] = {"memory_id": "alice", "token": "token", "encoder": "hashing/4", "dim": DIM}
    return Head(**(values | overrides))


def make_message(sequence: int, **overrides: Any) -> Message:
    """A message of the user; its id, turn and text follow from its sequence."""
    values: dict[str, Any] = {
        "message_id": f"message-{sequence}",
        "role": "user",
        "content": f"This is what was said in message {sequence}.",
        "turn": sequence,
        "sequence": sequence,
        "created_at": NOON,
    }
    return Message(**(values | overrides))


def make_signal_row(key: int, sequence: int | None = None, **overrides: Any) -> SignalRow:
    """The first four characters of a message; of message number `key` if `sequence` is left out."""
    values: dict[str, Any] = {
        "key": key,
        "sequence": key if sequence is None else sequence,
        "chunk_index": 0,
        "kind": "chunk",
        "start": 0,
        "end": 4,
        "block_start": 0,
        "block_end": 4,
        "vector": make_vector(key),
    }
    return SignalRow(**(values | overrides))


def make_weight_row(key: int, **overrides: Any) -> WeightRow:
    """The weight of a new signal in stack 0."""
    values: dict[str, Any] = {"key": key, "base_weight": 1.0, "last_used_turn": key, "uses": 0, "stack": 0}
    return WeightRow(**(values | overrides))


def make_cue_row(key: int, question: int, **overrides: Any) -> CueRow:
    """A signal and a question that it helped to answer."""
    values: dict[str, Any] = {"key": key, "question": question, "vector": make_vector(200 + key)}
    return CueRow(**(values | overrides))


def make_stack_row(key: int, **overrides: Any) -> StackRow:
    """A stack of one signal."""
    values: dict[str, Any] = {"key": key, "total": make_vector(100 + key), "size": 1}
    return StackRow(**(values | overrides))


def make_words_row(sequence: int, **overrides: Any) -> WordsRow:
    """Two terms, the second one three times, and one time of two days; the terms follow from the sequence."""
    values: dict[str, Any] = {
        "sequence": sequence,
        "conversation_id": None,
        "name": None,
        "role": "user",
        "day": NOON.toordinal(),
        "characters": 42,
        "question": False,
        "terms": make_terms(1_000_000 + sequence, 4_000_000_000 + sequence),
        "counts": make_counts(1, 3),
        "days": make_days((NOON.toordinal(), NOON.toordinal() + 1)),
    }
    return WordsRow(**(values | overrides))


def make_terms(*hashes: int) -> TermHashes:
    """Hashes of terms, shape (t,); give them ascending."""
    return np.array(hashes, dtype=np.uint32)


def make_counts(*counts: int) -> TermCounts:
    """How often each term occurs, shape (t,)."""
    return np.array(counts, dtype=np.uint16)


def make_days(*spans: tuple[int, int]) -> DaySpans:
    """First and last days as ordinals, shape (m, 2); (0, 2) for none."""
    return np.array(spans, dtype=np.int32).reshape(-1, 2)


def make_learned(key: int, **overrides: Any) -> Learned:
    """A boost of a tenth, up to 8."""
    values: dict[str, Any] = {
        "key": key,
        "factor": 1.1,
        "low": 0.1,
        "high": 8.0,
        "last_used_turn": 10,
        "used": True,
        "action": "boost",
        "contribution": 0.75,
    }
    return Learned(**(values | overrides))


def make_exchange(*sequences: int, head: Head | None = None, **overrides: Any) -> Changes:
    """Changes that add messages, each with words, one signal and its weight under the same number, and stack 0.

    The clocks of `head` are moved past them.
    """
    after = max(sequences) + 1
    values: dict[str, Any] = {
        "head": replace(head or make_head(), next_turn=after, next_sequence=after, next_signal=after, next_stack=1),
        "messages": [make_message(number) for number in sequences],
        "words": [make_words_row(number) for number in sequences],
        "signals": [make_signal_row(number) for number in sequences],
        "weights": [make_weight_row(number) for number in sequences],
        "stacks": [make_stack_row(0)],
    }
    return Changes(**(values | overrides))
