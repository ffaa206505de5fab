"""OpenAI's Responses API: the conversation is a list of items, or is kept by the provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streetai_core.adapters.codec import Codec, Context, Reply, Request, Said, ToolCall
from streetai_core.adapters.foreign_calls import fitting_call_id, fitting_tool_name
from streetai_core.adapters.openai_parts import attachments_of, json_text, listed, mapped, named, text_of, with_text
from streetai_core.prompt.turns import join

_INSTRUCTIONS = frozenset({"system", "developer"})

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
"""Items by which the model calls a tool of the app's: what it gives it."""

_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})

_ENDS = frozenset({"response.completed", "response.incomplete"})
"""Events after which no more comes; an incomplete response has reached its limit of tokens."""

_COMPLETE = frozenset({"completed", "incomplete", None})
"""What the status of a response may be that is all there."""


class Responses(Codec):
    """`POST /responses`."""

    provider = "openai"

    def read_request(self, body: Mapping[str, Any]) -> Request:
        """As `Codec`."""
        items = _items(body)
        instructions = [text_of(body.get("instructions"))]
        instructions += [text_of(one.get("content")) for one in items if one.get("role") in _INSTRUCTIONS]
        return Request(
            said=tuple(said for position, item in enumerate(items) if (said := _said(item, position)) is not None),
            instructions=join(*instructions),
            continues=_continued(body),
            # In the background the reply comes to another call.
            counts=not body.get("background"),
        )

    def with_context(self, body: Mapping[str, Any], context: Context) -> dict[str, Any]:
        """As `Codec`."""
        given = body.get("input")
        if isinstance(given, str) and not context.window:
            return {**body, "input": with_text(given, context.recalled, "input_text")}
        items = [{"role": "user", "content": given}] if isinstance(given, str) else listed(given)
        first = next(position for position, one in enumerate(items) if mapped(one).get("role") not in _INSTRUCTIONS)
        gone = _with_reasoning(items, context.left_out)
        sent: list[Any] = []
        for position, item in enumerate(items):
            if position == first:
                sent += [entry for said in context.window for entry in _entries(said)]
            if position == context.question and context.recalled:
                sent.append({**item, "content": with_text(item.get("content"), context.recalled, "input_text")})
            elif position not in gone:
                sent.append(item)
        return {**body, "input": sent}

    def read_reply(self, data: Mapping[str, Any]) -> Reply:
        """As `Codec`."""
        items = [mapped(item) for item in listed(data.get("output"))]
        return Reply(
            text=join(*(text_of(item.get("content")) for item in items if item.get("type") == "message")),
            tool_calls=tuple(_call(item) for item in items if item.get("type") in _CALLS),
            complete=data.get("status") in _COMPLETE and not data.get("error"),
            response_id=named(data.get("id")),
            metadata=_metadata(data),
        )

    def read_events(self, events: Sequence[Mapping[str, Any]]) -> Reply:
        """As `Codec`."""
        texts: dict[tuple[object, object], str] = {}
        items: dict[object, Mapping[str, Any]] = {}
        response: Mapping[str, Any] = {}
        for event in events:
            kind = event.get("type")
            response = mapped(event.get("response")) or response
            if kind in _ENDS:
                return self.read_reply(response)
            place = (event.get("output_index"), event.get("content_index"))
            if kind in {"response.output_text.delta", "response.refusal.delta"}:
                texts[place] = texts.get(place, "") + str(event.get("delta") or "")
            elif kind == "response.output_item.done":
                items[event.get("output_index")] = mapped(event.get("item"))
        return Reply(
            text=join(*texts.values()),
            tool_calls=tuple(_call(item) for item in items.values() if item.get("type") in _CALLS),
            complete=False,
            response_id=named(response.get("id")),
            metadata=_metadata(response),
        )


def _items(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items of a request; a plain text is a message of the user's."""
    given = body.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return [mapped(item) for item in listed(given)]


def _continued(body: Mapping[str, Any]) -> str | None:
    """What the provider keeps that a request follows on: a response, or a conversation."""
    conversation = body.get("conversation")
    thread = conversation if isinstance(conversation, str) else mapped(conversation).get("id")
    return named(body.get("previous_response_id")) or named(thread)


def _said(item: Mapping[str, Any], position: int) -> Said | None:
    """An item of a request; `None` for instructions, reasoning, and what the provider's own tools did."""
    kind, role, content = item.get("type"), item.get("role"), item.get("content")
    if kind in _CALLS:
        return Said(role="assistant", tool_calls=(_call(item),), position=position)
    if kind in _RESULTS:
        output = item.get("output")
        text = text_of(output) if isinstance(output, str | list | tuple) else json_text(output)
        return Said(role="tool", text=text, tool_call_id=str(item.get("call_id")), position=position)
    if role == "assistant":
        return Said(role="assistant", text=text_of(content), position=position)
    if role != "user":
        return None
    return Said(role="user", text=text_of(content), attachments=attachments_of(content), position=position)


def _call(item: Mapping[str, Any]) -> ToolCall:
    given = item.get(_CALLS[str(item.get("type"))])
    name = str(item.get("name") or "tool")
    return ToolCall(call_id=str(item.get("call_id") or name), name=name, arguments=json_text(given or "{}"))


def _entries(said: Said) -> list[dict[str, Any]]:
    """The items of a message of the window."""
    if said.role == "tool":
        return [
            {"type": "function_call_output", "call_id": fitting_call_id(said.tool_call_id or ""), "output": said.text}
        ]
    spoken = [{"role": said.role, "content": said.text}] if said.text else []
    calls = [
        {
            "type": "function_call",
            "call_id": fitting_call_id(call.call_id),
            "name": fitting_tool_name(call.name),
            "arguments": call.arguments,
        }
        for call in said.tool_calls
    ]
    return [*spoken, *calls]


def _with_reasoning(items: Sequence[Any], left_out: frozenset[int]) -> set[int]:
    """What is left out, and with it what belongs to it: reasoning and the provider's own tools, without a role.

    The provider refuses reasoning without the item that it led to.
    """
    gone = set(left_out)
    for position in range(len(items) - 2, -1, -1):
        item = mapped(items[position])
        if position + 1 in gone and position not in gone and _said(item, position) is None and not item.get("role"):
            gone.add(position)
    return gone


def _metadata(data: Mapping[str, Any]) -> dict[str, Any]:
    reason = mapped(data.get("incomplete_details")).get("reason")
    known = {"model": named(data.get("model")), "finish_reason": named(reason) or named(data.get("status"))}
    return {name: value for name, value in known.items() if value is not None}
