"""What LlamaIndex's two kinds of memory share when they stand on an engine: looking in, flushing, closing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from importlib import import_module
from typing import Any, TypeVar

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage

from streetai_core import MemoryRegistry
from streetai_core.failures import fail_open
from streetai_core.verbs.arguments import AskedAt
from streetai_llamaindex.alignment import is_beginning
from streetai_llamaindex.conversations import Conversation, conversation_of
from streetai_llamaindex.messages import to_stored
from streetai_llamaindex.moments import from_json
from streetai_llamaindex.opening import Lease, Opening
from streetai_llamaindex.sources import Source
from streetai_llamaindex.turns import TurnReport, report

A = TypeVar("A", bound="Attached")


class Attached:
    """A memory of LlamaIndex's that stands on an engine; put it before the framework's class.

    Not a pydantic model, so that it adds no field: the private attributes are those of the class that inherits it.
    """

    _opening: Opening
    _lease: Lease | None
    _held: Conversation
    """The conversation of the session, which is there for as long as somebody holds it; ask `conversation` for it."""
    asked_at: Any
    _seed: Sequence[ChatMessage] | None
    """The history that the memory was made with, until it is stored."""
    _planting: Any
    """A lock: a history is stored once, whoever comes first."""

    @property
    @abstractmethod
    def _session(self) -> str:
        """Whose memory it is, as the field says now."""

    @property
    @abstractmethod
    def _source(self) -> Source:
        """Where the window comes from."""

    @abstractmethod
    def set(self, messages: list[ChatMessage]) -> None:
        """Make the history these messages."""

    def __copy__(self: A) -> A:  # noqa: PYI019 - Self needs Python 3.11
        """A copy on the same engine and session, which are there until both are closed."""
        duplicate: A = super().__copy__()  # type: ignore[misc]  # the framework's class comes after this one
        duplicate._lease = self._opening.lease()  # noqa: SLF001 - another object of this class
        return duplicate

    def __deepcopy__(self: A, memo: dict[int, Any] | None = None) -> A:  # noqa: PYI019 - as above
        """The same: there is one truth, which is not copied."""
        return copy(self)

    def __bool__(self) -> bool:
        """True, also while it is empty: engines replace a memory that is false by another one."""
        return True

    @property
    def registry(self) -> MemoryRegistry:
        """The engine, for looking in: `memory.registry.get(memory.session_id).why(question)`.

        Raises:
            StreetAIError: it cannot be opened.
        """
        return self._opening.registry

    @property
    def conversation(self) -> Conversation:
        """This session of the engine, shared by all components that work on it.

        The session is a field that may be set, as `model_copy(update=...)` does: what is said belongs to the new one.

        Raises:
            InputError: the session cannot be used.
        """
        self._follow()
        return self._held

    @property
    def last_turn(self) -> TurnReport | None:
        """What became of the last question that was asked: what was recalled for it, its reply, its outcome."""
        turn = self.conversation.turns.last
        return None if turn is None else report(turn)

    def as_retriever(self, **options: Any) -> BaseRetriever:
        """A retriever over the same session; used beside the memory in one turn it counts as the same turn.

        Args:
            options: of the retriever, such as `similarity_top_k`.
        """
        module = import_module("streetai_llamaindex.retriever")
        retriever: BaseRetriever = module.StreetAIRetriever(self, **options)
        return retriever

    def flush(self) -> bool:
        """Store what a failure has left in RAM; say whether everything is stored."""
        self._plant()
        return self.conversation.flush()

    def close(self) -> None:
        """Store what is left, and close the file if no other memory of this process is open on it.

        A `registry` that was given stays open. Closing twice is fine, and using the memory again opens the file again.
        """
        with fail_open("what was in RAM is not stored", self.conversation.on_error):
            self.flush()
        self._let_go()
        if self._lease is not None:
            self._opening.release(self._lease)
            self._lease = None

    def _let_go(self) -> None:
        """Close what else is held open."""

    def _follow(self) -> None:
        """Go over to the session that the field names now, with all that was given; but a history is the old one's."""
        before, session = self._held, self._session
        if before.session_id != session:
            moved = conversation_of(self._opening, session)
            moved.on_error = moved.on_error or before.on_error
            moved.tokenizer = moved.tokenizer or before.tokenizer
            self._seed, self._held = None, moved
            self._take_time()

    def _take_time(self) -> None:
        """Take `asked_at` as it was given, or written; a function is kept for the copies that come back from JSON.

        Raises:
            InputError: it tells no time, or was a function that this process does not know.
        """
        self.asked_at = told_time(self.asked_at, self._opening, self.conversation.session_id)
        if callable(self.asked_at):
            self.conversation.asked_at = self.asked_at

    def _plant(self) -> None:
        """Store the history that the memory was made with, at its first use.

        An application that is started again gives it again; then what was said since stays.
        """
        with self._planting:
            self._follow()
            seed, self._seed = self._seed, None
            if seed is not None and not self._begins_with(seed):
                self.set(list(seed))

    def _begins_with(self, messages: Sequence[ChatMessage]) -> bool:
        """Whether these are the first that was said in a conversation."""
        given, *there = ([to_stored(one, None) for one in part] for part in (messages, *self._source.transcripts()))
        return any(is_beginning(given, one) for one in there)


def told_time(written: object, opening: Opening, session_id: object) -> AskedAt | None:
    """What tells when the questions of a session are asked, as it was given or written.

    Raises:
        InputError: it tells no time, or was a function that this process does not know.
    """
    known = conversation_of(opening, session_id).asked_at if isinstance(session_id, str) else None
    return from_json(written, known)
