"""One session of one engine: what of it is stored, recalled and read, by I/O that may run on a worker thread.

All components on one session of one engine share its `Conversation`, and so its turn ledger: a memory, the copies of it
that come back from a `Context`, a retriever and a handler see one turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from llama_index.core.base.llms.types import ChatMessage

from streetai_core import Memory
from streetai_core.errors import ClosedError, InputError, StaleMemoryError
from streetai_core.failures import fail_open, report
from streetai_core.forking import fork_safe_lock, renew_in_child
from streetai_core.prompt.turns import INSTRUCTION_ROLES
from streetai_core.text.clean import is_blank
from streetai_core.types import ROLES
from streetai_core.verbs.arguments import AskedAt
from streetai_llamaindex.messages import copied, to_stored
from streetai_llamaindex.opening import Opening
from streetai_llamaindex.planning import Planning, new_id
from streetai_llamaindex.steps import Step, stored_in
from streetai_llamaindex.threads import Threads
from streetai_llamaindex.transcript import Line, Reading, StoredLines
from streetai_llamaindex.turns import Turn

_NOT_RECALLED = "nothing is recalled for this turn"
_NOT_LOOKED_UP = "what was recalled is sent again without a look whether all of it is still stored"
_NOT_STORED = "what was said is kept in RAM and stored with the next message"
_NOT_LEARNED = "nothing is learned from this turn"
_NOT_STORABLE = "a message is not stored"
_NOT_READ = "the window is what was read last"
_NOT_SET = "the stored history stays what it was"

Result = TypeVar("Result")


class Conversation(Planning):
    """What was said in one session, and its turns. Get one from `conversation_of`.

    Its own methods do I/O and do not look at the context, so they may run on a worker thread. None of them raises
    because the memory fails, except `forget`.
    """

    def __init__(self, opening: Opening, session_id: str) -> None:
        super().__init__(opening, session_id)
        self._threads = Threads(self.session_id)
        self.tokenizer: Callable[[str], list[Any]] | None = None
        """What a memory on it counts tokens with, for the copies of it that come back from JSON."""
        self.asked_at: AskedAt | None = None
        """The function by which a memory on it tells when a question is asked, for the copies of it that come back."""
        self._lines = StoredLines()
        self._known = Reading((), complete=True)
        self._writing = fork_safe_lock()
        self._unstored: list[Step] = []
        renew_in_child(self, Conversation._begin_anew, if_held=self._writing)

    def _begin_anew(self) -> None:
        """In a forked child: what a thread of the parent is storing, or forgetting, is the parent's affair."""
        self._unstored = []
        self._known = Reading((), complete=True)

    def store(self, steps: Sequence[Step]) -> None:
        """Store what was planned, in order, and learn. What cannot be stored now stays in the window, in RAM."""
        with self._writing:
            self._unstored.extend(steps)
            self._drain()

    def flush(self) -> bool:
        """Try again to store what could not be stored; say whether everything is stored now."""
        with self._writing:
            self._drain()
            return not self._unstored

    def newest(self, count: int, turn: Turn | None = None) -> Reading:
        """The last `count` messages of the current conversation, and those that are not stored yet.

        Args:
            count: most of the stored ones.
            turn: the turn that reads; while it is open it sees the conversation that it was asked in.
        """
        # Looked at before the store is, so that a message that is being stored is in one of the two.
        waiting = list(self._unstored)
        with fail_open(_NOT_READ, self.on_error):
            self._known = self._with_memory(partial(self._read, count=count, turn=turn))
        known = self._known
        unstored = [line for step in waiting if step.is_in(known.conversation_id) for line in step.lines()]
        # What is being stored may be in both; a question that was put again is waiting twice under one id.
        return replace(known, lines=list({line.key: line for line in [*known.lines, *unstored]}.values()))

    def everything(self) -> list[Line]:
        """The whole transcript of the current conversation."""
        count = 1024
        while not (reading := self.newest(count)).complete and len(reading.lines) >= count:
            count *= 16
        return list(reading.lines)

    def recall(self, turn: Turn, shown: Collection[str], budget: int, cost: Callable[[str], int]) -> None:
        """Recall for a turn, once; what is found is in the turn.

        Args:
            turn: whose question.
            shown: the texts of the messages in the window, which are not recalled.
            budget: most tokens of the recalled text.
            cost: counts them.
        """
        with turn.lock:
            self.check_recalled(turn)
            if turn.recalled:
                return
            try:
                if budget > 0 and not is_blank(turn.question):
                    self._recall(turn, shown, budget, cost)
            finally:
                # Not before: a child that is forked meanwhile has to recall by itself.
                turn.recalled = True

    def check_recalled(self, turn: Turn) -> None:
        """Drop what was recalled for a turn if some of it was erased since, by a tool or by another process. I/O."""
        if not turn.recalled_text:
            return
        with turn.lock, fail_open(_NOT_LOOKED_UP, self.on_error):
            ids = [hit.signal.signal_id for hit in turn.hits]
            is_whole = self._in_turn(turn, lambda memory: memory._has_all(ids))  # noqa: SLF001 - only adapters keep text
            if not is_whole:
                turn.drop_recalled()
                # Where the memory in which the turn has begun was erased, nothing is left to recall from.
                turn.recalled = is_whole is None

    def _recall(self, turn: Turn, shown: Collection[str], budget: int, cost: Callable[[str], int]) -> None:
        with fail_open(_NOT_RECALLED, self.on_error):
            prompt = self._in_turn(
                turn,
                lambda memory: memory.build_prompt(
                    turn.question,
                    conversation_id=self._threads.seen_by(turn, memory),
                    shown=[*shown, *turn.retrieved_texts],
                    recall_fits=lambda block: cost(block) <= budget,
                    asked_at=turn.asked_at,
                ),
            )
            turn.hits, turn.recalled_text = tuple(prompt.retrieved), prompt.recalled_text

    def set_to(self, messages: Sequence[ChatMessage]) -> None:
        """Make the current transcript these messages; those that are there stay, with what was learned about them.

        See `place` for the conversation that they belong to, and what of it is deleted and new.
        """
        with self._writing, fail_open(_NOT_SET, self.on_error):
            sent = [replace(to_stored(one, None), message_id=new_id()) for one in messages]
            self._drain()
            moved = self._with_memory(partial(self._threads.move_to, sent=sent))
            # What a failure has left in RAM is in the history, or stays in the conversation that it was said in.
            left = self._unstored if moved.conversation_id != moved.before else ()
            self._unstored = [step.bound_to(moved.before) for step in left]
            if sent[moved.new :]:
                said = Step(None, tuple(sent[moved.new :]), tuple(copied(one) for one in messages[moved.new :]))
                self.store([said.bound_to(moved.conversation_id)])

    def transcripts(self) -> list[list[ChatMessage]]:
        """What was said in each conversation, the current one first."""
        others: list[list[ChatMessage]] = []
        with fail_open(_NOT_READ, self.on_error):
            stored = self._with_memory(self._threads.all)
            others = [[line.message for line in self._lines.of(part)] for part in stored.values()]
        return [[line.message for line in self.everything()], *others]

    def instructions(self, conversation_id: str) -> list[Line]:
        """The instructions in a conversation. I/O.

        Raises:
            StreetAIError: they could not be read.
        """
        roles = [role for role in ROLES if role in INSTRUCTION_ROLES]
        return self._lines.of(
            self._with_memory(lambda memory: memory.messages(conversation_id=conversation_id, roles=roles))
        )

    def delete(self, keys: Collection[str]) -> int:
        """Delete messages of the transcript, all or none; say how many were there.

        Args:
            keys: of their lines.

        Raises:
            StoreError: the database failed; nothing was deleted.
        """
        with self._writing:
            self._drain()
            return self._with_memory(lambda memory: memory.delete_messages(keys))

    def forget(self) -> None:
        """Forget this session, what was said and what was learned, and no other.

        Raises:
            StoreError: the database failed, so that not all is forgotten.
        """
        with self._writing:
            self._unstored.clear()
            self.turns.forget()
            self._threads.forget()
            self.opening.registry.reset(self.session_id)
            self._known = Reading((), complete=True)

    def _read(self, memory: Memory, count: int, turn: Turn | None) -> Reading:
        """The end of what is stored of the conversation that a turn sees."""
        conversation_id = self._threads.seen_by(turn, memory)
        stored = memory.messages(conversation_id=conversation_id, last=count)
        return Reading(self._lines.of(stored), complete=len(stored) < count, conversation_id=conversation_id)

    def _with_memory(self, action: Callable[[Memory], Result]) -> Result:
        """Do something with the memory of this session; again, if another process has reset it meanwhile."""
        try:
            return action(self.opening.registry.get(self.session_id))
        except StaleMemoryError:
            return action(self.opening.registry.get(self.session_id))

    def _in_turn(self, turn: Turn | None, action: Callable[[Memory], Result]) -> Result:
        """Do something with the memory that a turn was begun in; with that of the session, if it begins with this."""
        if turn is not None and turn.memory is not None:
            try:
                return action(turn.memory)
            except ClosedError:
                # The engine was closed, and opened anew, since the turn began.
                pass

        def begun(memory: Memory) -> Result:
            if turn is not None:
                turn.memory = memory
            return action(memory)

        return self._with_memory(begun)

    def _stored(self, step: Step) -> Exception | None:
        """Store a step in the memory of its turn, and learn; say why nothing could be learned."""
        try:
            return self._in_turn(step.turn, partial(stored_in, step=step, threads=self._threads))
        except StaleMemoryError:
            if step.turn is None or not step.again:
                raise
        # The user has said it once more since.
        step.turn.begin_anew()
        return self._in_turn(step.turn, partial(stored_in, step=step, threads=self._threads))

    def _drain(self) -> None:
        """Store what is waiting, in order, up to the first failure. Call with the lock held."""
        while self._unstored:
            step = self._unstored[0]
            try:
                # A missing engine is an InputError too, and no fault of the message.
                _ = self.opening.registry
            except Exception as error:  # noqa: BLE001 - reported to on_error
                report(error, _NOT_STORED, self.on_error)
                return
            try:
                if step.turn is None or not step.turn.erased:
                    failure = self._stored(step)
                    if failure is not None:
                        report(failure, _NOT_LEARNED, self.on_error)
            except StaleMemoryError as error:
                if step.turn is None:
                    report(error, _NOT_STORED, self.on_error)
                    return
                step.turn.erase()
                self.report_erased(error)
            except InputError as error:
                # It would fail again each time, and hold up all that follows.
                report(error, _NOT_STORABLE, self.on_error)
            except Exception as error:  # noqa: BLE001 - reported to on_error
                report(error, _NOT_STORED, self.on_error)
                return
            del self._unstored[0]
            if (
                step.turn is not None
                and step.turn.answered
                and not any(one.turn is step.turn for one in self._unstored)
            ):
                # Whoever keeps the turn keeps no handle of what another process may erase.
                step.turn.memory = None


_lock = fork_safe_lock()
_conversations: WeakKeyDictionary[Opening, WeakValueDictionary[str, Conversation]] = WeakKeyDictionary()


def conversation_of(opening: Opening, session_id: str) -> Conversation:
    """The conversation of a session: one for all components of this process, as long as one of them holds it. No I/O.

    Raises:
        InputError: the session's id is not 1 to 512 bytes of text, or has NUL or lone surrogates.
    """
    with _lock:
        known = _conversations.setdefault(opening, WeakValueDictionary())
        found = known.get(session_id)
        if found is None:
            found = known[session_id] = Conversation(opening, session_id)
        return found
