"""From hits and stored messages to the messages of a prompt, inside a token budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.prompt.block import recalled_block
from streetai_core.prompt.passages import Passage
from streetai_core.prompt.turns import Turns, as_turns, join, with_question
from streetai_core.tokens import AdditiveCounter, TokenCounter, count_messages
from streetai_core.tool_calls import is_tool_traffic
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
    recall_fits: Callable[[str], bool] | None = None
    """Says whether a recalled block can be sent; `None`: only the settings and the budget do."""


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


@dataclass(frozen=True, slots=True)
class Measured:
    """How long a draft is: enough to tell how long it would be with a longer block, without counting it again."""

    block: int
    """The recalled block, in the counter's measure."""
    content: int
    """The message that it stands in, in the counter's measure."""
    others: int
    """Tokens of all else."""


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
        start = window_start(messages, self._config.recency_turns) or 0
        # The turns begin with a user's message, so only there is a longer window another one.
        opening = [place for place in range(start, len(messages)) if messages[place].role == "user"]
        turns = as_turns(messages[opening[-1] + 1 if opening else start :])
        for place in reversed(opening):
            candidate = as_turns(messages[place:])
            if not self._window_holds(candidate, newest=not turns.messages):
                break
            turns = candidate
        # An answer without its question is quoted only where nothing else of the conversation would be there.
        return replace(turns, leading=()) if turns.messages else turns

    @property
    def config(self) -> Config:
        """The settings."""
        return self._config

    @property
    def recall_limit(self) -> float:
        """Most tokens of the recalled block, beside the budget."""
        decided = self._config.lets_decide(self._frame.token_budget)
        return math.inf if decided or self._config.recall_tokens is None else self._config.recall_tokens

    @property
    def most_hits(self) -> float:
        """Most hits in the block, beside the budget."""
        decided = self._config.lets_decide(self._frame.token_budget)
        return math.inf if decided else self._config.max_thinking_space

    @property
    def counter(self) -> TokenCounter:
        """Counts tokens."""
        return self._counter

    def allows(self, draft: Draft, ceiling: float) -> bool:
        """Whether a prompt is within the ceiling, and its block within the other limits."""
        if self.cost(draft) > ceiling or self._counter.count(draft.block) > self.recall_limit:
            return False
        return self.caller_allows(draft)

    def measured(self, draft: Draft, counter: AdditiveCounter) -> Measured:
        """How long a draft is, by the counter of this prompt."""
        content = counter.measure(str(draft.messages[-1]["content"]))
        return Measured(counter.measure(draft.block), content, self.cost(draft) - counter.tokens(content))

    def exceeds(self, measured: Measured, more: int, ceiling: float, counter: AdditiveCounter) -> bool:
        """Whether a prompt is too long with a block that measures so much more.

        Args:
            measured: the prompt without it.
            more: what the block grows by, in the counter's measure.
            ceiling: most tokens of the prompt.
            counter: the counter of this prompt.
        """
        cost = measured.others + counter.tokens(measured.content + more)
        return cost > ceiling or counter.tokens(measured.block + more) > self.recall_limit

    def caller_allows(self, draft: Draft) -> bool:
        """Whether the block of a prompt is within the limit that only the caller can check, if there is one."""
        fits = self._frame.recall_fits
        return fits is None or not draft.block or fits(draft.block)

    @property
    def has_own_limit(self) -> bool:
        """Whether the caller has a limit that only the caller can check."""
        return self._frame.recall_fits is not None

    def _window_holds(self, turns: Turns, *, newest: bool) -> bool:
        """Whether the window may be these turns; `newest`: they are the first that would be sent at all."""
        size = count_messages(turns.messages, self._counter)
        if self.cost(self.draft(turns)) > self.budget:
            return False
        if self._frame.token_budget is not None and size > (self._frame.token_budget - self._bare) // 2:
            return False
        return newest or self._config.window_tokens is None or size <= self._config.window_tokens


def window_start(messages: Sequence[Message], recency_turns: int) -> int | None:
    """Where the window of `messages` (oldest first) starts, if there is room; `None`: it may be before all of these."""
    start, spoken = len(messages), 0
    while start and spoken < recency_turns:
        start -= 1
        spoken += not is_tool_traffic(messages[start])
    if spoken < recency_turns:
        return None
    leading = as_turns(messages[start:]).leading
    if not leading:
        return start
    before = start - 1
    if not any(message.role == "user" for message in messages[start:]):
        # All these belong to one reply, which is nothing without what asked for it, however many tools it used.
        while before >= 0 and is_tool_traffic(messages[before]):
            before -= 1
    if before < 0:
        return None
    return before if messages[before].role == "user" else start
