"""Messages that are stored together, with the learning that goes with them, and where they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from llama_index.core.base.llms.types import ChatMessage

from streetai_core import Memory, Message, NewMessage
from streetai_core.recording import record, store
from streetai_llamaindex.threads import Threads
from streetai_llamaindex.transcript import Line, line_of
from streetai_llamaindex.turns import Turn


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Messages that are stored in one transaction, with the learning that goes with them."""

    turn: Turn | None
    messages: tuple[NewMessage, ...]
    """Each has an id, so that storing them again changes nothing."""
    spoken: tuple[ChatMessage, ...]
    """Copies of these messages as LlamaIndex has them."""
    reply: str = ""
    """The final reply to learn from."""
    asks: bool = False
    """Whether it is a user message."""
    again: bool = False
    """Whether it is a user message that was put before, and had no answer."""
    bound: str | None = None
    """The conversation that it goes to; `None`: a reply goes to that of its turn, all else to the current one."""

    @property
    def conversation_id(self) -> str | None:
        """The conversation that it goes to; `None`: the current one."""
        return self.bound or (None if self.turn is None or self.asks else self.turn.conversation_id)

    def bound_to(self, conversation_id: str) -> Step:
        """The step, in this conversation if it was to go to the current one."""
        return replace(self, bound=self.conversation_id or conversation_id)

    def is_in(self, conversation_id: str | None) -> bool:
        """Whether a window of this conversation shows it; `None`: that of everything that there is."""
        return conversation_id is None or self.conversation_id in (None, conversation_id)

    def lines(self) -> list[Line]:
        """Its messages as lines of a transcript."""
        return [line_of(str(new.message_id), one) for new, one in zip(self.messages, self.spoken, strict=True)]


def stored_in(memory: Memory, step: Step, threads: Threads) -> Exception | None:
    """Store a step, and learn. I/O.

    Returns:
        Why nothing could be learned, if something should have been.

    Raises:
        StreetAIError: it is not stored.
    """
    turn, where = step.turn, step.conversation_id or threads.current(memory)
    messages = step.messages if turn is None or not step.asks else (_question(memory, turn, step, where),)
    said = [replace(one, conversation_id=where) for one in messages]
    failure = _recorded(memory, step, said)
    if turn is not None and step.asks:
        if messages[0] is not step.messages[0]:
            turn.asked = messages[0]
        turn.conversation_id = where
        threads.asked_in(where)
    return failure


def _recorded(memory: Memory, step: Step, said: Sequence[NewMessage]) -> Exception | None:
    """Store messages and learn; what can never be learned from must not hold up all that follows."""
    turn = step.turn
    if turn is None or not step.reply or not turn.retrieved:
        store(memory, said)
        return None
    return record(memory, turn.turn_id, said, retrieved=turn.retrieved, reply=step.reply).failure


def _question(memory: Memory, turn: Turn, step: Step, where: str) -> NewMessage:
    """The question of a turn, with the id that it has or gets in a conversation."""
    asked = step.messages[0]
    if step.again:
        # In another conversation it is the same turn, and another message.
        moves = turn.conversation_id not in (None, where)
        return replace(asked, message_id=turn.next_message_id(), ticks=False) if moves else asked
    unanswered = _unanswered(memory, asked, where)
    # Put before a restart, and never answered: this is the same turn.
    return asked if unanswered is None else replace(asked, message_id=unanswered.message_id)


def _unanswered(memory: Memory, asked: NewMessage, where: str) -> Message | None:
    """The newest stored message of a conversation, if it is the same question."""
    newest = memory.messages(conversation_id=where, last=1)
    same = bool(newest) and (newest[0].role, newest[0].content, dict(newest[0].metadata)) == (
        asked.role,
        asked.content,
        dict(asked.metadata or {}),
    )
    return newest[0] if same else None
