"""Whether the indexes of a database know all rows.

A row that is looked for in a damaged index is not there, and no checksum tells. So what an index has of a memory is
compared when the memory is loaded, and the index of ids is compared with its table before an id is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from streetai_core.errors import DamagedFileError
from streetai_core.stores.rows import Origin, Row

Select: TypeAlias = Callable[..., list[Row]]
"""Executes a query with its values."""

_IDS = (
    "SELECT count(*), total(memory_key), total(length(memory_id)) FROM memories NOT INDEXED",
    """
    SELECT count(*), total(memory_key), total(length(memory_id)) FROM memories INDEXED BY sqlite_autoindex_memories_1
    """,
)

_CONVERSATIONS = """
SELECT count(*), total(sequence) FROM messages INDEXED BY messages_by_conversation WHERE memory_key = ?
"""
_NAMES = """
SELECT count(DISTINCT message_id) FROM messages INDEXED BY sqlite_autoindex_messages_2 WHERE memory_key = ?
"""
_PAIRS = (
    (
        "signals",
        "SELECT count(*), total(version) FROM signals INDEXED BY sqlite_autoindex_signals_1 WHERE memory_key = ?",
        "SELECT count(*), total(version) FROM signals INDEXED BY signals_by_version WHERE memory_key = ?",
    ),
    (
        "signals",
        "SELECT count(*), total(sequence) FROM signals INDEXED BY sqlite_autoindex_signals_1 WHERE memory_key = ?",
        "SELECT count(*), total(sequence) FROM signals INDEXED BY signals_by_message WHERE memory_key = ?",
    ),
    (
        "weights",
        "SELECT count(*), total(version) FROM weights INDEXED BY sqlite_autoindex_weights_1 WHERE memory_key = ?",
        "SELECT count(*), total(version) FROM weights INDEXED BY weights_by_version WHERE memory_key = ?",
    ),
    (
        "stacks",
        "SELECT count(*), total(version) FROM stacks INDEXED BY sqlite_autoindex_stacks_1 WHERE memory_key = ?",
        "SELECT count(*), total(version) FROM stacks INDEXED BY stacks_by_version WHERE memory_key = ?",
    ),
    (
        "words",
        "SELECT count(*), total(version) FROM words INDEXED BY sqlite_autoindex_words_1 WHERE memory_key = ?",
        "SELECT count(*), total(version) FROM words INDEXED BY words_by_version WHERE memory_key = ?",
    ),
    (
        "learning steps",
        "SELECT count(*), total(signal_key) FROM credits INDEXED BY sqlite_autoindex_credits_1 WHERE memory_key = ?",
        "SELECT count(*), total(signal_key) FROM credits INDEXED BY credits_by_signal WHERE memory_key = ?",
    ),
)
"""The rows of a table by their keys, whose own checks are elsewhere, and by another index. The sum tells an index from
another one that has as many rows of the memory."""

_TEXTS = (
    """
    SELECT count(*) FROM messages AS entry INDEXED BY messages_by_conversation
    JOIN messages AS stored NOT INDEXED ON stored.rowid = entry.rowid
    WHERE entry.memory_key = ? AND stored.conversation_id IS entry.conversation_id
    """,
    """
    SELECT count(*) FROM messages AS entry INDEXED BY sqlite_autoindex_messages_2
    JOIN messages AS stored NOT INDEXED ON stored.rowid = entry.rowid
    WHERE entry.memory_key = ? AND stored.message_id = entry.message_id
    """,
)
"""How many entries of an index say of their row what it says itself."""

_VERSIONS = "total(version)"
"""What the sums of versions are compared in."""


class FoundRight:
    """What a store has compared so far: once is enough, however many connections it makes.

    Two threads may compare the same at once; the second finds what the first did.
    """

    __slots__ = ("ids", "texts")

    def __init__(self) -> None:
        self.ids = False
        """Whether the index of memories' ids was found to be right."""
        self.texts: set[int] = set()
        """The keys of the memories whose indexes of conversations and of messages' ids were."""


def check_ids(found_right: FoundRight, select: Select, path: str) -> None:
    """Compare the index of ids with the table, once: it takes time with the number of memories.

    Args:
        found_right: what was compared before.
        select: executes a query.
        path: the database file, for the error.

    Raises:
        DamagedFileError: an id may be stored and not be found.
    """
    if found_right.ids:
        return
    table, index = (select(statement) for statement in _IDS)
    if table != index:
        raise DamagedFileError(
            f"the index of memory ids in {path} is damaged: restore the file from a backup, or export what is whole "
            "with: streetai salvage FILE -o NEW.db"
        )
    found_right.ids = True


def check_indexes(
    select: Select,
    memory_key: int,
    messages: int,
    sequences: int,
    origin: Origin,
    *,
    versions: Mapping[str, tuple[int, int]] = MappingProxyType({}),
) -> None:
    """Compare what the indexes have of a memory with its rows.

    Args:
        select: executes a query.
        memory_key: of the memory.
        messages: how many messages it has.
        sequences: of all its messages, added up.
        origin: where they are, for the error.
        versions: table -> how many rows were read by their keys, and their versions added up; of tables that are not
            in it they are counted.

    Raises:
        DamagedFileError: an index has more, fewer or other rows.
    """
    wrong = [
        table
        for table, keys, index in _PAIRS
        if ([versions[table]] if table in versions and _VERSIONS in keys else select(keys, memory_key))
        != select(index, memory_key)
    ]
    if (select(_CONVERSATIONS, memory_key), select(_NAMES, memory_key)) != ([(messages, sequences)], [(messages,)]):
        wrong.append("messages")
    if wrong:
        raise origin.damaged("an index", f"of the {wrong[0]}")


def check_texts(found_right: FoundRight, select: Select, memory_key: int, messages: int, origin: Origin) -> None:
    """Compare the indexes that find messages by a text with the rows, once a memory.

    A bit that flips in such a text hides the message from those who look for it, and moves no number.

    Args:
        found_right: what was compared before.
        select: executes a query.
        memory_key: of the memory.
        messages: how many messages it has.
        origin: where they are, for the error.

    Raises:
        DamagedFileError: a message may be stored and not be found.
    """
    if memory_key in found_right.texts:
        return
    if any(select(statement, memory_key) != [(messages,)] for statement in _TEXTS):
        raise origin.damaged("an index", "of the messages")
    found_right.texts.add(memory_key)
