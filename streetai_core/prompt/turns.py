"""Stored messages as turns that every chat API accepts: whole tool exchanges, and roles that take turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from streetai_core.tool_calls import CALL_ID, CALLS, beside_calls, call_ids, calls_of, values_called
from streetai_core.types import Message

INSTRUCTION_ROLES = frozenset({"system", "developer"})
"""Roles that speak for the app; they stand before the conversation, never in it."""

WORDLESS = "[a message without text]"
"""Stands in a turn for a message that has no text, such as an image: a reply to it would be taken for one to what was
said before, and a question that it is the reply to for one that nobody has answered."""

_SEPARATOR = "\n\n"
"""Between the texts of neighbouring messages of one role, which most APIs only take as one."""


@dataclass(frozen=True, slots=True)
class Turns:
    """What of a run of messages can be sent as turns."""

    messages: list[dict[str, Any]]
    """Starts with the user; no two user and no two assistant messages in a row; tool results follow their calls."""
    shown: tuple[Message, ...]
    """The stored messages in it."""
    leading: tuple[Message, ...]
    """Assistant messages before the first user message: no API takes them as turns, so they can only be quoted."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A stored message as a part of turns."""

    message: Message
    exchanged: bool = False
    """Whether it calls tools or is the result of a call, and all results of these calls are there."""

    @property
    def is_wordless_reply(self) -> bool:
        """Whether all that it says is that there was a reply."""
        return self.message.role == "assistant" and not self.exchanged and not self.message.content.strip()


def as_turns(messages: Sequence[Message]) -> Turns:
    """The turns of a run of messages, oldest first.

    System and developer messages are left out, and so are tool calls without all their results, which no provider
    takes, and results without their call. What the model said beside such calls stays. Where it said nothing else in
    reply to the user, something stands for it, for the question is not open: what it called the tool with, as a
    structured answer is given by a call that nothing follows. So it is of a message without text, on either side.
    """
    parts = _heard(_exchanges([one for one in messages if one.role not in INSTRUCTION_ROLES], tools=True))
    first = next((number for number, part in enumerate(parts) if part.message.role == "user"), len(parts))
    before, shown = [part.message for part in parts[:first]], parts[first:]
    leading = tuple(message for message in before if message.role == "assistant" and message.content.strip())
    turns: list[dict[str, Any]] = []
    for part in shown:
        turn = _turn(part)
        if turns and turn["role"] != "tool" and turns[-1]["role"] == turn["role"] and CALLS not in turns[-1]:
            turns[-1] = {**turn, "content": join(turns[-1]["content"], turn["content"])}
        else:
            turns.append(turn)
    return Turns(turns, tuple(part.message for part in shown), leading)


def without_tools(messages: Sequence[Message]) -> list[Message]:
    """The messages as a chat has them that knows no tools: no calls and no results, but a reply to each that had one.

    Each has the text that stands for it in a turn.
    """
    return [
        replace(one, content=words_of(one), metadata={key: one.metadata[key] for key in one.metadata if key != CALLS})
        for one in (part.message for part in _heard(_exchanges(messages, tools=False)))
    ]


def words_of(message: Message) -> str:
    """What stands in a turn for a message of the user's or the model's: its text, else what it gave to a tool.

    A message that has neither says so.
    """
    return message.content if message.content.strip() else values_called(calls_of(message)) or WORDLESS


def join(*texts: str) -> str:
    """Texts as one, the empty ones left out."""
    return _SEPARATOR.join(text for text in texts if text)


def with_question(turns: Sequence[dict[str, Any]], question: str) -> list[dict[str, Any]]:
    """The turns, ending with the user's new message; joined to an unanswered one before it."""
    if turns and turns[-1]["role"] == "user":
        return [*turns[:-1], {**turns[-1], "content": join(turns[-1]["content"], question)}]
    return [*turns, {"role": "user", "content": question}]


def _exchanges(messages: Sequence[Message], *, tools: bool) -> list[_Part]:
    """The messages without results that belong to no call, and without those of broken exchanges.

    Args:
        messages: without instructions.
        tools: whether exchanges are wanted; else they count as broken.
    """
    parts: list[_Part] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        calls = call_ids(message)
        results: list[Message] = []
        while calls and position < len(messages) and messages[position].role == "tool":
            results.append(messages[position])
            position += 1
        answered = [one for result in results if isinstance(one := result.metadata.get(CALL_ID), str)]
        if tools and calls and len(answered) == len(results) and sorted(calls) == sorted(answered):
            parts += [_Part(one, exchanged=True) for one in (message, *results)]
        elif message.role != "tool":
            parts.append(_Part(message))
    return parts


def _heard(parts: Sequence[_Part]) -> list[_Part]:
    """The parts without those that say nothing, unless a reply would lack its question, or a question its reply."""
    replied = [part for number, part in enumerate(parts) if not part.is_wordless_reply or _is_the_reply(parts, number)]
    heard: list[_Part] = []
    for number, part in enumerate(replied):
        following = replied[number + 1 : number + 2]
        stands_alone = not (heard and heard[-1].message.role == "user")
        is_answered = stands_alone and bool(following) and following[0].message.role == "assistant"
        if is_answered or part.message.role != "user" or part.message.content.strip():
            heard.append(part)
    return heard


def _is_the_reply(parts: Sequence[_Part], number: int) -> bool:
    """Whether a reply without words is the last word to the user, and not more of what was said in words."""
    if any(part.message.role != "user" for part in parts[number + 1 : number + 2]):
        return False
    before = next((part for part in _before(parts, number) if not part.is_wordless_reply), None)
    return before is not None and before.message.role != "assistant"


def _before(parts: Sequence[_Part], number: int) -> Iterator[_Part]:
    """The parts before one, the nearest first."""
    return (parts[place] for place in range(number - 1, -1, -1))


def _turn(part: _Part) -> dict[str, Any]:
    """A part as a dict, with what ties calls and results together."""
    message = part.message
    if not part.exchanged:
        return {"role": message.role, "content": words_of(message)}
    turn: dict[str, Any] = {"role": message.role, "content": beside_calls(message)}
    if message.role == "tool":
        turn[CALL_ID] = message.metadata[CALL_ID]
    else:
        turn[CALLS] = message.metadata[CALLS]
    return turn
