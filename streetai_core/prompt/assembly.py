"""From hits and stored messages to the messages of a prompt, inside a token budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.prompt.block import recalled_block
from streetai_core.prompt.passages import Excerpts, Passage, whole
from streetai_core.prompt.turns import Turns, as_turns, join, with_question
from streetai_core.tokens import TokenCounter, count_messages
from streetai_core.types import Hit, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What every prompt has: the question, the system text, and how much all of it may cost."""

    question: str
    system: str | None
    secret: str
    """Keys the fence of the recalled block."""
    history_tokens: int
    """Cost of all stored messages."""
    token_budget: int | None


@dataclass(frozen=True, slots=True)
class Draft:
    """A prompt in the making: the messages to send and what is in them."""

    messages: list[dict[str, Any]]
    turns: Turns
    passages: tuple[Passage, ...] = ()
    block: str = ""

    @property
    def hits(self) -> list[Hit]:
        """The hits shown, best first."""
        return sorted((hit for passage in self.passages for hit in passage.hits), key=lambda hit: -hit.score)


class Assembly:
    """Builds one prompt."""

    def __init__(self, frame: Frame, config: Config, counter: TokenCounter) -> None:
        """Check that the budget can hold the question.

        Raises:
            InputError: system text and question alone are over the budget.
        """
        self._frame = frame
        self._config = config
        self._counter = counter
        self._bare = self.cost(self.draft(as_turns([])))
        if frame.token_budget is not None and self._bare > frame.token_budget:
            raise InputError(
                f"token_budget is {frame.token_budget}, but the new message"
                f"{' and the system text' if frame.system else ''} alone cost {self._bare} tokens; raise it"
            )

    @property
    def full_history_tokens(self) -> int:
        """What resending everything said so far, with the question, would cost."""
        return self._frame.history_tokens + self._bare

    @property
    def budget(self) -> float:
        """Most tokens that the prompt may have."""
        return math.inf if self._frame.token_budget is None else self._frame.token_budget

    def cost(self, draft: Draft) -> int:
        """Tokens of all messages of a draft."""
        return count_messages(draft.messages, self._counter)

    def draft(self, turns: Turns, passages: Sequence[Passage] = ()) -> Draft:
        """The prompt with these turns and passages."""
        block = recalled_block(passages, secret=self._frame.secret, question=self._frame.question)
        spoken = with_question(turns.messages, join(block, self._frame.question))
        instructions = [{"role": "system", "content": self._frame.system}] if self._frame.system else []
        return Draft([*instructions, *spoken], turns, tuple(passages), block)

    def window(self, messages: Sequence[Message]) -> Turns:
        """The newest of `messages` (oldest first) that the window may hold, as turns.

        At most `recency_turns` messages, tool traffic not counted; then the user message before them, if there is room,
        so that the window does not start with an answer. Older messages stop at `window_tokens`; the newest exchange is
        whole in any case, unless it takes more than half of a token budget.
        """
        turns = as_turns([])
        spoken = 0
        for first in range(len(messages) - 1, -1, -1):
            if spoken >= self._config.recency_turns and (not turns.leading or messages[first].role != "user"):
                break
            candidate = as_turns(messages[first:])
            if not self._window_holds(candidate, newest=not turns.messages):
                break
            spoken += not _is_tool_traffic(messages[first])
            turns = candidate
        # An answer without its question is quoted only where nothing else of the conversation would be there.
        return replace(turns, leading=()) if turns.messages else turns

    def fill(self, turns: Turns, hits: Sequence[Hit], messages: Mapping[str, Message], ceiling: float) -> Draft:
        """The prompt with as many of `hits`, best first, as cap and budget allow.

        Args:
            turns: the window.
            hits: the candidates.
            messages: their messages, by id.
            ceiling: most tokens of the prompt.
        """
        excerpts = Excerpts(self._config, self._counter)
        passages: dict[str, Passage] = {}
        for message in turns.leading:
            self._try(turns, passages, whole(message), ceiling)
        taken = 0
        for hit in hits:
            if taken == self._config.max_thinking_space:
                break
            message = messages[hit.signal.parent_turn_id]
            choices = excerpts.choices(hit, message, passages.get(message.message_id))
            taken += any(self._try(turns, passages, choice, ceiling) for choice in choices)
        return self.draft(turns, list(passages.values()))

    def _try(self, turns: Turns, passages: dict[str, Passage], passage: Passage, ceiling: float) -> bool:
        """Take a passage if the prompt still fits with it."""
        candidate = {**passages, passage.message.message_id: passage}
        draft = self.draft(turns, list(candidate.values()))
        limit = self._config.recall_tokens
        if self.cost(draft) > ceiling or (limit is not None and self._counter.count(draft.block) > limit):
            return False
        passages[passage.message.message_id] = passage
        return True

    def _window_holds(self, turns: Turns, *, newest: bool) -> bool:
        """Whether the window may be these turns; `newest`: they are the first that would be sent at all."""
        size = count_messages(turns.messages, self._counter)
        if self.cost(self.draft(turns)) > self.budget:
            return False
        if self._frame.token_budget is not None and size > (self._frame.token_budget - self._bare) // 2:
            return False
        return newest or self._config.window_tokens is None or size <= self._config.window_tokens


def _is_tool_traffic(message: Message) -> bool:
    """A tool result, or a message that calls tools: part of an exchange, not counted as a message of the window."""
    return message.role == "tool" or bool(message.metadata.get("tool_calls"))
