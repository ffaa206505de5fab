"""OpenAI's Chat Completions, which most other providers and local servers speak too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from streetai_core.adapters.codec import Codec, Context, Reply, Request, Said, ToolCall
from streetai_core.adapters.foreign_calls import fitting_call_id, fitting_tool_name
from streetai_core.adapters.openai_parts import (
    attachments_of,
    json_text,
    listed,
    mapped,
    named,
    text_of,
    with_text,
)
from streetai_core.prompt.turns import join

_INSTRUCTIONS = frozenset({"system", "developer"})
_RESULTS = frozenset({"tool", "function"})
_AUDIO = "audio"


_THOUGHTS = re.compile(r"\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)
"""What a model thinks, at the beginning of its text: servers that do not tell it from what it says send it so, and apps
take it out before they send the reply along."""


class ChatCompletions(Codec):
    """`POST /chat/completions`."""

    provider = "openai"

    def read_request(self, body: Mapping[str, Any]) -> Request:
        """As `Codec`."""
        messages = [mapped(message) for message in listed(body.get("messages"))]
        instructions = {place: one for place, one in enumerate(messages) if one.get("role") in _INSTRUCTIONS}
        return Request(
            said=tuple(
                said for position, message in enumerate(messages) if (said := _said(message, position)) is not None
            ),
            instructions=join(*(text_of(one.get("content")) for one in instructions.values())),
            fixed=frozenset(instructions),
            wants_call=_wants_call(body),
        )

    def with_context(self, body: Mapping[str, Any], context: Context) -> dict[str, Any]:
        """As `Codec`."""
        messages = listed(body.get("messages"))
        first = next(position for position, one in enumerate(messages) if mapped(one).get("role") not in _INSTRUCTIONS)
        sent: list[Any] = []
        for position, message in enumerate(messages):
            if position == first:
                sent += [_message(said) for said in context.window]
            if position == context.question and context.recalled:
                sent.append({**message, "content": with_text(message.get("content"), context.recalled, "text")})
            elif position not in context.left_out:
                sent.append(message)
        return {**body, "messages": sent}

    def read_reply(self, data: Mapping[str, Any]) -> Reply:
        """As `Codec`."""
        choices = [mapped(choice) for choice in listed(data.get("choices"))]
        choice = next((one for one in choices if one.get("index") in {0, None}), choices[0] if choices else {})
        message = mapped(choice.get("message"))
        return Reply(
            text=_spoken(message),
            tool_calls=_calls(message),
            attachments=_attachments(message),
            complete=bool(choice) and not data.get("error"),
            response_id=named(data.get("id")),
            metadata=_metadata(data.get("model"), choice.get("finish_reason"), len(choices)),
        )

    def read_events(self, events: Sequence[Mapping[str, Any]]) -> Reply:
        """As `Codec`."""
        heard = _Heard()
        for event in events:
            heard.hear(event)
        return heard.reply()


class _Heard:
    """The first choice of a stream, as far as it came."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._audio: list[str] = []
        self._attachments: dict[str, None] = {}
        self._calls: dict[int, list[dict[str, str]]] = {}
        """By the place that the provider gives them: mostly one at each."""
        self._choices: set[int] = set()
        self._over = self._failed = False
        self._name: str | None = None
        self._model: object = None
        self._finish: object = None

    def hear(self, event: Mapping[str, Any]) -> None:
        """Take in one event; an empty one says that no more will come."""
        self._over |= not event
        self._failed |= bool(event.get("error"))
        self._name = self._name or named(event.get("id"))
        self._model = self._model or event.get("model")
        for choice in map(mapped, listed(event.get("choices"))):
            index = choice.get("index") or 0
            self._choices.add(index)
            if index == 0:
                self._hear_choice(choice)

    def reply(self) -> Reply:
        """What was said in all."""
        complete = (self._over or self._finish is not None) and not self._failed
        calls = [
            ToolCall(call_id=call["id"], name=call["name"], arguments=call["arguments"] or "{}")
            for _, calls in sorted(self._calls.items())
            for call in calls
            if call["name"]
        ]
        heard = "".join(self._audio)
        return Reply(
            text=_without_thoughts("".join(self._text)) or "".join(self._refusal) or heard,
            tool_calls=tuple(calls),
            attachments=tuple(kind for kind in self._attachments if kind != _AUDIO or not heard),
            complete=complete,
            response_id=self._name,
            metadata=_metadata(self._model, self._finish, len(self._choices)),
        )

    def _hear_choice(self, choice: Mapping[str, Any]) -> None:
        delta = mapped(choice.get("delta"))
        self._text.append(text_of(delta.get("content")))
        self._refusal.append(text_of(delta.get("refusal")))
        self._audio.append(_heard_in(delta))
        self._attachments.update(dict.fromkeys(_attachments(delta)))
        self._finish = choice.get("finish_reason") or self._finish
        pieces = [*listed(delta.get("tool_calls")), *({"function": one} for one in [delta.get("function_call")] if one)]
        for number, piece in enumerate(map(mapped, pieces)):
            self._hear_call(number, piece)

    def _hear_call(self, number: int, piece: Mapping[str, Any]) -> None:
        """A piece of a call. Where a server gives all calls one place, or none, another id with a name begins one."""
        function = mapped(piece.get("function") or piece.get("custom"))
        given, name, place = str(piece.get("id") or ""), str(function.get("name") or ""), piece.get("index")
        calls = self._calls.setdefault(place if isinstance(place, int) else number, [])
        # Others give each piece of one call another id, but only the first one has a name.
        if not calls or (given and name and given != calls[-1]["id"]):
            calls.append({"id": "", "name": "", "arguments": ""})
        call = calls[-1]
        call["name"] = call["name"] or name
        call["id"] = call["id"] or given or name
        call["arguments"] += str(function.get("arguments") or function.get("input") or "")


def _said(message: Mapping[str, Any], position: int) -> Said | None:
    """A message of a request; `None` for instructions."""
    role, content = message.get("role"), message.get("content")
    if role in _RESULTS:
        call = message.get("tool_call_id") or message.get("name") or "tool"
        return Said(role="tool", text=text_of(content), tool_call_id=str(call), position=position)
    if role == "assistant":
        return Said(
            role="assistant",
            text=_spoken(message),
            tool_calls=_calls(message),
            name=named(message.get("name")),
            attachments=_attachments(message),
            position=position,
        )
    if role != "user":
        return None
    return Said(
        role="user",
        text=text_of(content),
        name=named(message.get("name")),
        attachments=attachments_of(content),
        position=position,
    )


def _spoken(message: Mapping[str, Any]) -> str:
    """The text of the model's message; of a refusal, which comes in place of a text, its own; of audio what it says."""
    said = _without_thoughts(text_of(message.get("content")))
    return said or text_of(message.get("refusal")) or _heard_in(message)


def _without_thoughts(text: str) -> str:
    """A text of the model's without what it has thought before."""
    thought = _THOUGHTS.match(text)
    return text if thought is None else text[thought.end() :]


def _heard_in(message: Mapping[str, Any]) -> str:
    """What the model says aloud in a message, or in a piece of one."""
    return text_of(mapped(message.get("audio")).get("transcript"))


def _attachments(message: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of what is no text in the model's message, or in a piece of one: images, and audio without its text."""
    kinds = [*attachments_of(message.get("content")), *attachments_of(message.get("images"))]
    return (*kinds, _AUDIO) if mapped(message.get("audio")) and not _heard_in(message) else tuple(kinds)


def _wants_call(body: Mapping[str, Any]) -> bool:
    """Whether a request names the only tool that it has as the one to call."""
    tools = [mapped(mapped(tool).get("function")) for tool in listed(body.get("tools"))]
    wanted = mapped(mapped(body.get("tool_choice")).get("function")) or mapped(body.get("function_call"))
    names = [tool.get("name") for tool in tools or map(mapped, listed(body.get("functions")))]
    return bool(wanted) and names == [wanted.get("name")]


def _calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    calls = [mapped(call) for call in listed(message.get("tool_calls"))]
    if not calls and message.get("function_call"):
        calls = [{"function": message["function_call"]}]
    return tuple(_call(call) for call in calls)


def _call(call: Mapping[str, Any]) -> ToolCall:
    """A call; one of the old kind has no id but the name of its function."""
    function = mapped(call.get("function") or call.get("custom"))
    name = str(function.get("name") or "tool")
    given = function.get("arguments", function.get("input"))
    return ToolCall(call_id=str(call.get("id") or name), name=name, arguments=json_text(given or "{}"))


def _message(said: Said) -> dict[str, Any]:
    """A message of the window, as it is sent."""
    if said.role == "tool":
        return {"role": "tool", "tool_call_id": fitting_call_id(said.tool_call_id or ""), "content": said.text}
    if not said.tool_calls:
        return {"role": said.role, "content": said.text}
    calls = [
        {
            "id": fitting_call_id(call.call_id),
            "type": "function",
            "function": {"name": fitting_tool_name(call.name), "arguments": call.arguments},
        }
        for call in said.tool_calls
    ]
    return {"role": "assistant", "content": said.text or None, "tool_calls": calls}


def _metadata(model: object, finish: object, choices: int) -> dict[str, Any]:
    known = {"model": named(model), "finish_reason": named(finish), "choices": choices if choices > 1 else None}
    return {name: value for name, value in known.items() if value is not None}
