"""A recorded conversation put into a memory as an app would have done it, and questions asked afterwards.

One memory holds one recording. A session of it is a conversation of the memory; the questions are asked after the last
message, in a new conversation, so that nothing of what was said stands in the verbatim window by itself. Messages keep
role, date and id; the speaker becomes the name, unless it only repeats the role.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.errors import InputError
from streetai_core.evaluation.datasets import RecordedMessage, Recording
from streetai_core.evaluation.systems import Answer, Description, System
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.tokens import EstimatedTokens, count_messages
from streetai_core.types import NewMessage, Prompt

MOST_HITS = 100
"""Hits asked for; more than any rank that is measured, and each message may have several."""

_ASKED_IN = "questions afterwards"
"""The conversation that the questions are asked in."""


def as_new_message(message: RecordedMessage) -> NewMessage:
    """A recorded message as an app would store it."""
    return NewMessage(
        content=message.text,
        role=message.role,
        name=message.name,
        created_at=message.date,
        conversation_id=message.session,
        message_id=message.message_id,
    )


@contextmanager
def open_memory(recording: Recording, config: Config, encoder: Encoder) -> Iterator[Memory]:
    """An empty memory for a recording, in a database that is deleted afterwards; its clock is the end of the recording.

    The clock stands at the last date of the recording, or at a fixed day if it has none, so that results repeat.
    """
    dates = [message.date for message in recording.messages if message.date is not None]
    end = max(dates, default=datetime(2026, 1, 1, tzinfo=timezone.utc))
    # Windows may hold the file for a moment longer.
    with TemporaryDirectory(prefix="streetai-bench-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "memory.db"
        with MemoryRegistry(path, config=config, encoder=encoder, clock=lambda: end, durability="fast") as registry:
            yield registry.get("recording")


def text_without_question(prompt: Prompt, question: str) -> str:
    """All that a prompt sends but the question at its end."""
    texts = [str(message["content"]) for message in prompt.messages]
    texts[-1] = texts[-1].removesuffix(question)
    return "\n".join(texts)


class MemorySystem(System):
    """This library's memory with one configuration.

    Args:
        config: its settings.
        encoder: shared by all systems of a run.
        name: in the results.
    """

    def __init__(self, config: Config, encoder: Encoder, name: str = "streetai") -> None:
        self._config = config
        self._encoder = encoder
        self._name = name

    @property
    def description(self) -> Description:
        """Name and all settings."""
        return Description(name=self._name, settings=self._config.to_dict())

    @contextmanager
    def reading(self, recording: Recording) -> Iterator[MemorySession]:
        """A memory with all messages of the recording, stored in one go."""
        with open_memory(recording, self._config, self._encoder) as memory:
            memory.add_messages([as_new_message(message) for message in recording.messages])
            yield MemorySession(memory)


class MemorySession:
    """A memory that is asked; it learns nothing from it."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def ask(self, question: str, budgets: Sequence[int]) -> Answer:
        """The prompts really built, and the messages behind the hits of `retrieve`."""
        sent: dict[int, str] = {}
        tokens: dict[int, int] = {}
        for budget in budgets:
            try:
                prompt = self._memory.build_prompt(question, token_budget=budget, conversation_id=_ASKED_IN)
            except InputError:
                # The question alone is over the budget, so that nothing can be sent with it.
                sent[budget], tokens[budget] = "", 0
                continue
            sent[budget] = text_without_question(prompt, question)
            # Counted here, not taken from what the memory says about itself.
            tokens[budget] = count_messages(prompt.messages, EstimatedTokens())
        hits = self._memory.retrieve(question, limit=MOST_HITS)
        return Answer(sent=sent, tokens=tokens, ranked=tuple(dict.fromkeys(hit.signal.parent_turn_id for hit in hits)))
