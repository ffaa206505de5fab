"""What a read of the memory hands out: the window, and what is recalled for the question of the turn.

A read has four steps, so that its async twin is the same with two of them on a worker thread: which turn it belongs to
(in the caller's context), reading the transcript (I/O), the turn again, if only the transcript tells the question (in
the caller's context), and recall and rendering (I/O).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock

from streetai_core.text.clean import is_blank
from streetai_core.verbs.arguments import AskedAt, moment_of
from streetai_llamaindex.conversations import Conversation
from streetai_llamaindex.exchanges import with_whole_exchanges
from streetai_llamaindex.messages import beside_text, copied
from streetai_llamaindex.sources import Source
from streetai_llamaindex.speech import is_tool_traffic, role_of, same_words, text_of
from streetai_llamaindex.transcript import Line, Reading
from streetai_llamaindex.turns import RECALLED, Turn, current_run_id
from streetai_llamaindex.window import TokenCosts, fitting, from_start, shares

InsertMethod: TypeAlias = Literal["user", "system"]
"""Where recalled text goes: next to the question, or into a system message in front of the window."""

_SHORT_MESSAGE = 16
"""Tokens of the messages of a chat in which people write little: how many are read at first assumes such a one."""
_LEAST_READ, _MOST_READ = 64, 4096
"""Bounds of how many messages are read at first; a transcript without a limit is not read at once."""
_GROWTH = 4
"""How many times as many are read when they leave room for more."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads for one memory."""

    conversation: Conversation
    source: Source
    costs: TokenCosts
    recall_token_ratio: float
    insert_method: InsertMethod
    asked_at: AskedAt | None = None
    """When and where questions are asked; `None`: the engine's clock."""

    def turn_of(self, asked: str) -> Turn | None:
        """The turn that a read belongs to, opened if it asks something new. In the caller's context; no I/O.

        Args:
            asked: the words of the question; blank if the read has none.
        """
        turns = self.conversation.turns
        late = turns.erased()
        if late is not None and late.run_id is not None and same_words(late.question, asked):
            # A later step of the run, such as after a tool that has erased the session: it asks nothing anew.
            return None
        return turns.find() if is_blank(asked) else turns.asked(asked)[0]

    def read(self, available: int, turn: Turn | None) -> Reading:
        """As much of the end of the transcript as may fit into `available` tokens, and the turn's question. I/O."""
        asked = None if turn is None or turn.asked is None or turn.answered else turn.asked.message_id
        count = min(max(_LEAST_READ, available // _SHORT_MESSAGE), _MOST_READ)
        while True:
            reading = self.source.newest(count, turn)
            there = asked is None or any(line.key == asked for line in reading.lines)
            enough = there and sum(self.costs.of_lines(reading.lines)) > available
            # Fewer than asked for: reading failed, and this is what was read last.
            if reading.complete or enough or len(reading.lines) < count:
                return reading
            count *= _GROWTH

    def turn_in(self, reading: Reading, turn: Turn | None) -> Turn | None:
        """The turn, or another one if the transcript ends with a question that belongs to none; with its time.

        In the caller's context; no I/O.

        Raises:
            InputError: the function that tells the time has told none.
        """
        if turn is not None and turn.run_id is None and turn.asked is None and self.conversation.has_outlived(turn):
            # An engine that puts when it has the reply has failed, and the session was erased before it asked again.
            turn.erase()
            turn = self.conversation.turns.open(turn.question)
        turn = self._turn_in(reading, turn)
        if turn is not None and not turn.recalled and not turn.answered:
            turn.asked_at = moment_of(self.asked_at)
        return turn

    def _turn_in(self, reading: Reading, turn: Turn | None) -> Turn | None:
        if turn is not None and (not turn.answered or (turn.run_id is not None and turn.run_id == current_run_id())):
            return turn
        question = _unanswered(reading.lines)
        if question is None or is_blank(text_of(question.message)):
            return turn
        return self.conversation.turns.asked(text_of(question.message))[0]

    def messages(self, reading: Reading, turn: Turn | None, available: int) -> list[ChatMessage]:
        """Window and recalled text, within `available` tokens: the same copies for the whole turn. I/O.

        After the answer, and without a question, there is no recalled text.
        """
        question = None if turn is None or turn.answered else _question_line(reading.lines, turn)
        # Where the engine has yet to put the question, all that is there was said before it.
        lines: Sequence[Line] = with_whole_exchanges(
            reading.lines, over=turn is not None and not turn.answered and question is None
        )
        costs, complete = self.costs.of_lines(lines), reading.complete
        if turn is None or turn.answered:
            shown = fitting(lines, costs, available, complete=complete, question=None)
            return [copied(line.message) if turn is None else _copy_of(line, turn) for line in shown]
        key = None if question is None else question.key
        self.conversation.check_recalled(turn)
        if not turn.recalled:
            share = shares(lines, costs, available, self.recall_token_ratio, complete=complete, question=key)
            self.conversation.recall(turn, _texts(share.window), share.recall, self._cost_of_recalled)
            if turn.recalled_text:
                turn.window_start = share.window[0].key if share.window else None
        if turn.recalled_text:
            available -= self._cost_of_recalled(turn.recalled_text)
            lines = from_start(lines, turn.window_start)
            complete = complete and len(lines) == len(costs)
            costs = costs[len(costs) - len(lines) :]
        shown = fitting(lines, costs, available, complete=complete, question=key)
        with turn.lock:
            return self._rendered(shown, turn, question)

    def _rendered(self, shown: Sequence[Line], turn: Turn, question: Line | None) -> list[ChatMessage]:
        """Copies of the window with the recalled text in its place."""
        text = turn.recalled_text
        if not text:
            return [_copy_of(line, turn) for line in shown]
        if self.insert_method == "system":
            return [_recalled(turn, MessageRole.SYSTEM), *(_copy_of(line, turn) for line in shown)]
        messages = [_copy_of(line, turn, text if line is question else "") for line in shown]
        if question is None or question not in shown:
            # The engine adds the question itself, after what it gets from here.
            messages.append(_recalled(turn, MessageRole.USER))
        return messages

    def _cost_of_recalled(self, text: str) -> int:
        """Tokens of the recalled text with what joins it to the question."""
        return self.costs.of_text(text + "\n\n")


def _recalled(turn: Turn, role: MessageRole) -> ChatMessage:
    """The recalled text as a message of its own."""
    message = turn.view.get(RECALLED)
    if message is None:
        message = turn.view[RECALLED] = ChatMessage(role=role, blocks=[TextBlock(text=turn.recalled_text)])
    return message


def _copy_of(line: Line, turn: Turn, text: str = "") -> ChatMessage:
    """The turn's copy of a message, with `text` in front of its words if there is one."""
    key = f"{RECALLED}/{line.key}" if text else line.key
    message = turn.view.get(key)
    if message is None:
        message = turn.view[key] = beside_text(line.message, text) if text else copied(line.message)
    return message


def _texts(lines: Sequence[Line]) -> list[str]:
    """The texts of a window, in the forms that they may be stored in."""
    return [form for line in lines for form in dict.fromkeys((line.text, line.text.strip()))]


def _unanswered(lines: Sequence[Line]) -> Line | None:
    """The newest user message, if nothing but tool traffic came after it."""
    for line in reversed(lines):
        if role_of(line.message) == "user":
            return line
        if not is_tool_traffic(line.message):
            return None
    return None


def _question_line(lines: Sequence[Line], turn: Turn) -> Line | None:
    """Where the question of a turn is; `None` if it was not put yet.

    Chat stores of the user's know no ids: there it is the newest user message with its words.
    """
    stored = None if turn.asked is None else turn.asked.message_id
    named = next((line for line in lines if line.key == stored), None)
    if named is not None:
        return named
    spoken = (line for line in reversed(lines) if role_of(line.message) == "user")
    same = next((line for line in spoken if same_words(text_of(line.message), turn.question)), None)
    return same if turn.asked is not None or same is _unanswered(lines) else None
