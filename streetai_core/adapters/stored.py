"""What is said in a request and its reply, as messages to store; and stored messages, as what was said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from streetai_core.adapters.codec import Reply, Said, ToolCall
from streetai_core.prompt.turns import as_turns
from streetai_core.text.clean import clean, is_blank
from streetai_core.tokens import TokenCounter, count_message
from streetai_core.tool_calls import CALL_ID, CALLS, values_called
from streetai_core.types import Message, NewMessage, Role

PARTIAL = "partial"
"""In the metadata of a reply that was cut: true."""

ATTACHMENTS = "attachments"
"""In the metadata of a message: the kinds of what it had besides text."""

CONTINUES = "continues"
"""In the metadata of a reply: what its request followed on, where the provider keeps the history."""

RESPONSE_ID = "response_id"
"""In the metadata of a reply: the provider's id of it."""

_ID_LENGTH = 32
"""Hexadecimal digits of an id made from a text: 128 bits, like a UUID."""


def as_message(said: Said, conversation_id: str | None, message_id: str) -> NewMessage | None:
    """Something said, as it is stored; `None` if there is nothing in it, and it is not the user's.

    A blank message of the user's is kept, with no attachments noted: its reply would stand there without a question.
    """
    is_empty = is_blank(said.text) and not (said.attachments or said.tool_calls or said.tool_call_id)
    if is_empty and said.role != "user":
        return None
    metadata: dict[str, Any] = {}
    if said.attachments or is_empty:
        # The core stores nothing that has neither text nor metadata.
        metadata[ATTACHMENTS] = list(said.attachments)
    if said.tool_calls:
        metadata[CALLS] = [_openai_form(call) for call in said.tool_calls]
    if said.tool_call_id:
        metadata[CALL_ID] = said.tool_call_id
    return NewMessage(
        content=said.text,
        role=said.role,
        conversation_id=conversation_id,
        name=said.name,
        message_id=message_id,
        metadata=metadata or None,
        # A message that calls tools is no reply.
        ticks=False if said.tool_calls else None,
    )


def cost_of(said: Said, counter: TokenCounter) -> int:
    """Tokens of something said, as sending it costs: its text, and the tools that it calls."""
    return count_message(said.text, counter, [_openai_form(call) for call in said.tool_calls])


def words_of_reply(reply: Reply) -> str:
    """What a reply says; of one whose call is the answer, what it calls the tool with, unless it has words too."""
    if reply.is_call and is_blank(reply.text):
        return values_called([_openai_form(call) for call in reply.tool_calls])
    return reply.text


def as_answer(
    reply: Reply, provider: str, *, continues: str | None, conversation_id: str | None, message_id: str
) -> NewMessage | None:
    """A reply as it is stored; `None` if it says nothing. Of one that was cut, all but its text may be half there."""
    calls, kinds = (reply.tool_calls, reply.attachments) if reply.complete else ((), ())
    said = Said(role="assistant", text=words_of_reply(reply), tool_calls=calls, attachments=kinds)
    message = as_message(said, conversation_id, message_id)
    if message is None:
        return None
    extra = {"provider": provider, RESPONSE_ID: reply.response_id, CONTINUES: continues}
    metadata = {**reply.metadata, **{key: value for key, value in extra.items() if value}, **(message.metadata or {})}
    if not reply.complete:
        metadata[PARTIAL] = True
    return NewMessage(
        content=message.content,
        role="assistant",
        conversation_id=conversation_id,
        message_id=message_id,
        metadata=metadata,
        # The core takes what calls tools for no reply.
        ticks=not reply.waits,
    )


def imported(history: Sequence[Said], provider: str, conversation_id: str | None) -> list[NewMessage]:
    """A history that the memory knows nothing of. The same one has the same ids, so that it is stored once."""
    messages = []
    for number, said in enumerate(history):
        parts = [conversation_id, number, said.role, said.text, said.tool_call_id]
        digest = sha256(json.dumps(parts).encode()).hexdigest()[:_ID_LENGTH]
        message = as_message(said, conversation_id, f"{provider}-history-{digest}")
        if message is not None:
            messages.append(message)
    return messages


def as_window(messages: Sequence[Message]) -> tuple[Said, ...]:
    """Stored messages as turns to send: they start with the user and take turns."""
    return tuple(
        Said(
            role=_role(turn["role"]),
            text=turn["content"],
            tool_calls=_calls(turn),
            tool_call_id=turn.get(CALL_ID),
        )
        for turn in as_turns(messages).messages
    )


def begun(stored: Sequence[Message], turn: Sequence[Said]) -> list[Message]:
    """The newest stored messages, if they are the first of these; empty if they are not.

    An earlier try has left a question there, or the beginning of a reply that the model is to go on with.
    """
    for count in range(min(len(stored), len(turn)), 0, -1):
        end = stored[-count:]
        if all(_same(one, said) for one, said in zip(end, turn, strict=False)):
            return list(end)
    return []


def call_ids(message: Message) -> list[str]:
    """The ids of the calls that a stored message makes."""
    calls = message.metadata.get(CALLS)
    return [str(call.get("id")) for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []


def call_id(message: Message) -> str:
    """The id of the call that a stored message is the result of; empty if it names none."""
    return str(message.metadata.get(CALL_ID) or "")


def is_answer(message: Message) -> bool:
    """Whether a stored message is the last reply of its turn: words, or a call that is the answer."""
    if message.role != "assistant" or message.metadata.get(PARTIAL):
        return False
    return not call_ids(message) or _is_of_calls(message)


def _is_of_calls(message: Message) -> bool:
    """Whether the text of a stored message is what it calls tools with."""
    return not is_blank(message.content) and message.content == values_called(message.metadata.get(CALLS))


def _same(stored: Message, said: Said) -> bool:
    """Whether a stored message is what is said now."""
    text = "" if said.tool_calls and _is_of_calls(stored) else stored.content
    if stored.role != said.role or text != clean(said.text)[0]:
        return False
    if said.role == "user":
        return bool(stored.metadata.get(ATTACHMENTS, []) == list(said.attachments))
    calls, call = [one.call_id for one in said.tool_calls], stored.metadata.get(CALL_ID)
    return (call_ids(stored), call) == (calls, said.tool_call_id)


def _role(name: object) -> Role:
    return "tool" if name == "tool" else "assistant" if name == "assistant" else "user"


def _openai_form(call: ToolCall) -> dict[str, Any]:
    """A tool call as the core and most APIs know it."""
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _calls(turn: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The tool calls of a turn, whoever stored it."""
    calls = []
    for call in turn.get(CALLS) or ():
        function = call.get("function") if isinstance(call, Mapping) else None
        named = function if isinstance(function, Mapping) else call
        arguments = named.get("arguments") or "{}"
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        calls.append(ToolCall(call_id=str(call["id"]), name=str(named.get("name") or "tool"), arguments=text))
    return tuple(calls)
