"""Stored messages as turns that every chat API accepts: whole tool exchanges, and roles that take turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streetai_core.types import Message, NewMessage

INSTRUCTION_ROLES = frozenset({"system", "developer"})
"""Roles that speak for the app; they stand before the conversation, never in it."""

WORDLESS = "[a message without text]"
"""Stands in a turn for a message of the user's that has no text, such as an image: its reply would be taken for one to
what was said before."""

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


def as_turns(messages: Sequence[Message]) -> Turns:
    """The turns of a run of messages, oldest first.

    System and developer messages are left out, and so are tool calls without all their results and results without
    their call, and messages without text, but for those of the user's that a reply follows on.
    """
    spoken = _heard(_whole_tool_exchanges([one for one in messages if one.role not in INSTRUCTION_ROLES]))
    first = next((number for number, message in enumerate(spoken) if message.role == "user"), len(spoken))
    leading = tuple(message for message in spoken[:first] if message.role == "assistant" and message.content.strip())
    shown = spoken[first:]
    turns: list[dict[str, Any]] = []
    for message in shown:
        turn = _turn(message)
        if turns and turn["role"] != "tool" and turns[-1]["role"] == turn["role"] and "tool_calls" not in turns[-1]:
            turns[-1] = {**turn, "content": join(turns[-1]["content"], turn["content"])}
        else:
            turns.append(turn)
    return Turns(turns, tuple(shown), leading)


def is_tool_traffic(message: Message | NewMessage) -> bool:
    """Whether a message calls tools, or is the result of a call: part of an exchange that is sent as a whole."""
    return message.role == "tool" or bool((message.metadata or {}).get("tool_calls"))


def words_of(message: Message) -> str:
    """What stands in a turn for a stored message: its text, or that it has none."""
    return WORDLESS if message.role == "user" and not message.content.strip() else message.content


def join(*texts: str) -> str:
    """Texts as one, the empty ones left out."""
    return _SEPARATOR.join(text for text in texts if text)


def with_question(turns: Sequence[dict[str, Any]], question: str) -> list[dict[str, Any]]:
    """The turns, ending with the user's new message; joined to an unanswered one before it."""
    if turns and turns[-1]["role"] == "user":
        return [*turns[:-1], {**turns[-1], "content": join(turns[-1]["content"], question)}]
    return [*turns, {"role": "user", "content": question}]


def call_ids(message: Message) -> list[str]:
    """The ids of the tool calls that a message makes; empty for most.

    Empty too where one of its calls has none: no result could be told to be that one's.
    """
    calls = message.metadata.get("tool_calls")
    if message.role != "assistant" or not isinstance(calls, list):
        return []
    ids = [call["id"] for call in calls if isinstance(call, dict) and isinstance(call.get("id"), str)]
    return ids if len(ids) == len(calls) else []


def _whole_tool_exchanges(messages: Sequence[Message]) -> list[Message]:
    """The messages without broken tool exchanges."""
    whole: list[Message] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        calls = call_ids(message)
        if calls:
            results: list[Message] = []
            while position < len(messages) and messages[position].role == "tool":
                results.append(messages[position])
                position += 1
            answered = [one for result in results if isinstance(one := result.metadata.get("tool_call_id"), str)]
            if len(answered) == len(results) and sorted(calls) == sorted(answered):
                whole += [message, *results]
        elif message.role == "user" or (message.role != "tool" and message.content.strip()):
            whole.append(message)
    return whole


def _heard(messages: Sequence[Message]) -> list[Message]:
    """The messages without those of the user's that have no text, unless a reply follows on just that one."""
    heard: list[Message] = []
    for number, message in enumerate(messages):
        following = messages[number + 1 : number + 2]
        alone = not (heard and heard[-1].role == "user") and bool(following) and following[0].role == "assistant"
        if alone or message.role != "user" or message.content.strip():
            heard.append(message)
    return heard


def _turn(message: Message) -> dict[str, Any]:
    """A message as a dict, with what ties calls and results together."""
    turn: dict[str, Any] = {"role": message.role, "content": words_of(message)}
    if message.role == "tool":
        turn["tool_call_id"] = message.metadata["tool_call_id"]
    elif call_ids(message):
        turn["tool_calls"] = message.metadata["tool_calls"]
    return turn
