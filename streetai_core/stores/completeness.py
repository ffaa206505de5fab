"""Whether all rows of a memory are found: a row whose key is damaged is none that a query finds, but it is missed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from streetai_core.arrays import Integers
from streetai_core.stores.checksums import wholes
from streetai_core.stores.index_checks import Select
from streetai_core.stores.rows import Origin

_COUNTS = """
SELECT stored_messages, stored_sequences, stored_signals, stored_weights, stored_stacks, stored_credits,
       stored_words, stored_journal, stored_quarantines, stored_cues
FROM memories WHERE memory_key = ?
"""
_MESSAGE_KEYS = "SELECT sequence FROM messages WHERE memory_key = ?"
"""Reads the index of keys, not the messages."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows a memory should have."""

    messages: int = 0
    sequences: int = 0
    """Of all messages, added up."""
    signals: int = 0
    weights: int = 0
    stacks: int = 0
    credits: int = 0
    words: int = 0
    journal: int = 0
    quarantines: int = 0
    cues: int = 0

    def check(self, found: Sequence[int], origin: Origin) -> None:
        """No row is missing: of signals, weights, stacks, words, rules and cues so many were found.

        Raises:
            DamagedFileError: rows are missing, or too many.
        """
        expected = {
            "signals": self.signals,
            "weights": self.weights,
            "stacks": self.stacks,
            "words rows": self.words,
            "rules of quarantine": self.quarantines,
            "cues": self.cues,
        }
        for (what, number), there in zip(expected.items(), found, strict=True):
            check_count(what, there, number, origin)


def counts_of(select: Select, memory_key: int | None) -> Counts:
    """How many rows a memory should have; none if it was never written."""
    rows = select(_COUNTS, memory_key)
    return Counts(*rows[0]) if rows else Counts()


def message_keys(select: Select, memory_key: int | None, counts: Counts, origin: Origin) -> Integers:
    """The sequences of all messages: each can be found where it was written. Its text is checked when it is read.

    Raises:
        DamagedFileError: messages are missing, or too many, or in the place of others.
    """
    found = select(_MESSAGE_KEYS, memory_key)
    check_count("messages", len(found), counts.messages, origin)
    sequences = [sequence for (sequence,) in found]
    # Damage may make anything of a number, also where the database takes numbers only.
    if not set(map(type, sequences)) <= {int} or sum(sequences) != counts.sequences:
        raise origin.damaged("the index", "of messages")
    return wholes(sequences)


def check_count(what: str, found: int, expected: int, origin: Origin) -> None:
    """Refuse what has fewer rows than it should.

    Raises:
        DamagedFileError: rows are missing, or too many.
    """
    if found != expected:
        raise origin.incomplete(what, found, expected)


def check_once(what: str, keys: Sequence[Hashable], origin: Origin) -> None:
    """A damaged index may lead to one row twice, in place of another one.

    Raises:
        DamagedFileError: two rows have the same key.
    """
    if len(set(keys)) != len(keys):
        raise origin.damaged("an index", f"of the {what}")
