"""A file whose messages name no conversation, known again under another name.

Such messages are told from those of other files by the conversation that is named after the file: so "Yes." is kept in
each. A file that was renamed is the conversation that it was before. It is known by having all that was imported of
that one, as when it has grown since or something was forgotten, or by having nothing else, as an older export has.
Chats that merely begin alike are neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from streetai_core.memory import Memory
from streetai_core.text.clean import clean
from streetai_core.transfer.values import Entry, Record

_COMPARED = 20
"""Conversations that are compared with a file, those that have most of its texts; others say "Yes." as well."""


@dataclass(slots=True)
class _Said:
    """What is in a conversation: of the file, or imported into the memory."""

    ids: set[str] = field(default_factory=set)
    texts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Roles and texts, by which most conversations are known for others without reading the file for them."""

    def add(self, message_id: str | None, role: str, content: str) -> None:
        """Add a message."""
        self.ids.add(message_id or "")
        self.texts[role, content] += 1

    def may_be(self, other: _Said) -> bool:
        """Whether all texts of one are in the other, which has them as often."""
        return self.texts <= other.texts or other.texts <= self.texts

    def is_of(self, other: _Said) -> bool:
        """Whether all messages of one are in the other."""
        return self.ids <= other.ids or other.ids <= self.ids


def as_before(memory: Memory, writer: str, own: str, read: Callable[[str], Sequence[Entry]]) -> Sequence[Entry]:
    """The entries of a file in the conversation in which they were imported before, else in that of its name.

    Args:
        memory: into which they are imported.
        writer: of what was imported from files of this format.
        own: the conversation that is named after the file.
        read: reads the entries, with a conversation for those that name none.
    """
    entries = read(own)
    said = _said(entries, own)
    if not said.ids:
        return entries
    for name in _names(memory, writer, own, said):
        before = _imported(memory, writer, name)
        if before.ids and before.may_be(said):
            again = entries if name == own else read(name)
            if before.is_of(_said(again, name)):
                return again
    return entries


def _names(memory: Memory, writer: str, own: str, said: _Said) -> Iterator[str]:
    """Conversations of which a file may be: that of its name, then those that have any of its texts."""
    yield own
    there = memory._saying(text for _, text in said.texts)  # noqa: SLF001 - nobody else has any use for it
    found = Counter(one.conversation_id for one in there if one.writer == writer)
    yield from (name for name, _ in found.most_common(_COMPARED) if name is not None and name != own)


def _said(entries: Sequence[Entry], conversation: str) -> _Said:
    """What a file has in a conversation."""
    said = _Said()
    for entry in entries:
        if isinstance(entry, Record) and entry.message.conversation_id == conversation:
            said.add(entry.message.message_id, entry.message.role, clean(entry.message.content)[0])
    return said


def _imported(memory: Memory, writer: str, conversation: str) -> _Said:
    """What a writer has put into a conversation."""
    said = _Said()
    for message in memory.messages(conversation_id=conversation):
        if message.writer == writer:
            said.add(message.message_id, message.role, message.content)
    return said
