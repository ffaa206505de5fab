"""Calls of the memory's own tools and their results, which no memory keeps: they repeat what is in it.

Stored, a search would be found by the next one, and what a model has had forgotten or corrected would be back with the
result in which it found it. No I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

NAMES = frozenset({"search_memory", "remember", "forget", "update_message"})
"""How the tools are called, if nobody has renamed them."""

_MARK = "streetai_tool"
"""The key of the artifact of each result: the artifact is kept by checkpointers and is not sent to models."""


def marked_artifact(tool: str) -> dict[str, str]:
    """The artifact by which the result of a tool of ours is known, whatever name it was given."""
    return {_MARK: tool}


def results_of_memory(messages: Sequence[BaseMessage]) -> list[ToolMessage]:
    """Those of the messages that are results of our tools."""
    calls = _named_calls(messages)
    return [one for one in messages if isinstance(one, ToolMessage) and (_is_ours(one) or one.tool_call_id in calls)]


def without_memory_traffic(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages without calls of our tools and their results; those that have none are the same objects.

    A message that called our tools only, and says nothing, is left out. A result is known by its mark; one that was
    made anew, such as that of a failed call, by the name of the tool.
    """
    results = results_of_memory(messages)
    calls = _named_calls(messages) | {one.tool_call_id for one in results}
    left = (_without_calls(one, calls) for one in messages if not any(one is result for result in results))
    return [one for one in left if one is not None]


def _named_calls(messages: Iterable[BaseMessage]) -> set[str]:
    """The ids of calls that name a tool of ours."""
    calls = (call for one in messages if isinstance(one, AIMessage) for call in _calls(one))
    return {call["id"] for call in calls if call["id"] and call["name"] in NAMES}


def _calls(message: AIMessage) -> list[Mapping[str, Any]]:
    """The calls in a message, also those whose arguments cannot be read."""
    return [*message.tool_calls, *message.invalid_tool_calls]


def _is_ours(message: ToolMessage) -> bool:
    return message.name in NAMES or (isinstance(message.artifact, Mapping) and _MARK in message.artifact)


def _without_calls(message: BaseMessage, ids: set[str]) -> BaseMessage | None:
    """A message without the calls of our tools; `None` if nothing is left of it."""
    if not isinstance(message, AIMessage) or not any(_is_call_of_ours(call, ids) for call in _calls(message)):
        return message
    fields: dict[str, Any] = {
        name: [call for call in getattr(message, name) if not _is_call_of_ours(call, ids)]
        for name in ("tool_calls", "invalid_tool_calls", "tool_call_chunks")
        if hasattr(message, name)
    }
    if not isinstance(message.content, str):
        fields["content"] = [one for one in message.content if isinstance(one, str) or not _is_call_of_ours(one, ids)]
    fields["additional_kwargs"] = _without_raw_calls(message.additional_kwargs, ids)
    left = message.model_copy(update=fields)
    return left if _calls(left) or str(left.text).strip() else None


def _without_raw_calls(fields: Mapping[str, Any], ids: set[str]) -> dict[str, Any]:
    """What a provider's package keeps beside the message, without the calls as the provider gave them."""
    left = {name: value for name, value in fields.items() if name not in {"tool_calls", "function_call"}}
    if raw := [call for call in fields.get("tool_calls") or () if not _is_call_of_ours(call, ids)]:
        left["tool_calls"] = raw
    if (single := fields.get("function_call")) and not _is_call_of_ours(single, ids):
        left["function_call"] = single
    return left


def _is_call_of_ours(call: Mapping[str, Any], ids: set[str]) -> bool:
    """Whether a call, in any of the forms that providers and LangChain have for one, is of a tool of ours."""
    if {call.get("id"), call.get("call_id")} & ids:
        return True
    function = call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else call.get("name")
    return name in NAMES
