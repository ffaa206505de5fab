"""Which turns messages belong to: found out in the context of whoever says them, without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

from llama_index.core.base.llms.types import ChatMessage

from streetai_core import NewMessage
from streetai_core.errors import StaleMemoryError, StreetAIError
from streetai_core.failures import OnError, report
from streetai_core.prompt.turns import INSTRUCTION_ROLES
from streetai_core.text.clean import check_id, is_blank
from streetai_llamaindex.echoes import is_echo
from streetai_llamaindex.messages import copied, to_stored
from streetai_llamaindex.opening import Opening
from streetai_llamaindex.speech import ends_turn, is_spoken, reply_text, role_of, same_words, text_of
from streetai_llamaindex.steps import Step
from streetai_llamaindex.turns import Turn, TurnLedger, current_run_id

_ERASED = "this turn, which began before its session was erased, is not stored"


class Planning:
    """The turns of one session, without I/O of its own: call it in the context that asks or says something."""

    def __init__(self, opening: Opening, session_id: str) -> None:
        self.opening = opening
        self.session_id = check_id(session_id, "session_id")
        self.turns = TurnLedger()
        self.on_error: OnError | None = None
        """Told of every failure."""

    def plan(self, messages: Iterable[ChatMessage]) -> list[Step]:
        """Say which turns messages belong to, and open and end them. No I/O; give the result to `store`.

        Raises:
            InputError: one of them is not a message.
        """
        messages = list(messages)
        results = self._results(messages)
        steps: list[Step] = []
        open_step: list[tuple[Turn | None, NewMessage, ChatMessage]] = []

        def close(reply: str = "") -> None:
            if open_step:
                said, spoken = zip(*((new, one) for _, new, one in open_step), strict=True)
                steps.append(Step(open_step[-1][0], said, spoken, reply))
                open_step.clear()

        for place, message in enumerate(messages):
            stored = replace(to_stored(message, None), source="tool" if place in results else None)
            if self._is_of_erased(stored, message):
                continue
            if stored.role == "user" and stored.source is None:
                close()
                steps.append(self._asked(stored, message))
                continue
            turn = self.turns.answering()
            if turn is None:
                close()
            if turn is not None and stored.role == "tool" and is_echo(stored.content, turn.retrieved_texts):
                stored = to_stored(message, None, is_recalled=False)
            name = new_id() if turn is None else turn.next_message_id()
            ends = turn is not None and place >= max(results, default=0) and ends_turn(message)
            # Of what belongs to no question only a greeting advances the clock.
            ticks = ends or (self.turns.find() is None and ends_turn(message))
            open_step.append((turn, replace(stored, message_id=name, ticks=ticks), copied(message)))
            if turn is not None and is_spoken(message):
                turn.is_asked_last = False
            if turn is not None and ends:
                turn.reply = reply_text(message)
                turn.outcome = "answered"
                close(turn.reply)
        close()
        return steps

    def _results(self, messages: Sequence[ChatMessage]) -> set[int]:
        """Where among the steps of an agent's run are results that it has put as the user's words, as of its code.

        They are no question, and nobody's word: what the agent said before them is no reply yet.
        """
        turn = self.turns.own()
        in_run = turn is not None and turn.run_id is not None and turn.run_id == current_run_id()
        if turn is None or not in_run or turn.asked is None or turn.outcome != "open":
            return set()
        later = enumerate(messages[1:], start=1)
        return {at for at, one in later if role_of(one) == "user" and not same_words(turn.question, text_of(one))}

    def retrieving(self, question: str) -> Turn | None:
        """The turn that a retriever is asked in: the open one of this run or context, else the one of the question.

        No I/O. Add what was retrieved to its `retrieved_ids`. `None` for a blank question.
        """
        turn = self.turns.own()
        if turn is not None and turn.outcome == "open":
            return turn
        return None if is_blank(question) else self.turns.asked(question)[0]

    def has_outlived(self, turn: Turn) -> bool:
        """Whether the session is known to have another memory than that which a turn was begun in. No I/O."""
        with suppress(StreetAIError):
            return turn.memory is not None and self.opening.registry.get(self.session_id) is not turn.memory
        return False

    def _is_of_erased(self, stored: NewMessage, message: ChatMessage) -> bool:
        """Whether a message is the rest of a turn whose session was erased meanwhile: then it is not stored."""
        turn = self.turns.erased()
        if turn is None:
            return False
        if stored.role == "user":
            # Engines that read before they put have asked before the erasure; what is put twice is asked anew.
            return turn.asked is None and same_words(turn.question, text_of(message))
        if stored.role in INSTRUCTION_ROLES:
            # Instructions are no rest of a turn: the session is begun anew, and nobody waits for that reply any more.
            turn.outcome = "abandoned"
            return False
        if ends_turn(message):
            turn.outcome = "abandoned"
            self.report_erased(StaleMemoryError(f"session {self.session_id!r} was reset before the reply was there"))
        return True

    def report_erased(self, error: StaleMemoryError) -> None:
        """Tell that a turn is not stored, because its session was erased."""
        report(error, _ERASED, self.on_error)

    def _asked(self, stored: NewMessage, message: ChatMessage) -> Step:
        """The step of a user message."""
        words = text_of(message)
        turn = self.turns.open(words) if is_blank(words) else self.turns.asked(words, says=True)[0]
        before, is_last = turn.asked, turn.is_asked_last
        turn.is_asked_last = True
        if before is not None and is_last and (before.content, before.metadata) == (stored.content, stored.metadata):
            return Step(turn, (before,), (copied(message),), asks=True, again=True)
        # The same words with another image, say, or after a reply that says nothing, are another message of the same
        # turn, and no second tick.
        asked = turn.asked = replace(stored, message_id=turn.next_message_id(), ticks=before is None)
        return Step(turn, (asked,), (copied(message),), asks=True)


def new_id() -> str:
    """An id for a message that belongs to no turn."""
    return f"llamaindex-{uuid4().hex}"
