"""What the verbs of a memory share: preparing without the lock, planning under it, applying."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias, TypeVar

from streetai_core.coherence import CoherentState, HotStates, Plan
from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.encoders.outage import Outage
from streetai_core.errors import EncoderError, InputError
from streetai_core.index.cone import looks_narrow
from streetai_core.observing.observer import MemoryObserver
from streetai_core.planning.crediting import Reply
from streetai_core.planning.learning import Cue, LearningStep
from streetai_core.planning.preparing import Prepared
from streetai_core.planning.replacing import Replacing
from streetai_core.planning.trust import Standing, conversation_mark, standing_of
from streetai_core.planning.words import fingerprint
from streetai_core.planning.writing import Addition, check_encoder, plan_add, plan_delete
from streetai_core.recall.hits import signal_key
from streetai_core.recall.looking import check_there, signals_of
from streetai_core.recall.naming import meant
from streetai_core.recall.processing import PostProcessor
from streetai_core.recall.question import Question, read_question
from streetai_core.reporting import Sent, weight_updates
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, Store, WriteTransaction
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.stores.values import zoned
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.tokens import TokenCounter, count_message
from streetai_core.types import Matrix, Message, Vector, WeightUpdate

Result = TypeVar("Result")

Lesson: TypeAlias = tuple[list[LearningStep], dict[int, Message]]
"""What was learned about which signals, and their messages by sequence."""


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
    """What becomes of hits before they are cut."""
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
    """When it is asked, where it is asked."""
    vector: Vector | None = None
    """`None`: the encoder failed, or is not wanted."""
    version: int = 0
    """That of the memory when it was embedded: who had spoken by then."""
    embedded: str = ""
    """What the vector is of."""


class Conductor:
    """One memory, without its verbs."""

    def __init__(self, memory_id: str, surroundings: Surroundings) -> None:
        self.memory_id = check_id(memory_id, "memory_id")
        self.config = surroundings.config
        self._around = surroundings
        self._coherent = CoherentState(memory_id, surroundings.store, surroundings.clock, surroundings.hot)
        self._common = 0.0
        """What all vectors of the encoder have in common, as far as it was found out for this memory."""

    @property
    def stale(self) -> bool:
        """Whether a call has found out that the memory was reset."""
        return self._coherent.stale

    @property
    def observers(self) -> tuple[MemoryObserver, ...]:
        """Who is told of what the verbs do."""
        return self._around.observers

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self._around.executor()

    def _plan_add(
        self, transaction: WriteTransaction, state: MemoryState, prepared: Sequence[Prepared | None]
    ) -> Addition:
        """The plan that stores those messages that are not there yet."""
        ids = [item.message.message_id for item in prepared if item is not None and item.message.message_id]
        known = messages_named(transaction, ids)
        around = self._around
        return plan_add(
            state,
            prepared,
            known,
            replacing=replacing_in(transaction, state, self._common),
            encoder=around.encoder,
            config=self.config,
            now=around.clock(),
        )

    def _find_common(self, fresh: Matrix | None = None) -> None:
        """Ask the encoder what all its vectors have in common, where a memory looks as if it were much.

        Needs no lock, for none is held while an encoder works. So it goes by the state as it was last seen, which
        another thread may be changing: what a sample of it shows hardly differs.

        Args:
            fresh: vectors that are about to be stored, shape (n, dim); many of them tell as well.
        """
        if self.config.ranking == "product":
            # The published pipeline compares plain cosines.
            return
        known = self._coherent.known
        seen = known is not None and known.columns.look_narrow
        if not seen and (fresh is None or not looks_narrow(fresh)):
            return
        try:
            self._common = self._around.encoder.common()
        except EncoderError as error:
            self._around.outage.failed(error, "what its vectors have in common is not known yet")

    def _sent(
        self, transaction: ReadTransaction, state: MemoryState, sent: Sent
    ) -> tuple[list[int], dict[int, Message]]:
        """Of the signals that were sent those that are there, each once, and their messages by sequence."""
        keys = list(dict.fromkeys(key for name in sent.ids if (key := signal_key(state, name)) is not None))
        if state.hidden:
            shown = state.shown
            keys = [key for key in keys if shown[state.columns.rows([key])[0]]]
        if keys:
            check_encoder(state.head, self._around.encoder)
        return keys, messages_of(transaction, state.columns.column("sequence")[state.columns.rows(keys)].tolist())

    def _standing(
        self,
        transaction: ReadTransaction,
        state: MemoryState,
        keys: Sequence[int],
        messages: Mapping[int, Message],
        conversation_id: str | None,
    ) -> Standing:
        """Whose the signals are that a reply is about to teach something of, and in which conversation."""
        sequences = state.columns.column("sequence")[state.columns.rows(keys)].tolist()
        mark = conversation_mark(state.head.token, conversation_id)
        return standing_of(transaction, dict(zip(keys, sequences, strict=True)), messages, mark, self.config)

    def _reply(self, sent: Sent, text: str, question: str | None) -> Reply | None:
        """A reply made ready to learn from; `None` if there is nothing to learn or to learn from.

        The encoder is asked for the question, which it has been asked for by recall, and for the published credit.
        """
        check_text(text, "the reply")
        if question is not None:
            check_text(question, "the question")
        if not sent.ids or is_blank(text):
            return None
        text = clean(text)[0]
        question = sent.question if question is None else question
        return Reply(
            text=text,
            at=self._around.clock(),
            question=None if question is None or is_blank(question) else clean(question)[0],
            cue=None if question is None else self._cue(question),
            vector=self._reply_vector(text) if self.config.credit == "reply" else None,
        )

    def _reply_vector(self, text: str) -> Matrix | None:
        """A reply's embedding, shape (1, dim); `None` if the encoder failed, so that its words tell what it used.

        Raises:
            EncoderError: the encoder failed, and this is the published pipeline, which knows no words.
        """
        try:
            return self._around.encoder.encode([text], "document")
        except EncoderError as error:
            if self.config.ranking == "product":
                raise
            self._around.outage.failed(error, "what a reply used is told by its words")
            return None

    def _cue(self, question: str) -> Cue | None:
        """A question as a cue; `None` in the published pipeline, which knows none, or if it could not be embedded."""
        if self.config.ranking == "product":
            return None
        try:
            asked = self._asked(question)
        except EncoderError as error:
            self._around.outage.failed(error, "what helped to answer this question is not known to it")
            return None
        return None if asked is None or asked.vector is None else Cue(fingerprint(asked.text), asked.vector)

    def _learn(self, plan: Plan[Lesson]) -> list[WeightUpdate]:
        """Carry out a plan that learns, and report it."""
        with self._coherent.lock:
            (steps, messages), state = self._coherent.write(plan)
            return weight_updates(state, steps, messages)

    def _asked(self, question: str, config: Config | None = None, at: datetime | None = None) -> Asked | None:
        """The question cleaned and embedded; `None` if it is blank or there is nothing to compare it with.

        Where words can find something too, an encoder that fails is reported to the log, and words decide alone.
        """
        if not isinstance(question, str):
            raise InputError(f"the question must be a str, got {type(question).__name__}")
        at = self._around.clock() if at is None else zoned(at)
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
            asked.vector = None
            return
        self._around.outage.answered()
        self._find_common()

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
        decided = self.config.budget_decides and token_budget is not None
        return token_budget if decided else self.config.recall_tokens

    def _question(self, asked: Asked, state: MemoryState, without: Collection[int] = ()) -> Question:
        """The question, read for ranking.

        Raises:
            Elsewhere: somebody whom it names has spoken since it was embedded.
        """
        version = state.head.version
        if asked.vector is not None and asked.version != version:
            wanted = _to_embed(asked.text, state, asked.config)
            if wanted != asked.embedded:
                raise Elsewhere(lambda: self._embed(asked, wanted, version))
        return read_question(
            asked.text,
            asked.vector,
            turn=state.head.next_turn,
            asked_at=asked.at,
            without=without,
            common=self._common,
        )

    def _delete(self, find: Callable[[ReadTransaction], Collection[Message]]) -> int:
        """Remove the messages that are found, in one transaction."""

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, int]:
            found = find(transaction)
            if not found:
                return None, 0
            tokens = {message.sequence: count_message(message.content, self._around.counter) for message in found}
            texts = [message.content for message in found]
            return plan_delete(state, tokens, texts, self.config), len(found)

        with self._coherent.reading() as (transaction, state):
            if state is None or not find(transaction):
                return 0
        with self._coherent.lock:
            count, _ = self._coherent.write(plan)
            return count


def _to_embed(question: str, state: MemoryState, config: Config) -> str:
    """What of a question is embedded; the published pipeline compares what was asked as it is."""
    return meant(question, state.words) if config.ranking == "additive" else question


def messages_named(transaction: ReadTransaction, ids: Iterable[str]) -> dict[str, Message]:
    """Those messages that are there, by id."""
    return {name: found[0] for name in ids if (found := transaction.messages(MessageQuery(message_id=name)))}


def messages_of(transaction: ReadTransaction, sequences: Sequence[int]) -> dict[int, Message]:
    """Messages with their texts, by sequence.

    Raises:
        DamagedFileError: one of them is not there.
    """
    found = {message.sequence: message for message in transaction.messages(MessageQuery(sequences=sequences))}
    check_there(found, sequences)
    return found


def replacing_in(transaction: ReadTransaction, state: MemoryState, common: float) -> Replacing:
    """Finds what new messages replace in a memory; `common` is what all vectors of its encoder have in common."""
    return Replacing(state, lambda sequences: messages_of(transaction, sequences), common)


def scores_of(state: MemoryState, sent: Sent) -> dict[int, float]:
    """Retrieval scores by signal key, of the signals that are there."""
    keyed = ((signal_key(state, name), score) for name, score in sent.scores.items())
    return {key: score for key, score in keyed if key is not None}


def texts_of(state: MemoryState, messages: Iterable[Message]) -> dict[int, str]:
    """Signal key -> text to embed, in the order they were said."""
    texts: dict[int, str] = {}
    for message in messages:
        for signal in signals_of(state, message):
            key = signal_key(state, signal.signal_id)
            if key is not None:
                texts[key] = signal.content
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
