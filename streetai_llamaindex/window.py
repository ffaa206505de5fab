"""Which messages go to the model: the newest whole exchanges that fit, beside what is recalled. No I/O.

Exchanges begin with a user message, and a window begins with an exchange, so that no tool result ever lacks its call
and no window begins with an answer. Everything is counted: words, tool calls, thinking, attachments.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

from llama_index.core.base.llms.types import ChatMessage

from streetai_core.forking import fork_safe_lock
from streetai_core.prompt.turns import INSTRUCTION_ROLES
from streetai_llamaindex.speech import kind_of, role_of, text_of
from streetai_llamaindex.transcript import Line

Tokenizer: TypeAlias = Callable[[str], Sized]
"""LlamaIndex's `tokenizer_fn`: text in, tokens out; only their number matters."""

_ATTACHMENT_TOKENS = {"image": 256, "audio": 256, "video": 256, "document": 2048}
"""What an attachment counts, whatever its size: the estimates of LlamaIndex's own `Memory`."""

_MOST_COUNTED = 16_384
"""Messages whose tokens are remembered: longer than any window."""


class TokenCosts:
    """Counts tokens, of each message once. Safe to use from several threads.

    Args:
        tokenizer: LlamaIndex's `tokenizer_fn`.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        """What counts."""
        self._lock = fork_safe_lock()
        self._counted: OrderedDict[tuple[str, str], int] = OrderedDict()

    def of_text(self, text: str) -> int:
        """Tokens of a text."""
        return len(self.tokenizer(text))

    def of_lines(self, lines: Sequence[Line]) -> list[int]:
        """Tokens of messages."""
        return [self._of_line(line) for line in lines]

    def _of_line(self, line: Line) -> int:
        key = (line.key, line.text)
        with self._lock:
            known = self._counted.get(key)
        if known is None:
            known = self.of_message(line.message)
            with self._lock:
                self._counted[key] = known
                while len(self._counted) > _MOST_COUNTED:
                    self._counted.popitem(last=False)
        return known

    def of_message(self, message: ChatMessage) -> int:
        """Tokens of all that a message sends to the model.

        A blank goes in front of the words, as between the messages that LlamaIndex counts together: so the sum over
        messages is what LlamaIndex counts.
        """
        words = self.of_text(" " + text_of(message))
        counted: dict[bool, int] = {True: 0, False: 0}
        for block in message.blocks:
            kind = kind_of(block)
            if kind != "text":
                counted[kind == "tool_call"] += self._of_block(block)
        # Messages of some models carry their calls in both forms.
        called, others = max(counted[True], self._of_raw_calls(message)), counted[False]
        return words + called + others

    def _of_raw_calls(self, message: ChatMessage) -> int:
        calls = message.additional_kwargs.get("tool_calls")
        return self.of_text(json.dumps(calls, default=str, ensure_ascii=False)) if calls else 0

    def _of_block(self, block: Any) -> int:
        """Tokens of a block; 0 for a kind that sends nothing, such as a mark for a cache."""
        match kind_of(block):
            case "image" | "audio" | "video" | "document" as kind:
                return _ATTACHMENT_TOKENS[kind]
            case "text":
                return self.of_text(block.text)
            case "thinking":
                return int(block.num_tokens or self.of_text(block.content or ""))
            case "tool_call":
                sent = [block.tool_call_id, block.tool_name, block.tool_kwargs]
                return self.of_text(json.dumps(sent, default=str, ensure_ascii=False))
            case "citable" | "citation" as kind:
                nested = block.content if kind == "citable" else [block.cited_content]
                return sum(self._of_block(one) for one in nested)
            case _:
                return 0


@dataclass(frozen=True, slots=True)
class Shares:
    """How the tokens of one prompt are shared between window and recall."""

    window: Sequence[Line]
    """What is shown if something is recalled."""
    recall: int
    """Most tokens of the recalled text; 0 or less: none."""


def shares(
    lines: Sequence[Line], costs: Sequence[int], available: int, ratio: float, *, complete: bool, question: str | None
) -> Shares:
    """Share the tokens that are there.

    A history that fits is shown whole, and recall gets what is left. Else recall has its share, the window the rest.

    Args:
        lines: the end of the transcript, oldest first.
        costs: their tokens.
        available: tokens for both.
        ratio: most of `available` that recall may have, from 0 to 1.
        complete: whether `lines` is the whole transcript.
        question: the key of the line that is never left out.
    """
    reserve = int(available * ratio)
    total = sum(costs)
    if complete and total <= available:
        shown = fitting(lines, costs, available, complete=True, question=question)
        return Shares(shown, min(reserve, available - total))
    shown = fitting(lines, costs, available - reserve, complete=complete, question=question)
    used = sum(costs[len(lines) - len(shown) :])
    return Shares(shown, min(reserve, available - used))


def fitting(
    lines: Sequence[Line], costs: Sequence[int], available: int, *, complete: bool, question: str | None
) -> Sequence[Line]:
    """The longest end of a transcript that begins with an exchange and fits.

    If nothing fits it is the exchange of the question, or a last message that needs no other one before it: that it is
    too long is for the model to say. Time is linear in the number of messages.

    Args:
        lines: the end of the transcript, oldest first.
        costs: their tokens.
        available: most tokens.
        complete: whether `lines` is the whole transcript; then it may begin with instructions.
        question: the key of the line that is never left out.
    """
    from_here = list(accumulate(reversed(costs)))[::-1]
    asked = next((place for place in range(len(lines) - 1, -1, -1) if lines[place].key == question), None)
    for place, line in enumerate(lines):
        role = role_of(line.message)
        begins = role == "user" or (complete and place == 0 and role in INSTRUCTION_ROLES)
        if (begins and from_here[place] <= available) or place == asked:
            return lines[place:]
    return lines[-1:] if lines and role_of(lines[-1].message) not in ("assistant", "tool") else ()


def from_start(lines: Sequence[Line], start: str | None) -> Sequence[Line]:
    """The lines from the one with this key on; all of them, if it is not there."""
    place = next((place for place, line in enumerate(lines) if line.key == start), 0)
    return lines[place:]
