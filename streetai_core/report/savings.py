"""What the prompts of a conversation cost: played again, message by message, in a memory of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.reference import ReferenceStore
from streetai_core.tokens import EstimatedTokens, count_stored
from streetai_core.types import Message, NewMessage


@dataclass(frozen=True, slots=True)
class TurnCost:
    """One message of the user's, answered with a prompt."""

    number: int
    """Which one it is, from 1."""
    sent: int
    """Tokens of the prompt, the message included."""
    history: int
    """Tokens of everything said until then in all conversations, and the message."""
    conversation: int
    """Tokens of everything said until then in its own conversation, and the message."""
    window: int
    """Tokens of the last `WINDOW` messages of its conversation, and the message: what apps that cut send."""


WINDOW = 10
"""Messages of the sliding window that prompts are compared with: five exchanges, the usual default."""


def replay(
    messages: Sequence[Message],
    config: Config,
    encoder: object,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[TurnCost]:
    """Build the prompt of every message of the user's as it would have been built when it was said. Nothing is learned.

    Args:
        messages: in the order they were said.
        config: of the memory.
        encoder: of the memory.
        progress: called with (messages played so far, messages in all).

    Raises:
        EncoderError: the model failed.
    """
    counter = EstimatedTokens()
    turns: list[TurnCost] = []
    said: dict[str | None, list[int]] = {}
    history = 0
    clock = _Clock()
    with MemoryRegistry(
        ReferenceStore(), config=config, encoder=encoder, token_counter=counter, clock=clock
    ) as registry:
        memory = registry.get("replay")
        for place, message in enumerate(messages):
            clock.message = message
            cost = count_stored(message, counter)
            before = said.setdefault(message.conversation_id, [])
            if message.role == "user":
                try:
                    prompt = memory.build_prompt(message.content, conversation_id=message.conversation_id)
                    sent = prompt.inspector["tokens_sent"]
                except InputError:
                    # A blank message asks nothing.
                    sent = cost
                turns.append(_turn(len(turns) + 1, sent, history, before, cost))
            memory.add_messages([_again(message)])
            before.append(cost)
            history += cost
            if progress is not None:
                progress(place + 1, len(messages))
    return turns


def _turn(number: int, sent: int, history: int, before: Sequence[int], cost: int) -> TurnCost:
    """What a message costs, after all that was said and after the messages of its conversation."""
    return TurnCost(number, sent, history + cost, sum(before) + cost, sum(before[-WINDOW:]) + cost)


class _Clock:
    """Stands at the time of the message that is being played."""

    message: Message

    def __call__(self) -> datetime:
        """The time of the message."""
        return self.message.created_at


def _again(message: Message) -> NewMessage:
    return NewMessage(
        content=message.content,
        role=message.role,
        conversation_id=message.conversation_id,
        name=message.name,
        created_at=message.created_at,
        metadata=message.metadata,
        source=message.source,
        trust=message.trust,
        writer=message.writer,
    )
