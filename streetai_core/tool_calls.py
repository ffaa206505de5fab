"""Calls of tools as they are stored and sent: in the metadata of a message, in the form that chat APIs take."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from streetai_core.types import Message, NewMessage

CALLS = "tool_calls"
"""Where a message has its calls: a list in OpenAI's form, in the metadata and in a turn of a prompt."""

CALL_ID = "tool_call_id"
"""Where the result of a call has the id of the call."""


def is_tool_traffic(message: Message | NewMessage) -> bool:
    """Whether a message calls tools, or is the result of a call: part of an exchange that is sent as a whole."""
    return message.role == "tool" or bool(calls_of(message))


def calls_of(message: Message | NewMessage) -> Any:
    """The calls of a message, whatever whoever stored it has put there; `None` for most."""
    return (message.metadata or {}).get(CALLS)


def call_ids(message: Message) -> list[str]:
    """The ids of the tool calls that a message makes; empty for most.

    Empty too where one of its calls has none: no result could be told to be that one's.
    """
    calls = calls_of(message)
    if message.role != "assistant" or not isinstance(calls, list):
        return []
    ids = [call["id"] for call in calls if isinstance(call, dict) and isinstance(call.get("id"), str)]
    return ids if len(ids) == len(calls) else []


def values_called(calls: object) -> str:
    """What tools are called with, as JSON, a line for each call: of a structured answer, the answer.

    Args:
        calls: in the form that OpenAI has for them; what is not in it is left out, and so are calls with no values.
    """
    functions = [call.get("function") for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    values = [_plain(function.get("arguments")) for function in functions if isinstance(function, Mapping)]
    return "\n".join(value for value in values if value)


def beside_calls(message: Message | NewMessage) -> str:
    """The text of a message that is sent with its calls: not what these say themselves, which may be all of it."""
    return "" if message.content == values_called(calls_of(message)) else message.content


def text_of_calls(calls: object) -> str:
    """What a model reads of calls, which is what they cost: the name of each tool, and what it is called with.

    Args:
        calls: as `calls_of` gives them, or a turn has them; what is in another form counts with all that it has.
    """
    return "\n".join(_text_of_call(call) for call in calls) if isinstance(calls, list) else ""


def _text_of_call(call: object) -> str:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return json.dumps(call, ensure_ascii=False)
    arguments = function.get("arguments")
    given = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f"{function.get('name')} {given}"


def _plain(arguments: object) -> str:
    """The arguments of a call as JSON without escapes; empty if there are none."""
    try:
        values = json.loads(arguments) if isinstance(arguments, str) else arguments
        return json.dumps(values, ensure_ascii=False) if values else ""
    except (TypeError, ValueError, RecursionError):
        return arguments.strip() if isinstance(arguments, str) else ""
