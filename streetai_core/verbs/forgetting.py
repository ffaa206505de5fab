"""Erasing for good: rows, files and caches, with proof."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import EllipsisType

import numpy as np

from streetai_core.aio import twin
from streetai_core.conductor import Conductor
from streetai_core.errors import DamagedFileError, InputError, StoreError
from streetai_core.knowledge import clauses, updates, wording
from streetai_core.observing.observer import observed
from streetai_core.planning.quarantining import outlived
from streetai_core.planning.writing import plan_delete
from streetai_core.prompt import block
from streetai_core.recall.naming import meant
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, WriteTransaction
from streetai_core.stores.metadata import metadata_text
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.rows import vector_bytes
from streetai_core.stores.traces import Traces
from streetai_core.stores.types import Changes, Erased, MessageQuery, Rows, WordsRow
from streetai_core.text import names, spoken, words
from streetai_core.text.clean import check_id, clean
from streetai_core.tokens import count_stored
from streetai_core.types import KeptVector, Message
from streetai_core.upkeep.receipts import Receipt, Scope
from streetai_core.verbs.arguments import check_text
from streetai_core.verbs.stored import texts_of

_KEEPS_TEXT = (
    clauses.clauses,
    updates.passages_of,
    wording.stem,
    words.stem,
    words.hashed,
    words.terms_of_word,
    words.parts_of_word,
    spoken.prose_of_short,
    names.naming_words,
    names.mention,
    block.shown,
    block.like_a_role,
)
"""Functions that remember what they were given lately: texts, words of texts, names."""


_END = 96
"""Bytes of each end of a vector that are looked for; all of 100,000 vectors would take a gigabyte to look for."""


@dataclass(slots=True)
class _Forgotten:
    """What one transaction deletes, as far as it has to be looked for afterwards."""

    rows: Counter[str] = field(default_factory=Counter)
    values: list[bytes] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    unread: tuple[str, ...] = ()
    """Why some of the values are not known."""

    def add_messages(self, messages: Iterable[Message]) -> None:
        """Everything that messages say and are called."""
        for message in messages:
            self.rows["messages"] += 1
            self.texts.append(message.content)
            self.values += [
                message.content.encode(),
                metadata_text(message.metadata).encode(),
                *(name.encode() for name in _names(message) if name),
            ]

    def add_words(self, rows: Iterable[WordsRow]) -> None:
        """What messages are found by, as it is stored: older rules may have cut other words."""
        self.values += [row.terms.astype("<u4").tobytes() for row in rows]

    def add_rules(self, rules: Iterable[Quarantine]) -> None:
        """What rules of quarantine hide, by name."""
        self.values += [rule.value.encode() for rule in rules if isinstance(rule.value, str)]


class Forgetting(Conductor):
    """The verb that erases."""

    @observed(lambda receipt: receipt.rows, "forget")
    def forget(
        self,
        *,
        message: str | None = None,
        conversation: str | EllipsisType | None = ...,
        author: str | None = None,
        everything: bool = False,
    ) -> Receipt:
        """Erase messages with all that was made of them, from the database, its log and the caches, and verify it.

        Rows are deleted in one transaction, as `delete_message` does it. Then the write-ahead log is copied and cut,
        what this process has cached of the texts is dropped, and the files are searched, byte by byte, for pieces of
        what was erased. If a file still has some, it is rewritten. What a killed backup left in the folder of the
        database goes too. Backups and exports are other files: erase or replace them yourself.

        A rule of quarantine of a conversation or a writer of which nothing is left goes on, as a salted hash.

        Args:
            message: the id of one message.
            conversation: all messages of one conversation; `None` is the one without an id.
            author: all messages of the author with this name.
            everything: True: the whole memory, as `MemoryRegistry.forget` does it; other handles on it raise
                `StaleMemoryError` from then on, this one is an empty memory.

        Returns:
            What was deleted and what was verified; see `Receipt.complete`. If there was nothing, `Receipt.found` is
            False and the rest is empty: asking again is no error.

        Raises:
            InputError: not exactly one of the arguments was given, or it cannot be used.
            StoreError: the database failed before the rows were deleted, or while it committed that: call it again.
        """
        given = [message is not None, not isinstance(conversation, EllipsisType), author is not None, bool(everything)]
        if sum(given) != 1:
            raise InputError(
                "give exactly one of message, conversation, author and everything=True; conversation=None is the "
                "conversation without an id"
            )
        if everything:
            if everything is not True:
                raise InputError(f"everything must be True or False, got {everything!r}")
            return self._forget_everything()
        for value, what in ((message, "message"), (author, "author")):
            if value is not None:
                check_text(value, what)
        if message is not None:
            return self._forget_messages("message", MessageQuery(message_id=message))
        if isinstance(conversation, EllipsisType):
            # A name is stored clean, and what the app calls somebody by may not be.
            return self._forget_messages("author", MessageQuery(), clean(author or "")[0])
        if conversation is not None:
            conversation = check_id(conversation, "conversation")
        return self._forget_messages("conversation", MessageQuery(conversation_id=conversation, any_conversation=False))

    def _forget_messages(self, scope: Scope, query: MessageQuery, author: str | None = None) -> Receipt:
        """Erase the messages that a query finds, and of them those of one author if one is given."""
        named = {query.conversation_id} - {None}

        def found_in(transaction: ReadTransaction) -> list[Message]:
            return [one for one in transaction.messages(query) if author is None or one.name == author]

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, _Forgotten]:
            forgotten = _Forgotten()
            found = found_in(transaction)
            rules = outlived(transaction, state, found, named)
            if not found and not rules:
                return None, forgotten
            tokens = {one.sequence: count_stored(one, self._around.counter) for one in found}
            changes = plan_delete(state, tokens, [one.content for one in found], self.config)
            forgotten.add_messages(found)
            forgotten.add_words(transaction.words([one.sequence for one in found]))
            self._add_signals(forgotten, transaction, state, changes, found)
            forgotten.add_rules(rules)
            forgotten.rows["quarantines"] = sum(rule.field == "message" for rule in rules)
            kept = [rule.veiled() for rule in rules if rule.field != "message"]
            return replace(changes, released=rules, quarantined=kept), forgotten

        with self._coherent.reading() as (transaction, state):
            found = [] if state is None else found_in(transaction)
            nothing = state is None or not (found or outlived(transaction, state, found, named))
        if nothing:
            return self._receipt(scope, _Forgotten())
        with self._coherent.written(plan) as (forgotten, _):
            # The arrays have room to spare, where the vectors still stand.
            self._coherent.forget()
        return self._receipt(scope, forgotten)

    def _add_signals(
        self,
        forgotten: _Forgotten,
        transaction: ReadTransaction,
        state: MemoryState,
        changes: Changes,
        messages: list[Message],
    ) -> None:
        """The rows that go with the messages, and the vectors and the texts that were embedded."""
        gone = set(changes.deleted_signals)
        rows = state.columns.rows(changes.deleted_signals)
        for vector in state.columns.vectors_of(rows):
            forgotten.values += _ends(vector)
        cues = {name for name in state.cues if name[0] in gone}.union(changes.deleted_cues)
        for vector in state.cues.vectors_of(cues):
            forgotten.values += _ends(vector)
        forgotten.texts += _embedded(state, messages)
        forgotten.rows.update(
            signals=len(gone),
            vectors=len(gone),
            weights=len(gone),
            stacks=len(changes.deleted_stacks),
            words=sum(one.sequence in state.words for one in messages),
            cues=len(cues),
            credits=sum(entry.key in gone for entry in transaction.credits()),
        )

    def _forget_everything(self) -> Receipt:
        """Erase the memory itself."""
        with self._around.store.reading(self.memory_id) as transaction:
            nothing = transaction.head is None
        if nothing:
            return self._receipt("everything", _Forgotten())
        forgotten = self._coherent.remove(self._everything)
        return self._receipt("everything", forgotten)

    def _everything(self, transaction: WriteTransaction) -> _Forgotten:
        """All rows; of a damaged memory those that can be read, so that it can be erased too."""
        forgotten = _Forgotten()
        if transaction.head is None:
            return forgotten
        forgotten.rows["memories"] = 1
        forgotten.values.append(self.memory_id.encode())
        try:
            rows = transaction.rows(None)
            if rows is not None:
                _add_rows(forgotten, rows)
                forgotten.add_rules(rows.quarantine)
            messages = transaction.messages(MessageQuery())
            forgotten.add_messages(messages)
            forgotten.rows["credits"] = len(transaction.credits())
            if rows is not None:
                forgotten.texts += _embedded(MemoryState.of(rows), messages)
        except DamagedFileError as error:
            forgotten.unread = (f"the files were not searched for all of it, because not all could be read: {error}",)
        return forgotten

    def _receipt(self, scope: Scope, forgotten: _Forgotten) -> Receipt:
        """Do what is left to do after the deletion, and say what was done."""
        for function in _KEEPS_TEXT:
            function.cache_clear()
        # Patterns of names are in Python's own cache, too.
        re.purge()
        self._around.encoder.forget(forgotten.texts)
        erased = self._erased(forgotten)
        return Receipt(
            memory_id=self.memory_id,
            scope=scope,
            # A rule of quarantine that goes on without its name is no row that was deleted.
            found=any(forgotten.rows.values()) or bool(forgotten.values),
            rows={table: number for table, number in sorted(forgotten.rows.items()) if number},
            files=erased.files,
            residual=erased.residual,
            pending=(*erased.pending, *forgotten.unread),
            erased_at=self._around.clock(),
        )

    def _erased(self, forgotten: _Forgotten) -> Erased:
        """What became of the files; the rows are gone whatever happens to them."""
        store = self._around.store
        try:
            return store.erase(Traces(forgotten.values)) if forgotten.values else Erased(pending=store.settle())
        except StoreError as error:
            return Erased(pending=(f"the files were not searched: {error}",))

    aforget = twin(forget, writes=True)


def _names(message: Message) -> tuple[str | None, ...]:
    """What a message is called, where it belongs, and who wrote it."""
    return message.message_id, message.conversation_id, message.name, message.writer


def _embedded(state: MemoryState, messages: Iterable[Message]) -> Iterator[str]:
    """What an encoder was given of messages: their signals, and as questions what those mean."""
    for text in texts_of(state, messages).values():
        yield from (text, meant(text, state.words))


def _add_rows(forgotten: _Forgotten, rows: Rows) -> None:
    forgotten.values += _vectors(rows)
    forgotten.add_words(rows.words)
    forgotten.rows.update(
        signals=len(rows.signals),
        vectors=len(rows.signals),
        weights=len(rows.weights),
        stacks=len(rows.stacks),
        words=len(rows.words),
        cues=len(rows.cues),
    )


def _vectors(rows: Rows) -> Iterator[bytes]:
    for signal in rows.signals:
        yield from _ends(signal.vector)
    for stack in rows.stacks:
        yield from _ends(stack.total)
    for cue in rows.cues:
        yield from _ends(cue.vector)


def _ends(vector: KeptVector) -> Iterator[bytes]:
    """The first and the last numbers of a vector as they are stored: enough to find any copy of it.

    In both precisions where half has these numbers: RAM does not know in which of them a row is written.
    """
    with np.errstate(over="ignore"):
        half = vector.astype(np.float16)
    single = vector.astype(np.float32)
    for numbers in (single, half) if np.array_equal(single, half) else (single,):
        data = vector_bytes(numbers)
        yield data if len(data) <= 2 * _END else data[:_END] + data[-_END:]
