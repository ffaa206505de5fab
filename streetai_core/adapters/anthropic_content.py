"""The content of messages of Anthropic's API: what was said in it, and the same written as content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from streetai_core.adapters.codec import Said, ToolCall
from streetai_core.adapters.foreign_calls import fitting_call_id, fitting_tool_name
from streetai_core.prompt.turns import join

Block = Mapping[str, Any]


def blocks_of(content: object) -> list[Block]:
    """The blocks of a content, which may also be plain text, or anything that the API would refuse."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, Sequence):
        return []
    return [block for block in content if isinstance(block, Mapping)]


def texts_of(content: object) -> list[str]:
    """The texts in a content; thinking is none."""
    return [text for block in blocks_of(content) if block.get("type") == "text" and (text := _string(block, "text"))]


def reply_text(content: object) -> str:
    """What the model says in a content.

    A text with citations comes in several blocks that belong together as they are; anything else between two texts
    separates them.
    """
    runs = groupby(blocks_of(content), key=lambda block: block.get("type") == "text")
    return join(*("".join(_string(block, "text") for block in run) for is_text, run in runs if is_text))


def calls_of(content: object) -> tuple[ToolCall, ...]:
    """The calls of tools of the app's in a content. Those that the provider runs by itself have types of their own."""
    return tuple(
        ToolCall(call_id=_string(block, "id"), name=_string(block, "name"), arguments=_json(block.get("input")))
        for block in blocks_of(content)
        if block.get("type") == "tool_use"
    )


def said_by_user(content: object, position: int) -> list[Said]:
    """The results of tools in a message of the user's, then what the user says in it, if anything."""
    blocks = blocks_of(content)
    said = [
        Said(
            role="tool",
            text=join(*texts_of(block.get("content"))),
            tool_call_id=_string(block, "tool_use_id"),
            attachments=_attachments(blocks_of(block.get("content"))),
            position=position,
        )
        for block in blocks
        if block.get("type") == "tool_result"
    ]
    text, attachments = join(*texts_of(blocks)), _attachments(blocks)
    if text or attachments:
        said.append(Said(role="user", text=text, attachments=attachments, position=position))
    return said


def said_by_model(content: object, position: int) -> list[Said]:
    """What the model says and calls in a message, if anything."""
    text, calls = reply_text(content), calls_of(content)
    return [Said(role="assistant", text=text, tool_calls=calls, position=position)] if text or calls else []


def with_text_in_front(content: object, text: str) -> str | list[Any]:
    """A content with a text before what it says; results of tools stay first, as the API wants them."""
    if isinstance(content, str):
        return join(text, content)
    blocks: list[Any] = list(content) if isinstance(content, Sequence) else []
    kinds = [block.get("type") if isinstance(block, Mapping) else None for block in blocks]
    place = next((number for number, kind in enumerate(kinds) if kind != "tool_result"), len(blocks))
    return [*blocks[:place], {"type": "text", "text": text}, *blocks[place:]]


def entries_of(window: Iterable[Said], *, with_tools: bool) -> list[dict[str, Any]]:
    """What was said as messages of the API, whose roles take turns.

    Args:
        window: what was said, oldest first.
        with_tools: whether calls and their results can be sent; else only what was said besides them is.
    """
    entries: list[dict[str, Any]] = []
    for said in window:
        blocks = _blocks(said) if with_tools else _spoken(said)
        if not blocks:
            continue
        role = "assistant" if said.role == "assistant" else "user"
        if entries and entries[-1]["role"] == role:
            entries[-1]["content"] += blocks
        else:
            entries.append({"role": role, "content": blocks})
    return entries


def _blocks(said: Said) -> list[dict[str, Any]]:
    """What was said as blocks, with calls and results."""
    if said.role == "tool":
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": fitting_call_id(said.tool_call_id or "")}
        # The API takes no blank text, but a result without any.
        return [result | {"content": said.text}] if said.text.strip() else [result]
    calls = [
        {
            "type": "tool_use",
            "id": fitting_call_id(call.call_id),
            "name": fitting_tool_name(call.name),
            "input": _arguments(call),
        }
        for call in said.tool_calls
    ]
    return [*_spoken(said), *calls]


def _spoken(said: Said) -> list[dict[str, Any]]:
    """The text of what was said, as blocks; none if it is blank or a result of a tool."""
    return [{"type": "text", "text": said.text}] if said.role != "tool" and said.text.strip() else []


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call as the object that the API wants."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _attachments(blocks: Iterable[Block]) -> tuple[str, ...]:
    """The kinds of what is neither text nor the result of a tool."""
    kinds = (_string(block, "type") for block in blocks)
    return tuple(kind for kind in kinds if kind and kind not in {"text", "tool_result"})


def _json(value: object) -> str:
    """A JSON value as text; the same for equal values."""
    return json.dumps({} if value is None else value, ensure_ascii=False, sort_keys=True)


def _string(block: Block, field: str) -> str:
    """A field that should be text."""
    value = block.get(field)
    return value if isinstance(value, str) else ""
