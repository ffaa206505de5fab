"""One session of one engine: planning in the caller's context, and the I/O that may run on a worker thread.

All components on one session of one engine share its `Conversation`, and so its turn ledger: a memory, the copies of it
that come back from a `Context`, a retriever and a handler see one turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock, RLock
from typing import Any, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakValueDictionary

from llama_index.core.base.llms.types import ChatMessage

from streetai_core import Memory, Message, NewMessage
from streetai_core.errors import InputError, StaleMemoryError
from streetai_core.failures import OnError, fail_open, report
from streetai_core.text.clean import check_id, is_blank
from streetai_llamaindex.alignment import align
from streetai_llamaindex.messages import copied, to_stored
from streetai_llamaindex.opening import Opening
from streetai_llamaindex.speech import ends_turn, reply_text, text_of
from streetai_llamaindex.transcript import Line, Reading, StoredLines, line_of
from streetai_llamaindex.turns import Turn, TurnLedger

_NOT_RECALLED = "nothing is recalled for this turn"
_NOT_STORED = "what was said is kept in RAM and stored with the next message"
_NOT_STORABLE = "a message is not stored"
_NOT_READ = "the window is what was read last"
_NOT_SET = "the stored history stays what it was"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Messages that are stored in one transaction, with the learning that goes with them."""

    turn: Turn | None
    messages: tuple[NewMessage, ...]
    """Each has an id, so that storing them again changes nothing."""
    spoken: tuple[ChatMessage, ...]
    """The same, as LlamaIndex messages; copies."""
    reply: str = ""
    """The final reply to learn from."""
    asks: bool = False
    """Whether it is a user message."""
    again: bool = False
    """Whether it is a user message that was put before, and had no answer."""


class Conversation:
    """What was said in one session, and its turns. Get one from `conversation_of`.

    Methods without I/O find out which turn is meant: call them in the context that asks. Methods with I/O do not look
    at the context, so they may run on a worker thread. None of them raises because the memory fails, except `forget`.
    """

    def __init__(self, opening: Opening, session_id: str) -> None:
        self.opening = opening
        self.session_id = check_id(session_id, "session_id")
        self.turns = TurnLedger()
        self.on_error: OnError | None = None
        """Told of every failure."""
        self.tokenizer: Callable[[str], list[Any]] | None = None
        """What a memory on it counts tokens with, for the copies of it that come back from JSON."""
        self._lines = StoredLines()
        self._known = Reading((), complete=True)
        self._writing = RLock()
        self._unstored: list[Step] = []

    # ------------------------------------------------- in the caller's context

    def plan(self, messages: Iterable[ChatMessage]) -> list[Step]:
        """Say which turns messages belong to, and open and end them. No I/O; give the result to `store`.

        Raises:
            InputError: one of them is not a message.
        """
        steps: list[Step] = []
        open_step: list[tuple[Turn | None, NewMessage, ChatMessage]] = []

        def close(reply: str = "") -> None:
            if open_step:
                said, spoken = zip(*((new, one) for _, new, one in open_step), strict=True)
                steps.append(Step(open_step[-1][0], said, spoken, reply))
                open_step.clear()

        for message in messages:
            stored = to_stored(message, self.session_id)
            if stored.role == "user":
                close()
                steps.append(self._asked(stored, message))
                continue
            turn = self.turns.answering()
            if turn is None:
                close()
            name = _new_id() if turn is None else turn.next_message_id()
            ends = turn is not None and ends_turn(message)
            # Of what belongs to no question only a greeting advances the clock.
            ticks = ends or (self.turns.find() is None and ends_turn(message))
            open_step.append((turn, replace(stored, message_id=name, ticks=ticks), copied(message)))
            if turn is not None and ends:
                turn.reply = reply_text(message)
                turn.outcome = "answered"
                close(turn.reply)
        close()
        return steps

    def retrieving(self, question: str) -> Turn | None:
        """The turn that a retriever is asked in: the open one of this run or context, else the one of the question.

        No I/O. Add what was retrieved to its `retrieved_ids`. `None` for a blank question.
        """
        turn = self.turns.own()
        if turn is not None and turn.outcome == "open":
            return turn
        return None if is_blank(question) else self.turns.asked(question)[0]

    def _asked(self, stored: NewMessage, message: ChatMessage) -> Step:
        """The step of a user message."""
        words = text_of(message)
        turn = self.turns.open(words) if is_blank(words) else self.turns.asked(words)[0]
        before = turn.asked
        if before is not None and (before.content, before.metadata) == (stored.content, stored.metadata):
            return Step(turn, (before,), (copied(message),), asks=True, again=True)
        # The same words with another image, say, are another message of the same turn, and no second tick.
        asked = replace(stored, message_id=turn.next_message_id(), ticks=before is None)
        if before is None:
            turn.asked = asked
        return Step(turn, (asked,), (copied(message),), asks=True)

    # -------------------------------------------------------------- with I/O

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

    def newest(self, count: int) -> Reading:
        """The last `count` messages of the transcript, and those that are not stored yet."""
        # Looked at before the store is, so that a message that is being stored is in one of the two.
        waiting = [line for step in list(self._unstored) for line in _lines_of(step)]
        with fail_open(_NOT_READ, self.on_error):
            stored = self._with_memory(lambda memory: memory.messages(conversation_id=self.session_id, last=count))
            self._known = Reading(self._lines.of(stored), complete=len(stored) < count)
        known = self._known
        keys = {line.key for line in known.lines}
        return replace(known, lines=[*known.lines, *(line for line in waiting if line.key not in keys)])

    def everything(self) -> list[Line]:
        """The whole transcript."""
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
            if turn.recalled:
                return
            turn.recalled = True
            if budget <= 0 or is_blank(turn.question):
                return
            with fail_open(_NOT_RECALLED, self.on_error):
                prompt = self._with_memory(
                    lambda memory: memory.build_prompt(
                        turn.question,
                        conversation_id=self.session_id,
                        shown=[*shown, *turn.retrieved_texts],
                        recall_fits=lambda block: cost(block) <= budget,
                    )
                )
                turn.hits, turn.recalled_text = tuple(prompt.retrieved), prompt.recalled_text

    def set_to(self, messages: Sequence[ChatMessage]) -> None:
        """Make the transcript these messages; those that are there stay, with what was learned about them.

        See `align` for what is deleted and what is new.
        """
        with self._writing, fail_open(_NOT_SET, self.on_error):
            sent = [replace(to_stored(one, self.session_id), message_id=_new_id()) for one in messages]
            self._drain()
            change = self._with_memory(lambda memory: self._changed(memory, sent))
            self._unstored.clear()
            if sent[change:]:
                self.store([Step(None, tuple(sent[change:]), tuple(copied(one) for one in messages[change:]))])

    def delete(self, key: str) -> bool:
        """Delete one message of the transcript; say whether it was there.

        Args:
            key: of its line.

        Raises:
            StoreError: the database failed; nothing was deleted.
        """
        with self._writing:
            self._drain()
            return self._with_memory(lambda memory: memory.delete_message(key))

    def forget(self) -> None:
        """Forget this session, what was said and what was learned, and no other.

        Raises:
            StoreError: the database failed, so that not all is forgotten.
        """
        with self._writing:
            self._unstored.clear()
            self.turns.forget()
            self.opening.registry.reset(self.session_id)
            self._known = Reading((), complete=True)

    def _with_memory(self, action: Callable[[Memory], Result]) -> Result:
        """Do something with the memory of this session; again, if another process has reset it meanwhile."""
        try:
            return action(self.opening.registry.get(self.session_id))
        except StaleMemoryError:
            return action(self.opening.registry.get(self.session_id))

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
                self._with_memory(partial(self._stored, step=step))
            except InputError as error:
                # It would fail again each time, and hold up all that follows.
                report(error, _NOT_STORABLE, self.on_error)
            except Exception as error:  # noqa: BLE001 - reported to on_error
                report(error, _NOT_STORED, self.on_error)
                return
            del self._unstored[0]

    def _stored(self, memory: Memory, step: Step) -> None:
        """Store one step."""
        turn = step.turn
        if turn is not None and step.asks and not step.again:
            unanswered = self._unanswered(memory, step.messages[0])
            if unanswered is not None:
                # Put before a restart, and never answered: this is the same turn.
                turn.asked = replace(step.messages[0], message_id=unanswered.message_id)
                return
        if turn is not None and step.reply and turn.retrieved:
            memory.record_turn(turn.turn_id, step.messages, retrieved=turn.retrieved, reply=step.reply)
        else:
            memory.add_messages(step.messages)

    def _unanswered(self, memory: Memory, asked: NewMessage) -> Message | None:
        """The newest stored message, if it is the same question."""
        newest = memory.messages(conversation_id=self.session_id, last=1)
        same = bool(newest) and (newest[0].role, newest[0].content, dict(newest[0].metadata)) == (
            asked.role,
            asked.content,
            dict(asked.metadata or {}),
        )
        return newest[0] if same else None

    def _changed(self, memory: Memory, sent: Sequence[NewMessage]) -> int:
        """Delete what is not in a history that was sent; where what is new in it begins."""
        stored = memory.messages(conversation_id=self.session_id)
        change = align(stored, sent)
        if stored and len(change.delete) == len(stored):
            memory.delete_conversation(self.session_id)
        else:
            for message in change.delete:
                memory.delete_message(message.message_id)
        return change.add


_lock = Lock()
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


def _lines_of(step: Step) -> list[Line]:
    """The lines of a step that is not stored yet."""
    return [line_of(str(new.message_id), one) for new, one in zip(step.messages, step.spoken, strict=True)]


def _new_id() -> str:
    """An id for a message that belongs to no turn."""
    return f"llamaindex-{uuid4().hex}"
