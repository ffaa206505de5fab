"""What the verbs of a memory share: what it has around it, one consistent view of it, and questions made ready."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from streetai_core.coherence import CoherentState, HotStates
from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.encoders.outage import Outage
from streetai_core.errors import EncoderError, InputError
from streetai_core.handles import Handle
from streetai_core.index.cone import looks_narrow
from streetai_core.observing.observer import MemoryObserver
from streetai_core.open_memory import OpenMemory
from streetai_core.planning.writing import check_encoder
from streetai_core.recall.naming import meant
from streetai_core.recall.processing import PostProcessor
from streetai_core.recall.question import Question, read_question
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, Store
from streetai_core.stores.values import zoned
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.tokens import TokenCounter
from streetai_core.types import Matrix, Vector

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a memory shares with the others of its registry."""

    store: Store
    encoder: Encoder
    outage: Outage
    """What the log was told of the encoder's failures."""
    config: Config
    counter: TokenCounter
    clock: Callable[[], datetime]
    """The time of messages that come without one."""
    executor: Callable[[], Executor]
    """Where async twins run."""
    hot: HotStates
    """Which memories are in RAM."""
    processors: tuple[PostProcessor, ...] = ()
    """Post-processors that hits pass before they are cut."""
    observers: tuple[MemoryObserver, ...] = ()
    """Who is told of what the verbs do."""


class Elsewhere(Exception):  # noqa: N818 - no error: it ends a reading that is begun again
    """A reading needs something that may take long, and that no lock is held for.

    Args:
        work: does it; what comes of it is there when the reading is begun again.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        self.work = work


@dataclass(slots=True)
class Asked:
    """A question as it is given to ranking."""

    text: str
    config: Config
    """The settings for this question."""
    at: datetime
    """When it is asked, with the zone of the place where it is asked."""
    vector: Vector | None = None
    """`None`: the encoder failed, or is not wanted."""
    version: int = 0
    """The memory's version when the question was embedded; by it one knows who had spoken by then."""
    embedded: str = ""
    """What the vector is of."""
    may_ask: bool = True
    """Whether the encoder may be asked what its vectors have in common: once, and not if it has just failed."""


class Conductor(Handle):
    """One memory, without its verbs."""

    INSTEAD = "Give the other process the path of the database and the id, and call MemoryRegistry(path).get(id) there."

    def __init__(self, memory_id: str, surroundings: Surroundings, left: OpenMemory | None = None) -> None:
        """Make a handle; no I/O.

        Args:
            memory_id: whose.
            surroundings: what it shares with other memories.
            left: what a handle had that nobody has any more. This one goes on with it, unless it is outdated, and is
                not bound to what that one has seen.
        """
        self.memory_id = check_id(memory_id, "memory_id")
        self.config = surroundings.config
        self._around = surroundings
        if left is None or left.coherent.stale:
            left = OpenMemory(CoherentState(memory_id, surroundings.store, surroundings.clock, surroundings.hot))
        self._open = left
        self._coherent = left.coherent
        self._coherent.hand_on()

    @property
    def stale(self) -> bool:
        """Whether the memory was reset, as a call has found out or this process has done it."""
        return self._coherent.stale

    @property
    def observers(self) -> tuple[MemoryObserver, ...]:
        """Who is told of what the verbs do."""
        return self._around.observers

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self._around.executor()

    def _find_common(self, fresh: Matrix | None = None) -> None:
        """Have what all vectors have in common known before something is stored, if it will be asked for.

        The memory is read for that: what is stored stays, so it must not depend on what this process has read before.

        Args:
            fresh: vectors that are about to be stored, shape (n, dim).
        """
        if self._open.common is not None:
            return
        if self._looks_narrow(self._as_stored(), fresh):
            self._ask_common()

    def _as_stored(self) -> MemoryState | None:
        """The state, `None` if nothing was ever written."""
        with self._coherent.reading() as (_, state):
            return state

    def _common(self, state: MemoryState, fresh: Matrix | None = None) -> float:
        """What all vectors have in common that are compared with each other; 0 if it is not known.

        Whether it counts is told by what is compared alone, so that it does in every process or in none.

        Args:
            state: the memory.
            fresh: vectors that are about to be stored in it, shape (n, dim).
        """
        common = self._open.common
        return common if common is not None and self._looks_narrow(state, fresh) else 0.0

    def _looks_narrow(self, state: MemoryState | None, fresh: Matrix | None = None) -> bool:
        """Whether vectors look as if they had much in common: those of a memory, or many that come into it."""
        if self.config.ranking == "product":
            # The published pipeline compares plain cosines.
            return False
        seen = state is not None and state.columns.look_narrow
        return seen or (fresh is not None and looks_narrow(fresh))

    def _ask_common(self) -> None:
        """Ask the encoder what all its vectors have in common. No lock is held while it works."""
        try:
            self._open.common = self._around.encoder.common()
        except EncoderError as error:
            self._around.outage.failed(error, "what its vectors have in common is not known yet")

    def _asked(self, question: str, config: Config | None = None, at: datetime | None = None) -> Asked | None:
        """The question cleaned and embedded; `None` if it is blank or there is nothing to compare it with.

        Where words can find something too, an encoder that fails is reported to the log, and words decide alone.
        """
        if not isinstance(question, str):
            raise InputError(f"the question must be a str, got {type(question).__name__}")
        at = self._around.clock() if at is None else zoned(at, "asked_at")
        if is_blank(question):
            return None
        state = self._to_compare()
        if state is None:
            return None
        text = clean(question)[0]
        config = self.config if config is None else config
        asked = Asked(text, config, at)
        if config.ranking == "product" or config.strategy != "keyword":
            self._embed(asked, _to_embed(text, state, config), state.head.version)
        return asked

    def _embed(self, asked: Asked, wanted: str, version: int) -> None:
        """Give a question its vector, or none where the encoder fails and words find something too.

        Args:
            asked: the question.
            wanted: what of it is embedded.
            version: of the memory that says so.

        Raises:
            EncoderError: the encoder failed, and meaning alone decides.
        """
        asked.embedded, asked.version = wanted, version
        try:
            asked.vector = self._around.encoder.encode([wanted], "query")[0]
        except EncoderError as error:
            if asked.config.ranking == "product" or asked.config.strategy == "vector":
                raise
            self._around.outage.failed(error, "this question is answered by words alone")
            asked.vector, asked.may_ask = None, False
            return
        self._around.outage.answered()

    def _to_compare(self) -> MemoryState | None:
        """What a question can be compared with, as it was last seen; `None` if there is nothing.

        Raises:
            EncoderMismatchError: the memory's vectors come from another encoder.
        """
        known, encoder = self._coherent.known, self._around.encoder
        if known is not None and len(known.columns) and known.head.encoder and encoder.made(known.head.encoder):
            # What has changed since then is seen by the ranking, which checks again.
            return known
        with self._coherent.reading() as (_, state):
            if state is None or not len(state.columns):
                return None
        # An encoder of a framework may have to embed something to tell.
        check_encoder(state.head, encoder)
        return state

    def _read(self, attempt: Callable[[ReadTransaction, MemoryState | None], Result]) -> Result:
        """What an attempt makes of one consistent view of the memory.

        Foreign code may take long, and may use this memory: an attempt that needs some is ended with `Elsewhere`, and
        made again with what came of it.
        """
        while True:
            try:
                with self._coherent.reading() as (transaction, state):
                    return attempt(transaction, state)
            except Elsewhere as needed:
                work = needed.work
            work()

    def _room(self, token_budget: int | None) -> int | None:
        """Tokens that recalled passages may take at most; `None` if nothing limits them."""
        return token_budget if self.config.lets_decide(token_budget) else self.config.recall_tokens

    def _question(self, asked: Asked, state: MemoryState, without: Collection[int] = ()) -> Question:
        """The question, read for ranking.

        Raises:
            Elsewhere: somebody whom it names has spoken since it was embedded; or what all vectors have in common
                counts and is not known yet: repetitions are told by it also where words alone decide.
        """
        version = state.head.version
        if asked.vector is not None and asked.version != version:
            wanted = _to_embed(asked.text, state, asked.config)
            if wanted != asked.embedded:
                raise Elsewhere(lambda: self._embed(asked, wanted, version))
        if self._open.common is None and asked.may_ask and self._looks_narrow(state):
            asked.may_ask = False
            raise Elsewhere(self._ask_common)
        return read_question(
            asked.text,
            asked.vector,
            turn=state.head.next_turn,
            asked_at=asked.at,
            without=without,
            common=self._common(state),
        )


def _to_embed(question: str, state: MemoryState, config: Config) -> str:
    """What of a question is embedded; the published pipeline compares what was asked as it is."""
    return meant(question, state.words) if config.ranking == "additive" else question
