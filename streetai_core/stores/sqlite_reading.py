"""Reading one memory from SQLite, inside a transaction that somebody else opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

import numpy as np
from sqlite_utils import Database

from streetai_core.arrays import Integers
from streetai_core.errors import DamagedFileError, StoreError
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.columns import Loaded, StackArrays
from streetai_core.stores.completeness import Counts, check_count, counts_of
from streetai_core.stores.faults import Faults
from streetai_core.stores.images import Content, Image, Images
from streetai_core.stores.index_checks import FoundRight, check_ids, check_texts
from streetai_core.stores.journal import entry_from
from streetai_core.stores.provenance import Edit, JournalRow, Origins
from streetai_core.stores.rows import Origin, Row, credit_from, head_from, key_of_row, message_from, signal_from
from streetai_core.stores.selects import BY_SEQUENCE, CREDITS, HEADS, OF_SEQUENCES, SIGNALS, WORDS, list_text
from streetai_core.stores.sqlite_audit import JOURNAL, edits
from streetai_core.stores.sqlite_columns import ILL_FORMED
from streetai_core.stores.sqlite_images import DELETION, fitting_image, keep_image
from streetai_core.stores.sqlite_loading import load, load_stacks
from streetai_core.stores.sqlite_messages import messages_statement
from streetai_core.stores.sqlite_rows import read_rows
from streetai_core.stores.sqlite_vectors import vectors_of_some
from streetai_core.stores.types import CreditRow, Head, MessageQuery, Rows, WordsRow
from streetai_core.stores.words_rows import words_from
from streetai_core.types import KeptMatrix, Message

_OF_MEMORY = " WHERE memory_id = ?"
_ORIGINS = """
SELECT source, writer, count(*) FROM messages WHERE memory_key = ?
GROUP BY source, writer ORDER BY source, writer
"""

_BY_STEP = " ORDER BY version, position"
_OF_SIGNAL = " AND signal_key = ?"
_OF_SIGNALS = " AND signals.signal_key IN (SELECT value FROM json_each(?))"
_BOOSTED = """
 AND signal_key IN (SELECT value FROM json_each(?)) AND action = 'boost' AND conversation = ?
"""

_BLOCK = 512
"""Rows that are fetched at once where there are many: with vectors they fit into a processor's cache."""

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
        if self._head is None or self._key is None:
            return None
        return read_rows(self._select, self._key, self._head, since, self._origin)

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
            return load(self._select, self._blocks, key, head, self._origin)
        except (*ILL_FORMED, DamagedFileError):
            # Only when this is over is the query closed that the error came from.
            return None

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
            return vectors_of_some(self._blocks, self._key or 0, keys, dim)
        # Row by row, it shows which one is damaged.
        rows = sorted(self._select(SIGNALS + _OF_SIGNALS, self._key, list_text(keys)), key=key_of_row)
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
        sql, values = messages_statement(query)
        try:
            rows = self._select(sql, self._key, *values)
        except UnicodeEncodeError:
            # An id with a lone surrogate is never stored.
            return []
        if query == _ALL_MESSAGES:
            check_count("messages", len(rows), self._counts().messages, self._origin)
        elif not query.any_conversation or (query.message_id is not None and not rows):
            self._check_texts()
        return [message_from(row, self._origin) for row in (reversed(rows) if query.first is None else rows)]

    def words(self, sequences: Sequence[int]) -> list[WordsRow]:
        """The words rows of messages, of those that have one.

        Raises:
            DamagedFileError: a row does not fit its checksum.
        """
        rows = self._select(WORDS + OF_SEQUENCES + BY_SEQUENCE, self._key, list_text(sequences))
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
