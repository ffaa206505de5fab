"""A file whose messages name no conversation, known again under another name.

Such messages are told from those of other files by the conversation that is named after the file: so "Yes." is kept in
each. A file that was renamed is the conversation that it was before. It is known by having all that was imported of
that one, as when it has grown since or something was forgotten, or by having nothing else, as an older export has.
Chats that merely begin alike are neither.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from streetai_core.stores.base import ReadTransaction, Store
from streetai_core.stores.types import MessageQuery
from streetai_core.text.clean import clean
from streetai_core.transfer.values import Entry, Record
from streetai_core.types import Message

_BLOCK = 1000
"""Messages that are read together; a memory may have more of them than should be in RAM at once."""


@dataclass(slots=True)
class _Said:
    """What is in a conversation: of the file, or imported into the memory."""

    ids: set[str] = field(default_factory=set)
    texts: Counter[int] = field(default_factory=Counter)
    """Hashes of role and text, by which most conversations are known for others without reading the file for them."""

    def add(self, message_id: str | None, role: str, content: str) -> None:
        """Add a message."""
        self.ids.add(message_id or "")
        self.texts[hash((role, content))] += 1

    def may_be(self, other: _Said) -> bool:
        """Whether all texts of one are in the other, which has them as often."""
        return self.texts <= other.texts or other.texts <= self.texts

    def is_of(self, other: _Said) -> bool:
        """Whether all messages of one are in the other."""
        return self.ids <= other.ids or other.ids <= self.ids


def as_before(
    store: Store, memory_id: str, writer: str, own: str, read: Callable[[str], Sequence[Entry]]
) -> Sequence[Entry]:
    """The entries of a file in the conversation in which they were imported before, else in that of its name.

    Under another name than before all messages of the memory are read: 100,000 of them take two seconds.

    Args:
        store: where the memory is.
        memory_id: into which memory.
        writer: of what was imported from files of this format.
        own: the conversation that is named after the file.
        read: reads the entries, with a conversation for those that name none.
    """
    entries = read(own)
    said = _said(entries, own)
    if not said.ids:
        return entries
    with store.reading(memory_id) as transaction:
        if transaction.head is None:
            return entries
        there = _imported(transaction, writer, MessageQuery(conversation_id=own, any_conversation=False)).get(own)
        if there is not None and there.is_of(said):
            return entries
        known = _imported(transaction, writer, MessageQuery())
    for name, before in known.items():
        if name is not None and before.may_be(said):
            again = read(name)
            if before.is_of(_said(again, name)):
                return again
    return entries


def _said(entries: Sequence[Entry], conversation: str) -> _Said:
    """What a file has in a conversation."""
    said = _Said()
    for entry in entries:
        if isinstance(entry, Record) and entry.message.conversation_id == conversation:
            said.add(entry.message.message_id, entry.message.role, clean(entry.message.content)[0])
    return said


def _imported(transaction: ReadTransaction, writer: str, query: MessageQuery) -> dict[str | None, _Said]:
    """What a writer has put into each conversation; in the order in which they began."""
    found: defaultdict[str | None, _Said] = defaultdict(_Said)
    for message in _messages(transaction, query):
        if message.writer == writer:
            found[message.conversation_id].add(message.message_id, message.role, message.content)
    return found


def _messages(transaction: ReadTransaction, query: MessageQuery) -> Iterator[Message]:
    """The messages that a query asks for, a block at a time."""
    after: int | None = None
    while block := transaction.messages(replace(query, after=after, first=_BLOCK)):
        yield from block
        after = block[-1].sequence
