"""The contents of the Gemini API: what was said in them, and the same written as contents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

from streetai_core.adapters.codec import Said, ToolCall
from streetai_core.prompt.turns import join

Part = Mapping[str, Any]

_CALL, _RESULT = "functionCall", "functionResponse"

_FILES = ("inlineData", "fileData")
"""Parts that hold a file."""

_KINDS = ("mimeType", "mime_type")
"""The field of a file that says of which kind it is; the API takes both, and the SDK sends the second."""

_ID_LENGTH = 16
"""Hexadecimal digits of what an id has of a call's arguments: enough for the calls of one turn."""

_WRAPPED = ("result", "output")
"""What the SDK, and the API's documentation, name the only field of a function's response that is no object."""


def parts_of(content: object) -> list[Part]:
    """The parts of a content, which may be anything that the API would refuse."""
    parts = content.get("parts") if isinstance(content, Mapping) else None
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, Sequence) else []


def texts_of(parts: Iterable[Part]) -> list[str]:
    """The texts in parts; thoughts are none."""
    return [text for part in parts if not part.get("thought") and (text := _string(part, "text"))]


def reply_text(parts: Iterable[Part]) -> str:
    """What the model says in parts: a text comes in pieces as a stream cuts it; other parts separate two texts."""
    runs = groupby((part for part in parts if part.get("text") != ""), key=_is_spoken)
    return join(*("".join(texts_of(run)) for spoken, run in runs if spoken))


def calls_of(parts: Iterable[Part]) -> tuple[ToolCall, ...]:
    """The function calls in parts."""
    made: Counter[str] = Counter()
    return tuple(
        ToolCall(call_id=_call_id(call, made), name=_string(call, "name"), arguments=_json(call.get("args")))
        for part in parts
        if (call := _mapping(part, _CALL)) and _string(call, "name")
    )


def said_by_user(content: object, position: int, called: Sequence[ToolCall] = ()) -> list[Said]:
    """The responses of functions in a content of the user's, then what the user says in it, if anything.

    Args:
        content: of the user's.
        position: of the content.
        called: what the model called just before, to which responses without an id belong by name and order.
    """
    parts = parts_of(content)
    waiting = list(called)
    said = [
        Said(
            role="tool",
            text=_result_text(result.get("response")),
            tool_call_id=_string(result, "id") or _answered(result, waiting),
            name=_string(result, "name") or None,
            attachments=attachments_of(_list(result, "parts")),
            position=position,
        )
        for part in parts
        if (result := _mapping(part, _RESULT))
    ]
    text, attachments = join(*texts_of(parts)), attachments_of(parts)
    if text or attachments:
        said.append(Said(role="user", text=text, attachments=attachments, position=position))
    return said


def said_by_model(parts: Sequence[Part], position: int) -> list[Said]:
    """What the model says and calls in parts, if anything."""
    text, calls, kinds = reply_text(parts), calls_of(parts), attachments_of(parts)
    said = Said(role="assistant", text=text, tool_calls=calls, attachments=kinds, position=position)
    return [said] if text or calls or kinds else []


def wants_call(body: Mapping[str, Any]) -> bool:
    """Whether a request names the only function that it has as the one to call."""
    setting = _mapping(_mapping(body, "toolConfig"), "functionCallingConfig")
    declared = [_list(tool, "functionDeclarations") for tool in _list(body, "tools")]
    names = [_string(one, "name") for functions in declared for one in functions]
    return setting.get("mode") == "ANY" and len(names) == 1 and setting.get("allowedFunctionNames") == names


def with_text_in_front(content: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A content with a text before what it says; responses of functions stay first, right after their calls."""
    given = content.get("parts")
    parts: list[Any] = list(given) if isinstance(given, Sequence) else []
    results = (isinstance(part, Mapping) and _RESULT in part for part in parts)
    place = next((number for number, is_result in enumerate(results) if not is_result), len(parts))
    return {**content, "parts": [*parts[:place], {"text": text}, *parts[place:]]}


def contents_of(window: Iterable[Said], *, with_tools: bool) -> list[dict[str, Any]]:
    """What was said as contents of the API, whose roles take turns.

    Args:
        window: what was said, oldest first.
        with_tools: whether calls and their results can be sent; else only what was said besides them is.
    """
    contents: list[dict[str, Any]] = []
    names: dict[str | None, str] = {}
    for said in window:
        names.update((call.call_id, call.name) for call in said.tool_calls)
        parts = _parts(said, names) if with_tools else _spoken(said)
        if not parts:
            continue
        role = "model" if said.role == "assistant" else "user"
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": role, "parts": parts})
    return contents


def _parts(said: Said, names: Mapping[str | None, str]) -> list[dict[str, Any]]:
    """What was said as parts, with calls and results; these are tied by name and order, as some of them have no ids."""
    if said.role == "tool":
        name = said.name or names.get(said.tool_call_id, "")
        return [{_RESULT: {"name": name, "response": _object(said.text) or {_WRAPPED[0]: said.text}}}]
    calls = [{_CALL: {"name": call.name, "args": _object(call.arguments) or {}}} for call in said.tool_calls]
    return [*_spoken(said), *calls]


def _spoken(said: Said) -> list[dict[str, Any]]:
    """The text of what was said, as parts; none if it is blank or a result of a function."""
    return [{"text": said.text}] if said.role != "tool" and said.text.strip() else []


def _is_spoken(part: Part) -> bool:
    return not part.get("thought") and isinstance(part.get("text"), str)


def _call_id(call: Mapping[str, Any], made: Counter[str]) -> str:
    """The id of a call; the API does not give one to all of them. Then it is made of what is called with what."""
    if known := _string(call, "id"):
        return known
    digest = sha256(_json(call.get("args")).encode()).hexdigest()[:_ID_LENGTH]
    name = f"{_string(call, 'name')}-{digest}"
    made[name] += 1
    return name if made[name] == 1 else f"{name}-{made[name]}"


def _answered(result: Mapping[str, Any], waiting: list[ToolCall]) -> str:
    """The id of the first call that a result without an id can be of; each has one result."""
    name = _string(result, "name")
    for number, call in enumerate(waiting):
        if call.name == name:
            return waiting.pop(number).call_id
    return name


def _result_text(response: object) -> str:
    """The response of a function as text: of one text alone itself, else JSON."""
    if isinstance(response, Mapping) and len(response) == 1:
        ((field, value),) = response.items()
        if field in _WRAPPED and isinstance(value, str):
            return value
    return _json(response)


def attachments_of(parts: Iterable[Part]) -> tuple[str, ...]:
    """The kinds of the files in parts: "image", "audio", "video", else "file". Those in thoughts are none."""
    files = [file for part in parts if not part.get("thought") for name in _FILES if (file := _mapping(part, name))]
    kinds = [next((kind for name in _KINDS if (kind := _string(file, name))), "").partition("/")[0] for file in files]
    return tuple(kind if kind in {"image", "audio", "video"} else "file" for kind in kinds)


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is; `None` if it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json(value: object) -> str:
    """A JSON value as text; the same for equal values."""
    return json.dumps({} if value is None else value, ensure_ascii=False, sort_keys=True)


def _mapping(part: Part, field: str) -> Mapping[str, Any]:
    """A field that should be an object."""
    value = part.get(field)
    return value if isinstance(value, Mapping) else {}


def _list(part: Mapping[str, Any], field: str) -> list[Part]:
    """The objects in a field that should be a list."""
    value = part.get(field)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _string(part: Mapping[str, Any], field: str) -> str:
    """A field that should be text."""
    value = part.get(field)
    return value if isinstance(value, str) else ""
