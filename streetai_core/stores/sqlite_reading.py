"""Reading one memory from SQLite, inside a transaction that somebody else opened."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import numpy as np
from sqlite_utils import Database

from streetai_core.errors import DamagedFileError, StoreError
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.belonging import Keys, check_belonging
from streetai_core.stores.checksums import Integers, wholes
from streetai_core.stores.columns import Loaded, StackArrays
from streetai_core.stores.completeness import Counts, check_count, check_once, counts_of, message_keys
from streetai_core.stores.faults import Faults
from streetai_core.stores.images import Content, Image, Images
from streetai_core.stores.index_checks import FoundRight, check_ids, check_indexes, check_texts
from streetai_core.stores.journal import entry_from
from streetai_core.stores.provenance import Edit, JournalRow, Origins
from streetai_core.stores.rows import (
    Origin,
    Row,
    credit_from,
    cue_from,
    head_from,
    message_from,
    quarantine_from,
    signal_from,
    stack_from,
    weight_from,
)
from streetai_core.stores.selects import CREDITS, CUES, HEADS, MESSAGES, QUARANTINES, SIGNALS, STACKS, WEIGHTS, WORDS
from streetai_core.stores.sqlite_audit import JOURNAL, edits
from streetai_core.stores.sqlite_images import DELETION, fitting_image, keep_image
from streetai_core.stores.sqlite_loading import (
    ILL_FORMED,
    ascending,
    load_signals,
    load_stacks,
    load_vectors,
    load_weights,
    load_words,
)
from streetai_core.stores.types import CreditRow, Head, MessageQuery, Rows, WordsRow
from streetai_core.stores.values import is_complete
from streetai_core.stores.words_rows import words_from
from streetai_core.types import KeptMatrix, Message

Value = TypeVar("Value")

_OF_MEMORY = " WHERE memory_id = ?"
_ORIGINS = """
SELECT source, writer, count(*) FROM messages WHERE memory_key = ?
GROUP BY source, writer ORDER BY source, writer
"""

_SINCE = " AND version > ?"
_BY_SIGNAL = " ORDER BY signals.signal_key"
_BY_WEIGHT = " ORDER BY weights.signal_key"
_BY_CUE = " ORDER BY signal_key, question"
_BY_STACK = " ORDER BY stack_key"
_BY_SEQUENCE = " ORDER BY sequence"
_BY_STEP = " ORDER BY version, position"
_BEFORE = " AND sequence < ?"
_AFTER = " AND sequence > ?"
_OLDEST = " ORDER BY sequence LIMIT ?"
_NEWEST = " ORDER BY sequence DESC LIMIT ?"
_OF_SIGNAL = " AND signal_key = ?"
_OF_SIGNALS = " AND signals.signal_key IN (SELECT value FROM json_each(?))"
_BOOSTED = """
 AND signal_key IN (SELECT value FROM json_each(?)) AND action = 'boost' AND conversation = ?
"""
_OF_MESSAGE = " AND message_id = ?"
_OF_CONVERSATION = " AND conversation_id IS ?"
_OF_ROLES = " AND role IN (SELECT value FROM json_each(?))"
_OF_SEQUENCES = " AND sequence IN (SELECT value FROM json_each(?))"
"""One parameter for any number of values; SQLite limits how many parameters there may be."""

_BLOCK = 512
"""Rows that are fetched at once where there are many: with vectors they fit into a processor's cache."""

_NO_LIMIT = -1
"""SQLite's word for it."""

_key_of_row = itemgetter(1)
"""All tables have the memory's key first and the row's own second."""

_key_of_cue = attrgetter("key", "question")


_ALL_MESSAGES = MessageQuery()


class SqliteReading(ReadTransaction):
    """One memory as it is in an open transaction.

    Args:
        database: the connection; `None` if nothing was ever written.
        memory_id: whose rows.
        path: the database file, for errors.
        found_right: what the store has compared of its indexes.
    """

    def __init__(self, database: Database | None, memory_id: str, path: str, found_right: FoundRight) -> None:
        self._database = database
        self._found_right = found_right
        self._path = path
        self._origin = Origin(path, memory_id)
        self._key: int | None = None
        self._head: Head | None = None
        self._created_at = ""
        self._ended = False
        self._images = Images(path)
        self._kept_image = False
        rows = self._select(HEADS + _OF_MEMORY, memory_id) if database else []
        if rows:
            self._key = rows[0][0]
            self._head, self._created_at = head_from(rows[0][1:], self._origin)
        elif database:
            check_ids(found_right, self._select, path)

    @property
    def head(self) -> Head | None:
        """The memory's row; `None` if nothing was ever written."""
        return self._head

    def rows(self, since: int | None) -> Rows | None:
        """Rows written after version `since`, or all of them.

        Raises:
            DamagedFileError: a row does not fit its checksum; or, if all are read, a row or a message is missing.
        """
        if self._head is None:
            return None
        complete = is_complete(since, self._head)

        def changed(sql: str, order: str, decode: Callable[[Row, Origin], Value]) -> list[Value]:
            if complete:
                found = self._select(sql + order, self._key)
            else:
                # Asked to sort, SQLite would go through all rows of the memory instead of the index of versions.
                found = sorted(self._select(sql + _SINCE, self._key, since), key=_key_of_row)
            return [decode(row, self._origin) for row in found]

        rows = Rows(
            head=self._head,
            complete=complete,
            signals=changed(SIGNALS, _BY_SIGNAL, signal_from),
            weights=changed(WEIGHTS, _BY_WEIGHT, weight_from),
            stacks=changed(STACKS, _BY_STACK, stack_from),
            words=changed(WORDS, _BY_SEQUENCE, words_from),
            cues=sorted(changed(CUES, _BY_CUE, cue_from), key=_key_of_cue),
            quarantine=frozenset(quarantine_from(row, self._origin) for row in self._select(QUARANTINES, self._key)),
        )
        if complete:
            counts = self._counts()
            found = (rows.signals, rows.weights, rows.stacks, rows.words, rows.quarantine, rows.cues)
            counts.check([len(part) for part in found], self._origin)
            keys = Keys(
                messages=message_keys(self._select, self._key, counts, self._origin),
                signals=wholes([row.key for row in rows.signals]),
                said_in=wholes([row.sequence for row in rows.signals]),
                weights=wholes([row.key for row in rows.weights]),
                words=wholes([row.sequence for row in rows.words]),
                cues=wholes([row.key for row in rows.cues]),
            )
            check_belonging(keys, self._origin)
            check_once("signals", [row.key for row in rows.signals], self._origin)
            check_once("weights", [row.key for row in rows.weights], self._origin)
            check_once("stacks", [row.key for row in rows.stacks], self._origin)
            check_once("words rows", [row.sequence for row in rows.words], self._origin)
            check_once("cues", [(row.key, row.question) for row in rows.cues], self._origin)
            if self._key is not None:
                check_indexes(self._select, self._key, counts.messages, counts.sequences, self._origin)
        return rows

    def loaded(self) -> Loaded | None:
        """All rows, as columns.

        Raises:
            DamagedFileError: a row does not fit its checksum, or a row or a message is missing.
        """
        if self._head is None or self._key is None:
            return None
        # Row by row, it shows which one is damaged.
        return self._in_columns(self._head, self._key) or super().loaded()

    def _in_columns(self, head: Head, key: int) -> Loaded | None:
        """All rows; `None` if something does not fit, be it a row or only a pack."""
        try:
            return self._read_in_columns(head, key)
        except (*ILL_FORMED, DamagedFileError):
            # Only when this is over is the query closed that the error came from.
            return None

    def _read_in_columns(self, head: Head, key: int) -> Loaded:
        signals, written = load_signals(self._blocks, key, head.dim or 0)
        weights, weighed = load_weights(self._blocks, key)
        stacks, summed = load_stacks(self._blocks, key, head.dim or 0)
        words, told = load_words(self._blocks, key)
        cues = [cue_from(row, self._origin) for row in self._select(CUES + _BY_CUE, key)]
        rules = frozenset(quarantine_from(row, self._origin) for row in self._select(QUARANTINES, key))
        counts = self._counts()
        counts.check([len(part) for part in (written, weighed, summed, told, rules, cues)], self._origin)
        keys = Keys(
            messages=message_keys(self._select, self._key, counts, self._origin),
            signals=signals.key,
            said_in=signals.sequence,
            weights=weights.key,
            words=words.sequence,
            cues=wholes([cue.key for cue in cues]),
        )
        check_belonging(keys, self._origin)
        if not all(ascending(one) for one in (signals.key, weights.key, stacks.key, words.sequence)):
            raise ValueError("a row is found twice, in place of another one")
        versions = {"signals": written, "weights": weighed, "stacks": summed, "words": told}
        sums = {table: (len(column), int(column.sum())) for table, column in versions.items()}
        check_indexes(self._select, key, counts.messages, counts.sequences, self._origin, versions=sums)
        return Loaded(
            head=head, signals=signals, weights=weights, stacks=stacks, words=words, cues=cues, quarantine=rules
        )

    def image(self) -> Image | None:
        """An image that fits; `None` if there is none."""
        if self._head is None or self._key is None:
            return None
        return fitting_image(self._images, self._select, self._key, self._head)

    def keep_image(self, content: Content) -> None:
        """Keep an image of the memory as it is in this transaction, if the folder can be written."""
        if self._head is not None and self._key is not None:
            keep_image(self._images, self._select, self._key, self._head, content)
            self._kept_image = True

    def check_image(self) -> None:
        """Delete an image that was kept while somebody deleted rows. Call when the transaction is over.

        Raises:
            StoreError: it cannot be deleted.
        """
        if self._kept_image and self._head is not None and self._key is not None and self._database is not None:
            found = self._database.conn.execute(DELETION, (self._key,)).fetchall()
            if any(deleted > self._head.version for (deleted,) in found):
                self._images.drop(self._key)

    def vectors(self, keys: Integers) -> KeptMatrix:
        """The vectors of some signals, ascending.

        Raises:
            DamagedFileError: a row does not fit its checksum, or is missing.
        """
        dim = (self._head and self._head.dim) or 0
        with suppress(*ILL_FORMED):
            return load_vectors(self._blocks, self._key or 0, keys, dim)
        # Row by row, it shows which one is damaged.
        rows = sorted(self._select(SIGNALS + _OF_SIGNALS, self._key, list_text(keys)), key=_key_of_row)
        signals = [signal_from(row, self._origin) for row in rows]
        check_count("signals", len(signals), len(keys), self._origin)
        return np.stack([signal.vector.astype(np.float32) for signal in signals])

    def stacks(self) -> StackArrays:
        """All stacks.

        Raises:
            DamagedFileError: a row does not fit its checksum, or is missing.
        """
        with suppress(*ILL_FORMED):
            stacks, versions = load_stacks(self._blocks, self._key or 0, (self._head and self._head.dim) or 0)
            check_count("stacks", len(versions), self._counts().stacks, self._origin)
            return stacks
        return super().stacks()

    def messages(self, query: MessageQuery) -> list[Message]:
        """Messages with their texts.

        Raises:
            DamagedFileError: a row does not fit its checksum.
        """
        sql = MESSAGES
        values: list[Any] = [self._key]
        if query.sequences is not None:
            sql += _OF_SEQUENCES
            values.append(list_text(query.sequences))
        if query.message_id is not None:
            sql += _OF_MESSAGE
            values.append(query.message_id)
        if not query.any_conversation:
            sql += _OF_CONVERSATION
            values.append(query.conversation_id)
        if query.roles is not None:
            sql += _OF_ROLES
            values.append(json.dumps(list(query.roles)))
        if query.before is not None:
            sql += _BEFORE
            values.append(query.before)
        if query.after is not None:
            sql += _AFTER
            values.append(query.after)
        oldest_first = query.first is not None
        limit = query.first if oldest_first else query.last
        values.append(_NO_LIMIT if limit is None else max(0, limit))
        order = _OLDEST if oldest_first else _NEWEST
        try:
            rows = self._select(sql + order, *values)
        except UnicodeEncodeError:
            # An id with a lone surrogate is never stored.
            return []
        if query == _ALL_MESSAGES:
            check_count("messages", len(rows), self._counts().messages, self._origin)
        elif not query.any_conversation or (query.message_id is not None and not rows):
            self._check_texts()
        return [message_from(row, self._origin) for row in (rows if oldest_first else reversed(rows))]

    def words(self, sequences: Sequence[int]) -> list[WordsRow]:
        """The words rows of messages, of those that have one.

        Raises:
            DamagedFileError: a row does not fit its checksum.
        """
        rows = self._select(WORDS + _OF_SEQUENCES + _BY_SEQUENCE, self._key, list_text(sequences))
        return [words_from(row, self._origin) for row in rows]

    def credits(self, key: int | None = None) -> list[CreditRow]:
        """The learning log, of one signal or of all, oldest first.

        Raises:
            DamagedFileError: a row does not fit its checksum.
        """
        found = (
            self._select(CREDITS + _BY_STEP, self._key)
            if key is None
            else self._select(CREDITS + _OF_SIGNAL + _BY_STEP, self._key, key)
        )
        if key is None:
            check_count("learning steps", len(found), self._counts().credits, self._origin)
        return [credit_from(row, self._origin) for row in found]

    def boosts(self, keys: Collection[int], conversation: int) -> Mapping[int, int]:
        """How often each of some signals was boosted in a conversation; only of those that were.

        Raises:
            DamagedFileError: a row does not fit its checksum.
        """
        found = self._select(CREDITS + _BOOSTED, self._key, list_text(keys), conversation)
        return Counter(credit_from(row, self._origin).key for row in found)

    def journal(self) -> list[JournalRow]:
        """What was done to messages since the last reset, oldest first.

        Raises:
            DamagedFileError: a row does not fit its checksum, or is missing.
        """
        found = self._select(JOURNAL, self._key)
        check_count("journal entries", len(found), self._counts().journal, self._origin)
        return [entry_from(row, self._origin) for row in found]

    def edits(self) -> list[Edit]:
        """What was done to messages behind the library, as far as it shows."""
        if self._head is None or self._key is None:
            return []
        return edits(self._select, self._key, self._head.next_sequence, self._origin)

    def origins(self) -> list[Origins]:
        """Who wrote how many messages, by source and writer, sorted."""
        return [Origins(source=row[0], writer=row[1], messages=row[2]) for row in self._select(_ORIGINS, self._key)]

    def end(self) -> None:
        """The transaction is over: whoever kept this object can read nothing any more."""
        self._ended = True

    def _counts(self) -> Counts:
        """How many rows there should be."""
        return counts_of(self._select, self._key)

    def _check_texts(self) -> None:
        """What is not found by a text is not there."""
        if self._key is not None:
            check_texts(self._found_right, self._select, self._key, self._counts().messages, self._origin)

    def _check_open(self) -> None:
        if self._ended:
            raise StoreError("the reading or writing block of this transaction has ended; open a new one")

    def _select(self, sql: str, *values: Any) -> list[Row]:
        """All rows of a query. Fetched at once: a query that is half read keeps the log from being copied."""
        self._check_open()
        if self._database is None:
            return []
        with Faults(self._path):
            return self._database.conn.execute(sql, values).fetchall()

    def _blocks(self, sql: str, *values: Any) -> Iterator[list[Row]]:
        """All rows of a query in blocks. Read it to its end: a query that is half read keeps the log from being copied.

        A block's rows are gone from RAM before the next are made, which is quicker than room for all of them.
        """
        self._check_open()
        if self._database is None:
            return
        with Faults(self._path), closing(self._database.conn.execute(sql, values)) as cursor:
            while block := cursor.fetchmany(_BLOCK):
                yield block


def list_text(numbers: Iterable[int]) -> str:
    """Whole numbers as the one parameter of `json_each`."""
    return json.dumps([int(number) for number in numbers])
