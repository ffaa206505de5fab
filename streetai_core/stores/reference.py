"""The store in plain dicts: what every other store is compared with. Nothing survives the process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from streetai_core.errors import ClosedError, MemoryBusyError, StoreError
from streetai_core.forking import fork_safe_lock
from streetai_core.stores.base import ReadTransaction, Store, WriteTransaction
from streetai_core.stores.blocks import OneBlock
from streetai_core.stores.journal import entry_of, is_worth_noting, touched
from streetai_core.stores.provenance import JournalRow, Origins, Quarantine
from streetai_core.stores.types import (
    Changes,
    CreditRow,
    CueRow,
    Head,
    MessageQuery,
    Rows,
    SignalRow,
    StackRow,
    WeightRow,
    WordsRow,
)
from streetai_core.stores.values import after_learning, checked, credit_of, is_complete, newest_cues, next_head, utc
from streetai_core.text.clean import check_id
from streetai_core.types import Message

Key = TypeVar("Key")
Value = TypeVar("Value")
Number = TypeVar("Number", bound=np.generic)


@dataclass(slots=True, kw_only=True)
class _Contents:
    """All rows of one memory by key; those that `rows` tells of with the version that wrote them."""

    head: Head
    messages: dict[int, Message] = field(default_factory=dict)
    signals: dict[int, tuple[int, SignalRow]] = field(default_factory=dict)
    weights: dict[int, tuple[int, WeightRow]] = field(default_factory=dict)
    stacks: dict[int, tuple[int, StackRow]] = field(default_factory=dict)
    words: dict[int, tuple[int, WordsRow]] = field(default_factory=dict)
    cues: dict[tuple[int, int], tuple[int, CueRow]] = field(default_factory=dict)
    """By signal and question."""
    credits: list[CreditRow] = field(default_factory=list)
    journal: list[JournalRow] = field(default_factory=list)
    quarantine: frozenset[Quarantine] = frozenset()

    def copied(self, head: Head) -> _Contents:
        """A copy under another head: the rows are shared, the dicts are not."""
        return _Contents(
            head=head,
            messages=dict(self.messages),
            signals=dict(self.signals),
            weights=dict(self.weights),
            stacks=dict(self.stacks),
            words=dict(self.words),
            cues=dict(self.cues),
            credits=list(self.credits),
            journal=list(self.journal),
            quarantine=self.quarantine,
        )


class ReferenceStore(Store):
    """All memories in dicts. A block works on a copy, which takes the place of the original when the block ends well.

    Safe to use from several threads, not shared between processes.

    Args:
        busy_timeout: seconds to wait for another thread's `writing` block.
    """

    def __init__(self, *, busy_timeout: float = 30.0) -> None:
        self._busy_timeout = busy_timeout
        self._memories: dict[str, _Contents] = {}
        self._write_lock = fork_safe_lock()
        self._block = OneBlock()
        self._closed = False

    @contextmanager
    def reading(self, memory_id: str) -> Iterator[ReadTransaction]:
        """A consistent view of one memory; what is committed meanwhile is not in it."""
        check_id(memory_id, "memory_id")
        self._check_open()
        with self._block():
            view = _ReferenceTransaction(memory_id, self._memories.get(memory_id))
            try:
                yield view
            finally:
                view.ended = True

    @contextmanager
    def writing(self, memory_id: str) -> Iterator[WriteTransaction]:
        """The write lock of all memories, with one memory to write.

        Raises:
            MemoryBusyError: the lock was not free in time.
        """
        check_id(memory_id, "memory_id")
        self._check_open()
        with self._block(), self._locked():
            writing = _ReferenceTransaction(memory_id, self._memories.get(memory_id))
            try:
                yield writing
            finally:
                writing.ended = True
            if writing.removed:
                self._memories.pop(memory_id, None)
            if writing.contents is not None:
                self._memories[memory_id] = writing.contents

    def memory_ids(self) -> list[str]:
        """The ids of all memories that were written and not forgotten since, sorted."""
        self._check_open()
        return sorted(self._memories)

    def close(self) -> None:
        """Refuse further use. Closing twice is fine."""
        self._closed = True

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = self._write_lock  # in a child that is forked inside the block there is another one
        if not lock.acquire(timeout=self._busy_timeout):
            raise MemoryBusyError(self._busy_timeout)
        try:
            yield
        finally:
            lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the store is closed; make a new one")


class _ReferenceTransaction(WriteTransaction):
    """One memory as it is, or as it becomes."""

    def __init__(self, memory_id: str, contents: _Contents | None) -> None:
        self._memory_id = memory_id
        self.contents = contents
        self.ended = False
        self.removed = False

    @property
    def head(self) -> Head | None:
        return None if self.contents is None else self.contents.head

    def rows(self, since: int | None) -> Rows | None:
        contents = self._open_contents()
        if contents is None:
            return None
        complete = is_complete(since, contents.head)
        after = -1 if complete or since is None else since
        return Rows(
            head=contents.head,
            complete=complete,
            signals=_changed(contents.signals, after),
            weights=_changed(contents.weights, after),
            stacks=_changed(contents.stacks, after),
            words=_changed(contents.words, after),
            cues=_changed(contents.cues, after),
            quarantine=contents.quarantine,
        )

    def messages(self, query: MessageQuery) -> list[Message]:
        contents = self._open_contents()
        if contents is None:
            return []
        there = contents.messages.keys()
        wanted = there if query.sequences is None else there & set(query.sequences)
        found = [one for sequence in sorted(wanted) if _matches(one := contents.messages[sequence], query)]
        if query.first is not None:
            return found[: max(0, query.first)]
        return found if query.last is None else found[max(0, len(found) - max(0, query.last)) :]

    def words(self, sequences: Sequence[int]) -> list[WordsRow]:
        contents = self._open_contents()
        words = {} if contents is None else contents.words
        return [words[sequence][1] for sequence in sorted({*sequences}) if sequence in words]

    def credits(self, key: int | None = None) -> list[CreditRow]:
        contents = self._open_contents()
        return [] if contents is None else [entry for entry in contents.credits if key is None or entry.key == key]

    def journal(self) -> list[JournalRow]:
        contents = self._open_contents()
        return [] if contents is None else list(contents.journal)

    def origins(self) -> list[Origins]:
        contents = self._open_contents()
        messages = [] if contents is None else contents.messages.values()
        counted = Counter((message.source, message.writer) for message in messages)
        return [
            Origins(source=source, writer=writer, messages=number)
            for (source, writer), number in sorted(counted.items(), key=_by_origin)
        ]

    def apply(self, changes: Changes, *, now: datetime) -> Head:
        before = self._open_contents()
        changes, now = checked(changes, self._memory_id), utc(now)
        head = next_head(changes, self.head)
        after = _Contents(head=head) if before is None or changes.wipe else before.copied(head)
        _delete(after, changes)
        _put(after, changes)
        after.credits.extend(replace(entry, version=head.version) for entry in changes.credits)
        _learn(after, changes, now)
        after.quarantine = after.quarantine.difference(changes.released).union(changes.quarantined)
        known = None if changes.wipe else before
        entry = entry_of(changes, head, _touched(known, changes), _touched(after, changes), now)
        if is_worth_noting(entry):
            after.journal.append(entry)
        self.contents = after
        return head

    def remove(self) -> None:
        self._open_contents()
        self.contents, self.removed = None, True

    def _open_contents(self) -> _Contents | None:
        if self.ended:
            raise StoreError("the reading or writing block of this transaction has ended; open a new one")
        return self.contents


def _changed(rows: Mapping[Any, tuple[int, Value]], after: int) -> list[Value]:
    """The rows that a version later than `after` wrote, by key."""
    return [value for _, (version, value) in sorted(rows.items(), key=lambda item: item[0]) if version > after]


def _matches(message: Message, query: MessageQuery) -> bool:
    """Whether a message, of those whose sequences are wanted, is wanted for all else."""
    return (
        (query.message_id is None or message.message_id == query.message_id)
        and (query.any_conversation or message.conversation_id == query.conversation_id)
        and (query.roles is None or message.role in query.roles)
        and (query.before is None or message.sequence < query.before)
        and (query.after is None or message.sequence > query.after)
    )


def _delete(contents: _Contents, changes: Changes) -> None:
    """Take rows out, and with them what belongs to them."""
    if changes.target is not None:
        contents.credits = [entry for entry in contents.credits if entry.version <= changes.target]
    gone = set(changes.deleted_messages)
    signals = {key for key, (_, signal) in contents.signals.items() if signal.sequence in gone}
    _remove(contents.messages, gone)
    _remove(contents.signals, signals.union(changes.deleted_signals))
    _remove(contents.weights, signals.union(changes.deleted_signals))
    _remove(contents.stacks, changes.deleted_stacks)
    _remove(contents.words, gone)
    removed = signals.union(changes.deleted_signals)
    contents.credits = [entry for entry in contents.credits if entry.key not in removed]
    gone_cues = {(key, question) for key, question in contents.cues if key in removed}
    _remove(contents.cues, gone_cues.union(changes.deleted_cues))


def _put(contents: _Contents, changes: Changes) -> None:
    """Put rows in, new or in the place of others.

    Raises:
        StoreError: a row belongs to something that is not there, or takes the id of another message.
    """
    version = contents.head.version
    for message in changes.messages:
        for sequence, other in contents.messages.items():
            if (sequence == message.sequence) != (other.message_id == message.message_id):
                raise StoreError(
                    f"message_id {message.message_id!r} is taken, or a stored message would get another one"
                )
        contents.messages[message.sequence] = message
    for signal in changes.signals:
        if signal.sequence not in contents.messages:
            raise StoreError(f"signal {signal.key} belongs to message {signal.sequence}, which is not there")
        contents.signals[signal.key] = (version, replace(signal, vector=_frozen(signal.vector)))
    for weight in changes.weights:
        if weight.key not in contents.signals:
            raise StoreError(f"weight of signal {weight.key}, which is not there")
        contents.weights[weight.key] = (version, weight)
    for stack in changes.stacks:
        contents.stacks[stack.key] = (version, replace(stack, total=_frozen(stack.total)))
    _put_cues(contents, changes.cues)
    _put_words(contents, changes.words)


def _put_cues(contents: _Contents, cues: Sequence[CueRow]) -> None:
    """Put cues in that are not there yet, and let go of the oldest if they are too many.

    Raises:
        StoreError: the signal is not there.
    """
    for cue in cues:
        if cue.key not in contents.signals:
            raise StoreError(f"cue of signal {cue.key}, which is not there")
        version = cue.version or contents.head.version
        row = (version, replace(cue, version=version, vector=_frozen(cue.vector)))
        contents.cues.setdefault((cue.key, cue.question), row)
    if cues:
        kept = newest_cues(cue for _, cue in contents.cues.values())
        contents.cues = {(cue.key, cue.question): contents.cues[cue.key, cue.question] for cue in kept}


def _put_words(contents: _Contents, rows: Iterable[WordsRow]) -> None:
    """Put words rows in, new or in the place of others.

    Raises:
        StoreError: the message is not there.
    """
    for words in rows:
        if words.sequence not in contents.messages:
            raise StoreError(f"words of message {words.sequence}, which is not there")
        kept = replace(
            words,
            terms=_frozen(words.terms),
            counts=_frozen(words.counts),
            days=_frozen(words.days),
            replaces=tuple(words.replaces),
        )
        contents.words[words.sequence] = (contents.head.version, kept)


def _learn(contents: _Contents, changes: Changes, now: datetime) -> None:
    """Change weights that are there, and log it."""
    for step in changes.learned:
        if step.key in contents.weights:
            _, old = contents.weights[step.key]
            new = after_learning(old, step)
            contents.weights[step.key] = (contents.head.version, new)
            contents.credits.append(replace(credit_of(step, old, new, now), version=contents.head.version))


def _touched(contents: _Contents | None, changes: Changes) -> set[int]:
    """Which messages that an operation writes or deletes are there."""
    return set() if contents is None else touched(changes) & contents.messages.keys()


def _by_origin(item: tuple[tuple[str, str | None], int]) -> tuple[str, bool, str]:
    """Sorts as SQLite does: no writer first."""
    (source, writer), _ = item
    return source, writer is not None, writer or ""


def _remove(rows: dict[Key, Value], keys: Iterable[Key]) -> None:
    for key in keys:
        rows.pop(key, None)


def _frozen(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """A copy that nobody can change."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
