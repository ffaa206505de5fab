"""Which conversation of a session is the current one: the one that the window shows and that messages are added to.

A session begins with one conversation, of the same name. Another one begins when an application sets a history that is
none of those before. Nothing but the messages says which one is current, so that it is the same in every process and
after a restart: the one that has the newest message. What `set` says holds until something is asked in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from streetai_core import Memory, Message, NewMessage
from streetai_llamaindex.alignment import place
from streetai_llamaindex.turns import Turn

_PREFIX = "llamaindex-conversation-"
_GROWTH = 16
"""How many times as many messages are looked at, where those of other programs are the newest ones."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of the current conversation when a history was set."""

    before: str
    conversation_id: str
    new: int
    """The messages of the history from here on are not stored yet."""


class Threads:
    """The conversations of one session.

    Args:
        session_id: also the name of the first conversation.
    """

    def __init__(self, session_id: str) -> None:
        self._first = session_id
        self._chosen: str | None = None

    def current(self, memory: Memory) -> str:
        """The current conversation. I/O, unless one was chosen."""
        chosen, count = self._chosen, 1
        while chosen is None:
            newest = memory.messages(last=count)
            own = (one.conversation_id for one in reversed(newest) if self._is_own(one.conversation_id))
            chosen = next(own, self._first if len(newest) < count else None)
            count *= _GROWTH
        return chosen

    def seen_by(self, turn: Turn | None, memory: Memory) -> str:
        """The conversation that a turn sees: while it is open its own, unless another one was chosen. I/O."""
        is_open = turn is not None and turn.outcome == "open" and self._chosen is None
        own = turn.conversation_id if turn is not None and is_open else None
        return own or self.current(memory)

    def all(self, memory: Memory) -> Mapping[str, Sequence[Message]]:
        """What is stored of each conversation, the oldest conversation first. I/O."""
        found: dict[str, list[Message]] = {}
        for message in memory.messages():
            name = message.conversation_id
            if name is not None and self._is_own(name):
                found.setdefault(name, []).append(message)
        return found

    def move_to(self, memory: Memory, sent: Sequence[NewMessage]) -> Moved:
        """Make the conversation of a history the current one until something is asked in it. I/O.

        What of it is not in the history any more is deleted; see `place`.
        """
        stored, before = self.all(memory), self.current(memory)
        found = place(stored, before, sent)
        if found is None:
            self._chosen = f"{_PREFIX}{uuid4().hex}"
            return Moved(before, self._chosen, 0)
        deleted = found.change.delete
        if deleted and len(deleted) == len(stored[found.conversation_id]):
            memory.delete_conversation(found.conversation_id)
        else:
            memory.delete_messages([message.message_id for message in deleted])
        self._chosen = found.conversation_id
        return Moved(before, self._chosen, found.change.add)

    def asked_in(self, conversation_id: str) -> None:
        """A question was stored in a conversation: from now on the newest message tells. No I/O."""
        if self._chosen == conversation_id:
            self._chosen = None

    def forget(self) -> None:
        """The session is empty."""
        self._chosen = None

    def _is_own(self, conversation_id: str | None) -> bool:
        """Whether it is one of LlamaIndex's; other programs may write into the same memory."""
        return conversation_id is not None and (conversation_id == self._first or conversation_id.startswith(_PREFIX))
