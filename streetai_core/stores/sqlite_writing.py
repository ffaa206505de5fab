"""Writing one memory to SQLite, inside a transaction that somebody else opened."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache

from sqlite_utils import Database

from streetai_core.errors import StoreError
from streetai_core.stores.base import WriteTransaction
from streetai_core.stores.faults import Faults
from streetai_core.stores.index_checks import FoundRight
from streetai_core.stores.rows import (
    Row,
    credit_row,
    cue_row,
    head_row,
    message_row,
    quarantine_row,
    signal_row,
    stack_row,
    time_text,
    vector_row,
    weight_from,
    weight_row,
)
from streetai_core.stores.selects import WEIGHTS, list_text
from streetai_core.stores.sqlite_journal import Noting
from streetai_core.stores.sqlite_packable import SIGNALS, WORDS, span
from streetai_core.stores.sqlite_packable import WEIGHTS as PACKED_WEIGHTS
from streetai_core.stores.sqlite_packing import PACK, UNCHANGED, new_packs
from streetai_core.stores.sqlite_reading import SqliteReading
from streetai_core.stores.types import Changes, CreditRow, CueRow, Head, Learned, SignalRow
from streetai_core.stores.values import CUES_KEPT, after_learning, checked, credit_of, next_head, utc
from streetai_core.stores.words_rows import words_row
from streetai_core.types import Message

_NEW_HEAD = """
INSERT INTO memories (memory_id, token, generation, version, deletion_version, next_turn, next_sequence, next_signal,
                      next_stack, message_count, history_tokens, encoder, dim, created_at, crc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_HEAD = """
UPDATE memories SET token = ?, generation = ?, version = ?, deletion_version = ?, next_turn = ?, next_sequence = ?,
                    next_signal = ?, next_stack = ?, message_count = ?, history_tokens = ?, encoder = ?, dim = ?,
                    crc = ?
WHERE memory_key = ?
"""
_MESSAGE = """
INSERT INTO messages (memory_key, sequence, message_id, turn, conversation_id, role, name, created_at, metadata,
                      sanitised, source, trust, writer, salt, seal, crc, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_key, sequence) DO UPDATE SET
    turn = excluded.turn, conversation_id = excluded.conversation_id, role = excluded.role, name = excluded.name,
    created_at = excluded.created_at, metadata = excluded.metadata, sanitised = excluded.sanitised,
    source = excluded.source, trust = excluded.trust, writer = excluded.writer, salt = excluded.salt,
    seal = excluded.seal, crc = excluded.crc, content = excluded.content
WHERE message_id = excluded.message_id
"""
_SIGNAL = """
INSERT INTO signals (memory_key, signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end, version)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_key, signal_key) DO UPDATE SET
    sequence = excluded.sequence, chunk_index = excluded.chunk_index, kind = excluded.kind, start = excluded.start,
    "end" = excluded."end", block_start = excluded.block_start, block_end = excluded.block_end,
    version = excluded.version
"""
_VECTOR = """
INSERT INTO vectors (memory_key, signal_key, dim, vector, crc) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (memory_key, signal_key) DO UPDATE SET dim = excluded.dim, vector = excluded.vector, crc = excluded.crc
"""
_WEIGHT = """
INSERT INTO weights (memory_key, signal_key, base_weight, last_used_turn, uses, stack_key, version, crc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_key, signal_key) DO UPDATE SET
    base_weight = excluded.base_weight, last_used_turn = excluded.last_used_turn, uses = excluded.uses,
    stack_key = excluded.stack_key, version = excluded.version, crc = excluded.crc
"""
_LEARN = """
UPDATE weights SET base_weight = min(max(base_weight * ?, ?), ?), last_used_turn = max(last_used_turn, ?),
                   uses = uses + ?, version = ?, crc = ?
WHERE memory_key = ? AND signal_key = ?
"""
_CUE = """
INSERT INTO cues (memory_key, signal_key, question, version, dim, vector, crc) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_key, signal_key, question) DO NOTHING
"""
_OLD_CUES = """
DELETE FROM cues WHERE memory_key = ?1 AND (signal_key, question) IN (
    SELECT signal_key, question FROM cues WHERE memory_key = ?1
    ORDER BY version DESC, signal_key DESC, question DESC LIMIT -1 OFFSET ?2)
"""
_STACK = """
INSERT INTO stacks (memory_key, stack_key, size, dim, version, total, crc) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_key, stack_key) DO UPDATE SET
    size = excluded.size, dim = excluded.dim, version = excluded.version, total = excluded.total, crc = excluded.crc
"""
_WORDS = """
INSERT INTO words (memory_key, sequence, version, conversation_id, name, role, day, characters, question, source, trust,
                   writer, fingerprint, rules, terms, counts, days, replaces, crc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_key, sequence) DO UPDATE SET
    version = excluded.version, conversation_id = excluded.conversation_id, name = excluded.name, role = excluded.role,
    day = excluded.day, characters = excluded.characters, question = excluded.question, source = excluded.source,
    trust = excluded.trust, writer = excluded.writer, fingerprint = excluded.fingerprint, rules = excluded.rules,
    terms = excluded.terms, counts = excluded.counts, days = excluded.days, replaces = excluded.replaces,
    crc = excluded.crc
"""
_CREDIT = """
INSERT INTO credits (memory_key, version, position, signal_key, turn, action, contribution, old_weight, new_weight,
                     created_at, old_last_used_turn, old_uses, conversation, crc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_QUARANTINE = """
INSERT INTO quarantines (memory_key, field, value, crc) VALUES (?, ?, ?, ?)
ON CONFLICT (memory_key, field, value) DO NOTHING
"""
_RELEASE = "DELETE FROM quarantines WHERE memory_key = ? AND field = ? AND value = ?"
_UNLEARN = "DELETE FROM credits WHERE memory_key = ? AND version > ?"
_DELETE_MESSAGES = "DELETE FROM messages WHERE memory_key = ? AND sequence IN (SELECT value FROM json_each(?))"
_DELETE_SIGNALS = "DELETE FROM signals WHERE memory_key = ? AND signal_key IN (SELECT value FROM json_each(?))"
_DELETE_STACKS = "DELETE FROM stacks WHERE memory_key = ? AND stack_key IN (SELECT value FROM json_each(?))"
_DELETE_CUE = "DELETE FROM cues WHERE memory_key = ? AND signal_key = ? AND question = ?"
_WIPE = (
    "DELETE FROM packs WHERE memory_key = ?",
    "DELETE FROM changed_weights WHERE memory_key = ?",
    "DELETE FROM messages WHERE memory_key = ?",
    "DELETE FROM stacks WHERE memory_key = ?",
    "DELETE FROM credits WHERE memory_key = ?",
    "DELETE FROM journal WHERE memory_key = ?",
    "DELETE FROM quarantines WHERE memory_key = ?",
)
"""Signals, vectors, weights, cues and words go with their messages."""

_DELETE_HEAD = "DELETE FROM memories WHERE memory_key = ?"

_VALUES = "VALUES ("
_ROWS = 64
"""Rows to a statement where there are many: no statement has more than 20 values a row, so that it stays small, and a
hundred thousand rows are some 1,500 statements."""

_OF_SIGNALS = " AND signal_key IN (SELECT value FROM json_each(?))"


class SqliteWriting(SqliteReading, WriteTransaction):
    """One memory in a database, read and written while the write lock is held."""

    def __init__(self, database: Database, memory_id: str, path: str, found_right: FoundRight) -> None:
        super().__init__(database, memory_id, path, found_right)
        self._writable = database
        self._connection = database.conn
        self.erased = False
        """Whether text, words, vectors or the value of a rule were deleted or replaced."""
        self._erased_key: int | None = None
        """The memory's number in the database, if they were."""

    def apply(self, changes: Changes, *, now: datetime) -> Head:
        """Write `changes` and return the head with its new version.

        Raises:
            InputError: something in `changes` cannot be stored; nothing was written.
            VectorError: a vector is not finite float32 of the memory's dimension; nothing was written.
            StoreError: the database failed or refused; nothing of `changes` is in it, and the block may go on.
        """
        self._check_open()
        changes, now = checked(changes, self._origin.memory_id), utc(now)
        head = next_head(changes, self._head)
        created_at = self._created_at or time_text(now)
        with Faults(self._path), self._writable.atomic():
            key = self._write_head(head, created_at)
            noting = Noting(self._connection, key, changes)
            self._delete(changes, key)
            self._write_messages(changes.messages, key)
            self._write_signals(changes.signals, key, head.version)
            self._many(_WEIGHT, [weight_row(weight, key, head.version) for weight in changes.weights])
            self._write_cues(changes.cues, key, head.version)
            self._many(_STACK, [stack_row(stack, key, head.version) for stack in changes.stacks])
            self._many(_WORDS, [words_row(words, key, head.version) for words in changes.words])
            self._log(changes.credits, key, head.version)
            self._learn(changes.learned, key, head.version, now, len(changes.credits))
            self._many(_RELEASE, [quarantine_row(rule, key)[:3] for rule in changes.released])
            self._many(_QUARANTINE, [quarantine_row(rule, key) for rule in changes.quarantined])
            noting.note(head, now)
            self._pack(changes, key, head)
            erases = head.deletion_version == head.version or bool(changes.released) or self._replaces(changes)
            if erases:
                self._images.drop(key)
                self._erased_key = key
        self.erased = self.erased or erases
        self._key, self._head, self._created_at = key, head, created_at
        return head

    def remove(self) -> None:
        """Delete the memory with all its rows.

        Raises:
            StoreError: the database failed or refused; nothing was deleted.
        """
        self._check_open()
        if self._key is None:
            return
        with Faults(self._path), self._writable.atomic():
            for statement in (*_WIPE, _DELETE_HEAD):
                self._connection.execute(statement, (self._key,))
            self._images.drop(self._key)
        self.erased, self._erased_key = True, self._key
        self._key, self._head, self._created_at = None, None, ""

    def drop_image(self) -> None:
        """Delete images of the memory. One that cannot be deleted now is when it is seen, for it fits no more."""
        if self._erased_key is not None:
            with suppress(StoreError):
                self._images.drop(self._erased_key)

    def _write_head(self, head: Head, created_at: str) -> int:
        """Write the memory's row and return its key."""
        row = head_row(head, created_at)
        if self._key is None:
            # SQLite has given the row a number: it is not a table without one.
            return int(self._connection.execute(_NEW_HEAD, row).lastrowid or 0)
        # The id and when the memory was made never change.
        self._connection.execute(_HEAD, (*row[1:-2], row[-1], self._key))
        return self._key

    def _delete(self, changes: Changes, key: int) -> None:
        if changes.target is not None:
            self._connection.execute(_UNLEARN, (key, changes.target))
        if changes.wipe:
            for statement in _WIPE:
                self._connection.execute(statement, (key,))
        for statement, numbers in (
            (_DELETE_MESSAGES, changes.deleted_messages),
            (_DELETE_SIGNALS, changes.deleted_signals),
            (_DELETE_STACKS, changes.deleted_stacks),
        ):
            if numbers:
                self._connection.execute(statement, (key, list_text(numbers)))
        self._many(_DELETE_CUE, [(key, int(signal), int(question)) for signal, question in changes.deleted_cues])

    def _write_messages(self, messages: Sequence[Message], key: int) -> None:
        written = self._many(_MESSAGE, [message_row(message, key) for message in messages])
        if written != len(messages):
            raise StoreError("a stored message cannot get another message_id; nothing was written")

    def _write_signals(self, signals: Sequence[SignalRow], key: int, version: int) -> None:
        rows = [signal_row(signal, key, version) for signal in signals]
        self._many(_SIGNAL, rows)
        self._many(_VECTOR, [vector_row(row, signal.vector) for row, signal in zip(rows, signals, strict=True)])

    def _write_cues(self, cues: Sequence[CueRow], key: int, version: int) -> None:
        """Write cues, and let go of the oldest if they are too many."""
        if cues:
            self._many(_CUE, [cue_row(cue, key, version) for cue in cues])
            self._connection.execute(_OLD_CUES, (key, CUES_KEPT))

    def _pack(self, changes: Changes, key: int, head: Head) -> None:
        """Pack what has filled a span."""
        for table, following, written in (
            (SIGNALS, head.next_signal, len(changes.signals)),
            (PACKED_WEIGHTS, head.next_signal, len(changes.weights)),
            (WORDS, head.next_sequence, max(len(changes.messages), len(changes.words))),
        ):
            packs = new_packs(self._blocks, table, key, following, written)
            self._many(PACK, packs)
            if table is PACKED_WEIGHTS:
                self._many(UNCHANGED, [(key, *span(part)) for _, _, part, *_ in packs])

    def _log(self, entries: Sequence[CreditRow], key: int, version: int) -> None:
        """Take over entries of another learning log."""
        self._many(_CREDIT, [credit_row(entry, key, version, position) for position, entry in enumerate(entries)])

    def _learn(self, steps: Sequence[Learned], key: int, version: int, now: datetime, position: int) -> None:
        """Change weights that are there, and log it from `position`. The checksum is of what the UPDATE computes."""
        if not steps:
            return
        found = self._select(WEIGHTS + _OF_SIGNALS, key, list_text(step.key for step in steps))
        weights = {row[1]: weight_from(row, self._origin) for row in found}
        updates: list[Row] = []
        entries: list[Row] = []
        for step in steps:
            old = weights.get(step.key)
            if old is None:
                continue
            new = weights[step.key] = after_learning(old, step)
            crc = weight_row(new, key, version)[-1]
            updates.append(
                (step.factor, step.low, step.high, step.last_used_turn, int(step.used), version, crc, key, step.key)
            )
            entries.append(credit_row(credit_of(step, old, new, now), key, version, position + len(entries)))
        self._many(_LEARN, updates)
        self._many(_CREDIT, entries)

    def _replaces(self, changes: Changes) -> bool:
        """Whether stored messages got new texts, or new words."""
        if self._head is None:
            return False
        written = [message.sequence for message in changes.messages] + [words.sequence for words in changes.words]
        return bool(written) and min(written) < self._head.next_sequence

    def _many(self, statement: str, rows: Sequence[Row]) -> int:
        """Execute a statement for each row; how many rows of the table it changed."""
        if not rows:
            return 0
        alone, changed = len(rows), 0
        if _VALUES in statement:
            # At the end of each statement SQLite goes through all that this transaction keeps for going back, which
            # makes thousands of statements over old rows quadratic: many rows to a statement.
            alone %= _ROWS
            together = _of_rows(statement)
            for first in range(0, len(rows) - alone, _ROWS):
                values = [value for row in rows[first : first + _ROWS] for value in row]
                changed += self._connection.execute(together, values).rowcount
        single = rows[len(rows) - alone :]
        return changed + (self._connection.executemany(statement, single).rowcount if single else 0)


@cache
def _of_rows(statement: str) -> str:
    """The statement that inserts `_ROWS` rows at once, made of the one that inserts a row."""
    before, values, after = statement.partition(_VALUES)
    marks, end, rest = after.partition(")")
    row = f"({marks}{end}"
    return before + values.removesuffix("(") + ", ".join([row] * _ROWS) + rest
