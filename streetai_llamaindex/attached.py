"""What LlamaIndex's two kinds of memory share when they stand on an engine: session, looking in, flushing, closing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemory

from streetai_core import MemoryRegistry
from streetai_core.errors import InputError
from streetai_core.failures import OnError, fail_open
from streetai_core.forking import fork_safe_lock
from streetai_core.verbs.arguments import AskedAt
from streetai_llamaindex.alignment import is_beginning
from streetai_llamaindex.conversations import Conversation, conversation_of
from streetai_llamaindex.messages import copied, to_stored
from streetai_llamaindex.moments import AskedAtField, from_json
from streetai_llamaindex.opening import Lease, Opening, opening_of, reopened
from streetai_llamaindex.reading import Reader
from streetai_llamaindex.sources import Source
from streetai_llamaindex.transcript import Reading
from streetai_llamaindex.turns import Turn, TurnReport, report
from streetai_llamaindex.window import TokenCosts
from streetai_llamaindex.writers import surely


class Attached(BaseMemory):
    """A memory of LlamaIndex's that stands on an engine; put it before the framework's class."""

    engine: dict[str, Any] | None = None
    """Where the engine is; see `opening.Address`."""
    asked_at: AskedAtField = None
    """When and where questions are asked: a time, or a function that gives it; `None`: the engine's clock."""

    _SESSION: ClassVar[str]
    """The framework's name of the field that is the session."""

    _opening: Opening = PrivateAttr()
    _lease: Lease | None = PrivateAttr(default=None)
    _held: Conversation = PrivateAttr()
    """The conversation of the session, which is there for as long as somebody holds it; ask `conversation` for it."""
    _counted: TokenCosts | None = PrivateAttr(default=None)
    _seed: Sequence[ChatMessage] | None = PrivateAttr(default=None)
    """The history that the memory was made with, until it is stored."""
    _planting: Any = PrivateAttr(default_factory=fork_safe_lock)
    """A lock: a history is stored once, whoever comes first."""

    if TYPE_CHECKING:
        # The framework's classes have it as a field each, with a default of their own.
        tokenizer_fn: Callable[[str], list[Any]]

    def model_post_init(self, context: Any, /) -> None:
        """Find the engine; pydantic calls this."""
        super().model_post_init(context)
        self._opening = opening_of() if self.engine is None else reopened(self.engine)
        self.engine = dict(self._opening.address)
        self._held = conversation_of(self._opening, self._session)
        self._take_time()
        self._lease = self._opening.lease()

    @property
    @abstractmethod
    def _source(self) -> Source:
        """Where the window comes from."""

    @property
    def _session(self) -> str:
        """Whose memory it is, as the field says now."""
        session: str = getattr(self, self._SESSION)
        return session

    @property
    def _costs(self) -> TokenCosts:
        """What messages cost, counted by the tokenizer that the memory has now."""
        if self._counted is None or self._counted.tokenizer is not self.tokenizer_fn:
            self._counted = TokenCosts(self.tokenizer_fn)
        return self._counted

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

    def put(self, message: ChatMessage) -> None:
        """Store a message; learn from it if it is the final reply of its turn.

        Raises:
            InputError: it is not a message.
        """
        self.put_messages([message])

    async def aput(self, message: ChatMessage) -> None:
        """Async twin of `put`."""
        await self.aput_messages([message])

    async def aset(self, messages: list[ChatMessage]) -> None:
        """Async twin of `set`."""
        await surely(self.set, messages)

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

    def _take(
        self,
        *,
        tokenizer_fn: Callable[[str], list[Any]] | None = None,
        on_error: OnError | None = None,
        chat_history: Sequence[ChatMessage] | None = None,
    ) -> None:
        """Take what a memory is made with and no field has; what is `None` stays what it was.

        Raises:
            InputError: `on_error` cannot be called, or the history is not of messages.
        """
        if on_error is not None and not callable(on_error):
            raise InputError(f"on_error must be None or a function of an exception, got {type(on_error).__name__}")
        for message in chat_history or ():
            if not isinstance(message, ChatMessage):
                raise InputError(f"chat_history must be of ChatMessage, got a {type(message).__name__}")
        self.conversation.tokenizer = tokenizer_fn or self.conversation.tokenizer
        self.conversation.on_error = on_error or self.conversation.on_error
        if chat_history is not None:
            self._seed = [copied(message) for message in chat_history]

    def _take_time(self) -> None:
        """Take `asked_at` as it was given, or written; a function is kept for the copies that come back from JSON.

        Raises:
            InputError: it tells no time, or was a function that this process does not know.
        """
        self.asked_at = told_time(self.asked_at, self._opening, self.conversation.session_id)
        if callable(self.asked_at):
            self.conversation.asked_at = self.asked_at

    def _read(self, reader: Reader, available: int, turn: Turn | None) -> Reading:
        """As `Reader.read`, when the history that the memory was made with is stored. I/O."""
        self._plant()
        return reader.read(available, turn)

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
