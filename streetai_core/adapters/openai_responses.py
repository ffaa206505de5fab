"""OpenAI's Responses API: the conversation is a list of items, or is kept by the provider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from streetai_core.adapters.codec import Codec, Context, Reply, Request, Said, ToolCall
from streetai_core.adapters.foreign_calls import fitting_call_id, fitting_tool_name
from streetai_core.adapters.openai_parts import attachments_of, json_text, listed, mapped, named, text_of, with_text
from streetai_core.prompt.turns import join

_INSTRUCTIONS = frozenset({"system", "developer"})

_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "shell_call": "action",
    "local_shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "mcp_approval_request": "arguments",
    "tool_search_call": "arguments",
}
"""Items by which the model calls a tool that the app runs, or asks the app for its leave: what it gives it."""

_IMAGE = "image_generation_call"
"""The item in which a tool of the provider's gives the image that it has made."""

_REFERENCE = "item_reference"
"""The item that names one which the provider keeps; its type may be left out."""

_RESULTS = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "shell_call_output",
        "local_shell_call_output",
        "apply_patch_call_output",
        "computer_call_output",
        "mcp_approval_response",
        "tool_search_output",
    }
)

_SEARCHES = frozenset({"tool_search_call", "tool_search_output"})
"""Those of them that the provider carries out by itself, unless they say that the app does."""

_PASSING = frozenset(
    {
        "reasoning",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "mcp_list_tools",
        "mcp_call",
    }
)
"""Items of what the model thought, and of what tools of the provider's did: they matter to the reply after them alone,
and the provider refuses reasoning without the item that it led to."""

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
        instructions = {place: one for place, one in enumerate(items) if one.get("role") in _INSTRUCTIONS}
        texts = [text_of(body.get("instructions")), *(text_of(one.get("content")) for one in instructions.values())]
        return Request(
            said=tuple(_conversation(items)),
            instructions=join(*texts),
            fixed=frozenset(instructions),
            whole=frozenset(place for place, one in enumerate(items) if _is_unknown(one)),
            continues=_continued(body),
            # In the background the reply comes to another call.
            counts=not body.get("background"),
            wants_call=_wants_call(body),
        )

    def with_context(self, body: Mapping[str, Any], context: Context) -> dict[str, Any]:
        """As `Codec`."""
        given = body.get("input")
        if isinstance(given, str) and not context.window:
            return {**body, "input": with_text(given, context.recalled, "input_text")}
        items = [{"role": "user", "content": given}] if isinstance(given, str) else listed(given)
        first = next(position for position, one in enumerate(items) if mapped(one).get("role") not in _INSTRUCTIONS)
        sent: list[Any] = []
        for position, item in enumerate(items):
            if position == first:
                sent += [entry for said in context.window for entry in _entries(said)]
            if position == context.question and context.recalled:
                sent.append({**item, "content": with_text(item.get("content"), context.recalled, "input_text")})
            elif position not in context.left_out:
                sent.append(item)
        return {**body, "input": sent}

    def read_reply(self, data: Mapping[str, Any]) -> Reply:
        """As `Codec`."""
        items = [mapped(item) for item in listed(data.get("output"))]
        return Reply(
            text=join(*(text_of(item.get("content")) for item in items if item.get("type") == "message")),
            tool_calls=_calls(items),
            attachments=tuple(kind for item in items for kind in _attachments(item)),
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
            tool_calls=_calls(items.values()),
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


def _conversation(items: Sequence[Mapping[str, Any]]) -> list[Said]:
    """What was said in items, and that something was said where one only names what the provider keeps."""
    said = [one for position, item in enumerate(items) if (one := _said(item, position)) is not None]
    last = max((one.position for one in said if one.role == "user"), default=-1)
    # What follows on the user's new message is stored when it comes.
    return [one for one in said if one.position < last or one.attachments != (_REFERENCE,)]


def _said(item: Mapping[str, Any], position: int) -> Said | None:
    """An item of a request; `None` for instructions, reasoning, and what the provider's own tools did."""
    kind, role, content = item.get("type"), item.get("role"), item.get("content")
    if _is_call(item):
        return Said(role="assistant", tool_calls=(_call(item),), position=position)
    if _is_result(item):
        return _result(item, position)
    if kind == _REFERENCE or (kind is None and role is None and item.get("id")):
        return Said(role="assistant", attachments=(_REFERENCE,), position=position)
    if role == "assistant" or kind == _IMAGE:
        return Said(role="assistant", text=text_of(content), attachments=_attachments(item), position=position)
    if role != "user":
        return None
    return Said(role="user", text=text_of(content), attachments=attachments_of(content), position=position)


def _is_call(item: Mapping[str, Any]) -> bool:
    return item.get("type") in _CALLS and not _is_of_provider(item)


def _is_result(item: Mapping[str, Any]) -> bool:
    return item.get("type") in _RESULTS and not _is_of_provider(item)


def _is_of_provider(item: Mapping[str, Any]) -> bool:
    """Whether it is of a search for tools that the app has nothing to do with."""
    return item.get("type") in _SEARCHES and item.get("execution") != "client"


def _is_unknown(item: Mapping[str, Any]) -> bool:
    """Whether an item says what is not read here, such as a compaction, which stands for all that was said before."""
    kind = item.get("type")
    return not item.get("role") and not (kind in _CALLS or kind in _RESULTS or kind == _IMAGE or kind in _PASSING)


def _attachments(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of what is no text in an item of the model's."""
    return ("image",) if item.get("type") == _IMAGE else attachments_of(item.get("content"))


def _wants_call(body: Mapping[str, Any]) -> bool:
    """Whether a request names the only tool that it has as the one to call."""
    wanted = mapped(body.get("tool_choice"))
    return bool(wanted.get("name")) and [mapped(one).get("name") for one in listed(body.get("tools"))] == [
        wanted["name"]
    ]


def _calls(items: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """The calls in a reply that wait for the app: a shell of the provider's has answered in the same reply."""
    given = list(items)
    answered = {_call_id(item) for item in given if _is_result(item)}
    return tuple(_call(item) for item in given if _is_call(item) and _call_id(item) not in answered)


def _call(item: Mapping[str, Any]) -> ToolCall:
    """A call; one of a tool that the API knows has its name from its type."""
    kind = str(item.get("type"))
    name = str(item.get("name") or kind.removesuffix("_call"))
    return ToolCall(call_id=_call_id(item) or name, name=name, arguments=json_text(item.get(_CALLS[kind]) or "{}"))


def _result(item: Mapping[str, Any], position: int) -> Said:
    """What came of a call: text, what a shell has written, or the app's leave. A picture of a screen is no text."""
    kind, output = item.get("type"), item.get("output", item.get("approve", ""))
    if kind == "computer_call_output":
        text = ""
    elif kind == "shell_call_output":
        text = join(*(text_of(run.get(name)) for run in map(mapped, listed(output)) for name in ("stdout", "stderr")))
    else:
        text = text_of(output) if isinstance(output, str | list | tuple) else json_text(output)
    kinds = () if kind == "shell_call_output" else attachments_of(output)
    return Said(role="tool", text=text, tool_call_id=_call_id(item), attachments=kinds, position=position)


def _call_id(item: Mapping[str, Any]) -> str:
    """What ties a call and what came of it together."""
    given = (item.get(name) for name in ("call_id", "approval_request_id", "id"))
    return next((str(one) for one in given if one), "")


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


def _metadata(data: Mapping[str, Any]) -> dict[str, Any]:
    reason = mapped(data.get("incomplete_details")).get("reason")
    known = {"model": named(data.get("model")), "finish_reason": named(reason) or named(data.get("status"))}
    return {name: value for name, value in known.items() if value is not None}
