"""The turn ledger of one conversation: one user message is one turn, however often memory is read and written in it.

Chat engines put the question before they read the memory or after it; agents read it at every step and once more after
the answer, in workflow steps that share no context variable. The ledger says which turn a read or a write belongs to:
the one of the agent's run, else the one of the context, else the last one that was opened.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Literal, TypeAlias
from uuid import uuid4

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.instrumentation.dispatcher import active_instrument_tags  # type: ignore[attr-defined]  # it is there

from streetai_core import Hit, Memory, NewMessage
from streetai_core.forking import fork_safe_lock
from streetai_llamaindex.speech import same_words

Outcome: TypeAlias = Literal["open", "answered", "abandoned"]

_RUN_TAG = "llamaindex.run_id"
"""The instrumentation tag that is the same in all steps of an agent's run."""

_MOST_RUNS = 64
"""Turns of agents' runs that are kept: more than run at once in one conversation."""

_MOST_CURRENT = 8
"""Conversations whose turn a context remembers: an application that talks to more of them in one context falls back to
the last turn that each has opened."""

_TURN_PREFIX = "llamaindex-turn-"

RECALLED = "recalled text"
"""The key of the recalled text among the copies of a turn, and what those begin with that have it beside them."""


@dataclass(slots=True, eq=False)
class Life:
    """The time from one erasure of a session to the next."""

    over: bool = False


@dataclass(slots=True, eq=False)
class Turn:
    """One user message and everything until the next one. Changed by the conversation it belongs to only."""

    question: str
    """What the user said; empty for a message without words, such as an image."""
    turn_id: str = field(default_factory=lambda: _TURN_PREFIX + uuid4().hex)
    """Names the turn in the store; its messages are `turn_id/0`, `turn_id/1` and so on."""
    run_id: str | None = None
    """The agent's run, if it is one."""
    messages: int = 0
    """How many of its messages have been given an id."""
    asked: NewMessage | None = None
    """The user's message as it was put; `None` until it is."""
    is_asked_last: bool = False
    """Whether no reply was put since, not even one that says nothing."""
    conversation_id: str | None = None
    """The conversation that it was asked in, and that its reply belongs to; `None` until the question is stored."""
    asked_at: datetime | None = None
    """When and where it was asked; `None`: the engine's clock tells it."""
    recalled: bool = False
    """Whether recall has been asked for, and has ended; it is asked once."""
    recalled_text: str = ""
    """The fenced block as it stands in every prompt of the turn; empty if there is nothing to say."""
    hits: tuple[Hit, ...] = ()
    """What is in the block."""
    retrieved_ids: list[str] = field(default_factory=list)
    """Signals that a retriever has given to the same turn."""
    retrieved_texts: list[str] = field(default_factory=list)
    """Their texts, alone and as LlamaIndex shows them to a model. They are not recalled once more, nor is what a tool
    has made of nothing else."""
    reply: str = ""
    """What was learned from."""
    outcome: Outcome = "open"
    memory: Memory | None = None
    """The handle that was asked for it, or that stored its question; `None`: none was, or the turn is over. A turn that
    has begun in a memory is not stored in the one that is begun anew after an erasure."""
    life: Life = field(default_factory=Life)
    """In which it began."""
    view: dict[str, ChatMessage] = field(default_factory=dict)
    """The copies that are handed out for the whole turn, by message. Agents rewrite them and count on getting the very
    same ones at the next step."""
    lock: RLock = field(default_factory=fork_safe_lock)
    """Held while the turn is recalled for or learned from, so that both happen once."""
    window_start: str | None = None
    """The message that the window of the turn's first read began with: what came before it may have been recalled, so
    the window does not grow backwards."""

    @property
    def answered(self) -> bool:
        """Whether the final reply has come."""
        return self.outcome == "answered"

    @property
    def retrieved(self) -> list[Hit | str]:
        """Everything that was recalled for the turn, each once: what the reply is judged against."""
        known = {hit.signal.signal_id for hit in self.hits}
        return [*self.hits, *(name for name in dict.fromkeys(self.retrieved_ids) if name not in known)]

    @property
    def erased(self) -> bool:
        """Whether its memory was erased since it began."""
        return self.life.over

    def erase(self) -> None:
        """Its memory was erased, by somebody else."""
        self.life, self.memory = Life(over=True), None

    def begin_anew(self) -> None:
        """It is asked again after its memory was erased, of which it knows nothing any more."""
        with self.lock:
            self.memory, self.conversation_id = None, None
            self.drop_recalled()
            self.retrieved_ids, self.retrieved_texts, self.view = [], [], {}

    def drop_recalled(self) -> None:
        """Some of what was recalled was erased since: it is in no prompt any more, and recall is asked once more."""
        with self.lock:
            self.recalled, self.recalled_text, self.hits, self.window_start = False, "", (), None
            self.view = {key: copy for key, copy in self.view.items() if not key.startswith(RECALLED)}

    def next_message_id(self) -> str:
        """An id for the next message of the turn."""
        self.messages += 1
        return f"{self.turn_id}/{self.messages - 1}"


@dataclass(frozen=True, slots=True)
class TurnReport:
    """What became of a turn, for looking in."""

    turn_id: str
    query: str
    hits: tuple[Hit, ...]
    """What was recalled, best first; each hit has its score and what it is made of."""
    recalled_text: str
    """What was recalled, as it stands in the prompt."""
    reply: str
    """The final reply; empty while there is none."""
    outcome: Outcome


def report(turn: Turn) -> TurnReport:
    """A turn as it is now."""
    return TurnReport(turn.turn_id, turn.question, turn.hits, turn.recalled_text, turn.reply, turn.outcome)


_current: ContextVar[Mapping[str, Turn]] = ContextVar("streetai_llamaindex_turns", default={})  # noqa: B039 - never changed
"""The turns of a context by the ledger they belong to. Set anew at each change, so contexts never share a change."""


class TurnLedger:
    """Which turn is meant. Fast and without I/O: call it in the context that asks, never on a worker thread."""

    def __init__(self) -> None:
        self._key = uuid4().hex
        self._lock = fork_safe_lock()
        self._runs: OrderedDict[str, Turn] = OrderedDict()
        self._last: Turn | None = None
        self._life = Life()

    @property
    def last(self) -> Turn | None:
        """The turn that was opened last, by whomever."""
        return self._last

    def find(self) -> Turn | None:
        """The turn of this run, else of this context, else the last one; `None` if there is none.

        The turn of a context that has its answer makes way for one that is open: another part of the application,
        which shares no context with this one, has gone on.
        """
        with self._lock:
            run_id = current_run_id()
            in_run = None if run_id is None else self._runs.get(run_id)
            if in_run is not None and not in_run.erased:
                return in_run
            own, last = _current.get().get(self._key), self._open_to_all
            if own is None or own.erased:
                return last
            last_is_free = last is not None and last.outcome == "open" and last.run_id is None
            return last if own.answered and last_is_free else own

    def own(self) -> Turn | None:
        """The turn of this run, else of this context; `None` if neither has one."""
        turn = self._own()
        return None if turn is None or turn.erased else turn

    def erased(self) -> Turn | None:
        """The turn of this run, else of this context, if its memory was erased before it had its reply."""
        turn = self._own()
        return turn if turn is not None and turn.erased and turn.outcome == "open" else None

    def asked(self, question: str, *, says: bool = False) -> tuple[Turn, bool]:
        """The turn of a question that was just asked, and whether it is new.

        The same words on a turn without an answer are the same turn: the other half of a put and a get, a later step
        of an agent, or a retry. Everything else is a new turn.

        Args:
            question: the words; not blank.
            says: whether the user's message is put now. Said once more after somebody else has asked something, it is
                no retry: it would stay where it was first said, and the model would be shown another last message.
        """
        with self._lock:
            # A retry may come from another context, such as another request of a server, or another run.
            for turn in (self.find(), self._open_to_all):
                if turn is None or turn.outcome != "open" or not same_words(turn.question, question):
                    continue
                if not (says and turn.asked is not None and self._is_behind(turn)):
                    return self._adopted(turn), False
            return self.open(question), True

    def open(self, question: str) -> Turn:
        """A new turn; the one of this run or context that has no reply is abandoned."""
        with self._lock:
            before = self.find()
            if before is not None and before.outcome == "open" and not self._is_of_others(before):
                before.outcome = "abandoned"
            for turn in (before, self._last):
                if turn is not None and turn.outcome != "open":
                    # Nobody counts on its copies any more, and a window is large.
                    turn.view = {}
            return self._adopted(Turn(question, life=self._life))

    def answering(self) -> Turn | None:
        """The turn that a final reply belongs to; `None` if it has been answered, so that there is nothing to learn.

        A reply that comes late, after the next question, still belongs to its own.
        """
        with self._lock:
            turn = self.find()
            return None if turn is None or turn.answered else turn

    def forget(self) -> None:
        """Let go of all turns: their messages are gone. Who still has a reply to one finds that it is erased."""
        with self._lock:
            self._life.over = True
            self._life, self._last = Life(), None

    @property
    def _open_to_all(self) -> Turn | None:
        """The turn that was opened last, for whoever has none of its own."""
        return None if self._last is None or self._last.erased else self._last

    def _own(self) -> Turn | None:
        with self._lock:
            run_id = current_run_id()
            return self._runs.get(run_id) if run_id is not None else _current.get().get(self._key)

    def _adopted(self, turn: Turn) -> Turn:
        """Make a turn the one of this run and context."""
        run_id = current_run_id()
        self._last = turn
        _current.set(_with(_current.get(), self._key, turn))
        if run_id is not None:
            turn.run_id = run_id
            self._runs[run_id] = turn
            self._runs.move_to_end(run_id)
            while len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)
        return turn

    def _is_behind(self, turn: Turn) -> bool:
        """Whether another turn was opened after one, and it is not that of this run."""
        return turn is not self._last and (turn.run_id is None or turn.run_id != current_run_id())

    def _is_of_others(self, turn: Turn) -> bool:
        """Whether a turn that was found may be somebody else's, who is still waiting for the reply."""
        run_id = current_run_id()
        if run_id is not None:
            return turn.run_id != run_id
        return turn.run_id is not None or _current.get().get(self._key) is not turn


def current_run_id() -> str | None:
    """The id of the agent's run that this is called in; `None` outside of any."""
    value = active_instrument_tags.get().get(_RUN_TAG)
    return str(value) if value else None


def _with(turns: Mapping[str, Turn], key: str, turn: Turn) -> Mapping[str, Turn]:
    """The turns of a context with one more, the oldest dropped where there are too many."""
    others = [(name, other) for name, other in turns.items() if name != key]
    return dict([*others, (key, turn)][-_MOST_CURRENT:])
