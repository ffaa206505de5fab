"""Whole rows of the tables, with their columns in the order that `rows` decodes; most are narrowed by what follows."""

from __future__ import annotations

import json
from collections.abc import Iterable

HEADS = """
SELECT memory_key, memory_id, token, generation, version, deletion_version, next_turn, next_sequence, next_signal,
       next_stack, message_count, history_tokens, encoder, dim, created_at, crc
FROM memories
"""
SIGNALS = """
SELECT signals.memory_key, signals.signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end,
       version, dim, vector, crc
FROM signals LEFT JOIN vectors
ON vectors.memory_key = signals.memory_key AND vectors.signal_key = signals.signal_key
WHERE signals.memory_key = ?
"""
WEIGHTS = """
SELECT memory_key, signal_key, base_weight, last_used_turn, uses, stack_key, version, crc
FROM weights WHERE memory_key = ?
"""
CUES = """
SELECT memory_key, signal_key, question, version, dim, vector, crc FROM cues WHERE memory_key = ?
"""
STACKS = "SELECT memory_key, stack_key, size, dim, version, total, crc FROM stacks WHERE memory_key = ?"
WORDS = """
SELECT memory_key, sequence, version, conversation_id, name, role, day, characters, question, source, trust,
       writer, fingerprint, rules, terms, counts, days, replaces, crc
FROM words WHERE memory_key = ?
"""
MESSAGES = """
SELECT memory_key, sequence, message_id, turn, conversation_id, role, name, created_at, metadata, sanitised,
       source, trust, writer, salt, seal, crc, content
FROM messages WHERE memory_key = ?
"""
CREDITS = """
SELECT memory_key, version, position, signal_key, turn, action, contribution, old_weight, new_weight, created_at,
       old_last_used_turn, old_uses, conversation, crc
FROM credits WHERE memory_key = ?
"""
QUARANTINES = "SELECT memory_key, field, value, crc FROM quarantines WHERE memory_key = ?"

OF_SEQUENCES = " AND sequence IN (SELECT value FROM json_each(?))"
"""One parameter for any number of values, a `list_text`; SQLite limits how many parameters there may be."""

BY_SEQUENCE = " ORDER BY sequence"
BY_CUE = " ORDER BY signal_key, question"


def list_text(numbers: Iterable[int]) -> str:
    """Whole numbers as the one parameter of `json_each`."""
    return json.dumps([int(number) for number in numbers])
