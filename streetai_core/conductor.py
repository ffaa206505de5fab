"""What the verbs of a memory share: preparing without the lock, planning under it, writing in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from streetai_core.coherence import CoherentState, Plan
from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.errors import InputError
from streetai_core.planning.learning import LearningStep
from streetai_core.planning.preparing import Prepared, Progress, prefix, prepare
from streetai_core.planning.writing import Addition, check_encoder, plan_add, plan_delete
from streetai_core.recall.hits import signal_key
from streetai_core.recall.looking import signals_of
from streetai_core.reporting import weight_update
from streetai_core.state import MemoryState
from streetai_core.stores.base import Changes, MessageQuery, ReadTransaction, Store, WriteTransaction
from streetai_core.text.chunking import sentence_spans
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.tokens import TokenCounter, count_message
from streetai_core.types import Matrix, Message, NewMessage, Role, Vector, WeightUpdate

Lesson: TypeAlias = tuple[list[LearningStep], dict[int, Message]]
"""What was learned about which signals, and their messages by sequence."""

_REPLY_PARTS = 64
"""Sentences of a reply that credit looks at; a longer reply is mostly listing or code."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a memory shares with the others of its registry."""

    store: Store
    encoder: Encoder
    config: Config
    counter: TokenCounter
    clock: Callable[[], datetime]
    """The time of messages that come without one."""
    executor: Callable[[], Executor]
    """Where async twins run."""


class Conductor:
    """One memory, without its verbs."""

    def __init__(self, memory_id: str, surroundings: Surroundings) -> None:
        self.memory_id = check_id(memory_id, "memory_id")
        self.config = surroundings.config
        self._around = surroundings
        self._coherent = CoherentState(memory_id, surroundings.store, surroundings.clock)

    @property
    def stale(self) -> bool:
        """Whether a call has found out that the memory was reset."""
        return self._coherent.stale

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self._around.executor()

    def _prepared(self, messages: Sequence[NewMessage], progress: Progress | None = None) -> list[Prepared | None]:
        """Messages checked, cut and embedded; needs no lock."""
        around = self._around
        return prepare(messages, encoder=around.encoder, config=self.config, counter=around.counter, progress=progress)

    def _plan_add(
        self, transaction: WriteTransaction, state: MemoryState, prepared: Sequence[Prepared | None]
    ) -> Addition:
        """The plan that stores those messages that are not there yet."""
        ids = [item.message.message_id for item in prepared if item is not None and item.message.message_id]
        known = {name: found[0] for name in ids if (found := transaction.messages(MessageQuery(message_id=name)))}
        around = self._around
        return plan_add(state, prepared, known, encoder=around.encoder, config=self.config, now=around.clock())

    def _sent(
        self, transaction: ReadTransaction, state: MemoryState, ids: Sequence[str]
    ) -> tuple[list[int], dict[int, Message]]:
        """Of the signals with these ids those that are there, each once, and their messages by sequence."""
        keys = list(dict.fromkeys(key for name in ids if (key := signal_key(state, name)) is not None))
        if keys:
            check_encoder(state.head, self._around.encoder)
        return keys, messages_of(transaction, state.columns.column("sequence")[state.columns.rows(keys)].tolist())

    def _reply_vectors(self, ids: Sequence[str], reply: str) -> Matrix | None:
        """The parts of a reply embedded, shape (m, dim); `None` if there is nothing to learn or to learn from."""
        check_text(reply, "the reply")
        if not ids or is_blank(reply):
            return None
        return self._around.encoder.encode(self._reply_parts(clean(reply)[0]), "document")

    def _learn(self, plan: Plan[Lesson]) -> list[WeightUpdate]:
        """Carry out a plan that learns, and report it."""
        with self._coherent.lock:
            (steps, messages), state = self._coherent.write(plan)
            return [weight_update(state, step, messages) for step in steps]

    def _question_vector(self, question: str) -> Vector | None:
        """The question embedded; `None` if it is blank or there is nothing to compare it with."""
        if not isinstance(question, str):
            raise InputError(f"the question must be a str, got {type(question).__name__}")
        if is_blank(question):
            return None
        with self._coherent.reading() as (_, state):
            if state is None or not len(state.columns):
                return None
            check_encoder(state.head, self._around.encoder)
        vector: Vector = self._around.encoder.encode([clean(question)[0]], "query")[0]
        return vector

    def _delete(self, query: MessageQuery) -> int:
        """Remove the messages that a query finds."""

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, int]:
            found = transaction.messages(query)
            if not found:
                return None, 0
            tokens = {message.sequence: count_message(message.content, self._around.counter) for message in found}
            return plan_delete(state, tokens, self.config), len(found)

        with self._coherent.reading() as (transaction, state):
            if state is None or not transaction.messages(query):
                return 0
        with self._coherent.lock:
            count, _ = self._coherent.write(plan)
            return count

    def _reply_parts(self, reply: str) -> list[str]:
        """What credit compares the signals with."""
        if self.config.credit == "reply":
            return [reply]
        sentences = [text for start, end in sentence_spans(reply) if not is_blank(text := reply[start:end].strip())]
        return sentences[:_REPLY_PARTS]


def messages_of(transaction: ReadTransaction, sequences: Sequence[int]) -> dict[int, Message]:
    """Messages with their texts, by sequence."""
    return {message.sequence: message for message in transaction.messages(MessageQuery(sequences=sequences))}


def roles_of(messages: Mapping[int, Message]) -> dict[int, Role]:
    """Message sequence -> role."""
    return {sequence: message.role for sequence, message in messages.items()}


def texts_of(state: MemoryState, messages: Iterable[Message], config: Config) -> dict[int, str]:
    """Signal key -> text to embed, in the order they were said."""
    texts: dict[int, str] = {}
    for message in messages:
        for signal in signals_of(state, message):
            key = signal_key(state, signal.signal_id)
            if key is not None:
                texts[key] = prefix(signal.name, config) + signal.content
    return texts


def check_count(value: int | None, what: str) -> None:
    """Refuse what is neither None nor a whole number from 0.

    Raises:
        InputError: naming `what`.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError(f"{what} must be None or a whole number from 0, got {value!r}")


def check_text(value: str, what: str) -> None:
    """Refuse what is not text.

    Raises:
        InputError: naming `what`.
    """
    if not isinstance(value, str):
        raise InputError(f"{what} must be a str, got {type(value).__name__}")
