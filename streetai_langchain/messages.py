"""LangChain messages as stored messages, and back without loss.

The text is stored as the message's content, so that it can be recalled, edited and shown like any other; name, tool
calls and the id of a tool result have their places in a stored message too. Everything else that LangChain knows of
the message is in its metadata under "langchain", as plain JSON. Nothing is stored twice.

A message of a class of the application's own comes back as one, if the process that reads it has imported that class;
a name that comes from a database never makes it import anything. Else, and if the class refuses what was stored, it
comes back as LangChain's own class that it is derived from, with its fields, or as a `ChatMessage` if it is of none.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    message_chunk_to_message,
    messages_from_dict,
)
from pydantic import ValidationError

from streetai_core.errors import InputError
from streetai_core.text.clean import clean, is_blank
from streetai_core.types import ROLES, Message, NewMessage, Role
from streetai_langchain.json_values import JsonCopy
from streetai_langchain.message_classes import CLASSES, kind_of, loaded, name_of

logger = logging.getLogger(__name__)

_KEY = "langchain"
"""Where in the metadata of a stored message its LangChain part is."""

_HIDDEN = "hidden"
"""In the LangChain part of a message whose text is there only: true."""

_ROLE_OF: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}

_ID_LENGTH = 32
"""Hexadecimal digits of an id made from a LangChain id: 128 bits, like a UUID."""


def to_stored(message: BaseMessage, conversation_id: str | None, *, recallable: bool = True) -> NewMessage:
    """A LangChain message as it is stored; a streamed chunk as the message that it stands for.

    A message with an id is stored once: adding it again with the same text to the same conversation changes nothing.
    What is not JSON and cannot be made so is left out, and named in a logged warning.

    Args:
        message: what was said.
        conversation_id: where.
        recallable: `False`: its text is kept with its LangChain part, where no question finds it.

    Raises:
        InputError: `message` is not a LangChain message, is a `RemoveMessage`, which says nothing, or its content is
            neither text nor blocks.
    """
    if not isinstance(message, BaseMessage) or isinstance(message, RemoveMessage):
        raise InputError(f"only messages that say something can be stored, got {type(message).__name__}")
    spoken = message
    while isinstance(spoken, BaseMessageChunk):
        # Of a chunk of a class of the application's own, one step leads to LangChain's chunk only.
        spoken = message_chunk_to_message(spoken)
    text = text_of(spoken)
    kind, values = _kind_and_fields(spoken)
    calls = values.get("tool_calls")
    metadata = _metadata(spoken, kind, values)
    if not recallable:
        metadata[_KEY] |= {_HIDDEN: True, "data": {**metadata[_KEY].get("data", {}), "content": spoken.content}}
    return NewMessage(
        content=text if recallable else "",
        role=_role_of(spoken, kind),
        conversation_id=conversation_id,
        name=spoken.name,
        message_id=_message_id(spoken, kind, text, conversation_id),
        metadata=metadata,
        # A message that calls tools is no final reply, even if its calls have no ids to tell the core so.
        ticks=False if calls else None,
    )


def from_stored(message: Message) -> BaseMessage:
    """A stored message as a LangChain message, whoever stored it. A text that was edited since is the edited one."""
    payload = message.metadata.get(_KEY)
    if isinstance(payload, Mapping):
        try:
            return _restored(message, payload)
        except (KeyError, TypeError, ValueError) as error:
            logger.warning(
                "message %s has a LangChain part that cannot be read, so only its text is given: %s",
                message.message_id,
                error,
            )
    return _by_role(message)


def text_of(value: object) -> str:
    """What was said, as text: of a message, of several, of content blocks, or of any other value of a chain.

    Raises:
        InputError: the content of a message is neither text nor blocks.
    """
    if isinstance(value, BaseMessage):
        check_content(value)
        return str(value.text) or _refusal(value)
    if isinstance(value, list | tuple) and value:
        if all(isinstance(item, BaseMessage) for item in value):
            return "\n\n".join(text for item in value if (text := text_of(item)))
        if all(isinstance(item, str | dict) for item in value):
            return str(HumanMessage(content=list(value)).text)
    return str(value)


def values_called(calls: Iterable[Mapping[str, Any]]) -> str:
    """What tools are called with, as JSON, a line for each call: of a structured answer, the answer."""
    return "\n".join(json.dumps(call["args"], ensure_ascii=False, default=str) for call in calls)


def _refusal(message: BaseMessage) -> str:
    """The words of a refusal, which come in place of a text: in blocks of their own, or beside an empty content."""
    content = message.content if isinstance(message.content, list) else []
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "refusal"]
    said = [block.get("refusal") for block in blocks] or [message.additional_kwargs.get("refusal")]
    return "".join(one for one in said if isinstance(one, str))


def check_content(message: BaseMessage) -> None:
    """Refuse a message whose content nobody can read: LangChain looks at it when it is made, and not when it is set.

    Raises:
        InputError: it is neither text nor a list of blocks.
    """
    if not isinstance(message.content, str | list):
        raise InputError(
            f"the content of a {type(message).__name__} must be text or content blocks, got "
            f"{type(message.content).__name__}"
        )


def _kind_and_fields(message: BaseMessage) -> tuple[str, dict[str, Any]]:
    """Which of LangChain's own types a message comes back as, and its fields that differ from the defaults."""
    kind = kind_of(message)
    copy = JsonCopy()
    values = copy.fields({**message.__dict__, **(message.model_extra or {})})
    if copy.dropped:
        logger.warning(
            "of a LangChain message everything is kept but what is not JSON: %s", ", ".join(sorted(copy.dropped))
        )
    del values["type"]
    return kind, {
        name: value
        for name, value in values.items()
        # It may come back as either of the two classes, and must be the same as both.
        if not (_is_default(CLASSES[kind], name, value) and _is_default(type(message), name, value))
    }


def _is_default(kind: type[BaseMessage], name: str, value: Any) -> bool:
    """Whether a field that is left out has this value."""
    field = kind.model_fields.get(name)
    try:
        return field is not None and bool(value == field.get_default(call_default_factory=True))
    except (TypeError, ValueError):
        # A default that depends on other fields, or that cannot be compared, is none to rely on.
        return False


def _metadata(message: BaseMessage, kind: str, values: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a stored message; takes what has a place of its own out of `values`."""
    metadata: dict[str, Any] = {}
    name = values.get("name")
    if not isinstance(name, str) or not is_blank(name):
        # A blank one names nobody, so that a stored message has no place for it.
        values.pop("name", None)
    if values.get("content") == text_of(message):
        del values["content"]
    if kind == "tool":
        metadata["tool_call_id"] = values.pop("tool_call_id")
    calls = values.get("tool_calls")
    if calls and all(call.get("id") for call in calls):
        metadata["tool_calls"] = [_openai_form(call) for call in calls]
        if _calls(metadata) == calls:
            del values["tool_calls"]
    metadata[_KEY] = {"type": kind}
    if (own := name_of(type(message))) is not None:
        metadata[_KEY]["class"] = own
        if not isinstance(message, CLASSES[kind]):
            # What the `ChatMessage` needs that it comes back as where its class is missing.
            metadata[_KEY]["role"] = message.type
    if values:
        metadata[_KEY]["data"] = values
    return metadata


def _openai_form(call: Mapping[str, Any]) -> dict[str, Any]:
    """A tool call as the core and most APIs know it."""
    arguments = json.dumps(call["args"], ensure_ascii=False)
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": arguments}}


def _calls(metadata: Mapping[str, Any]) -> list[ToolCall]:
    """The tool calls of a stored message as LangChain has them; those that cannot be read are left out."""
    raw = metadata.get("tool_calls")
    calls: list[ToolCall] = []
    for entry in raw if isinstance(raw, list) else []:
        try:
            function = entry["function"]
            arguments = json.loads(function["arguments"] or "{}")
            call = ToolCall(name=function["name"], args=arguments, id=entry["id"], type="tool_call")
        except (KeyError, TypeError, ValueError, RecursionError):
            continue
        if isinstance(arguments, dict):
            calls.append(call)
    return calls


def _role_of(message: BaseMessage, kind: str) -> Role:
    """The core's role; of a `ChatMessage` the one it names, and the user's if the core does not know that one."""
    named = str(getattr(message, "role", "")) if kind == "chat" else kind
    same: Role | None = next((role for role in ROLES if role == named), None)
    return same or _ROLE_OF.get(named, "user")


def _message_id(message: BaseMessage, kind: str, text: str, conversation_id: str | None) -> str | None:
    """An id that makes adding a message again harmless; `None` if it has no LangChain id.

    LangChain's ids are not unique in a whole memory, and a message may come again under its id with another text. Both
    are made part of the id, so that neither is ever refused or taken for another.
    """
    if not message.id:
        return None
    digest = sha256(json.dumps([conversation_id, kind, message.id, text]).encode()).hexdigest()
    return f"{_KEY}-{digest[:_ID_LENGTH]}"


def _restored(message: Message, payload: Mapping[str, Any]) -> BaseMessage:
    """The LangChain message behind a stored one that has a LangChain part."""
    data: dict[str, Any] = {"content": message.content, "name": message.name, **payload.get("data", {})}
    calls = _calls(message.metadata)
    if calls:
        data.setdefault("tool_calls", calls)
    if payload["type"] == "tool":
        data["tool_call_id"] = message.metadata["tool_call_id"]
    restored = _of_own_class(payload, data) or _of_langchain(payload, data)
    if payload.get(_HIDDEN) and not message.content:
        return restored
    if clean(text_of(restored))[0] != message.content:
        restored.content = message.content
    return restored


def _of_own_class(payload: Mapping[str, Any], data: Mapping[str, Any]) -> BaseMessage | None:
    """A message of the application's own class; `None` if it has none, or the class is not there or has changed."""
    own = loaded(payload.get("class"))
    if own is None:
        return None
    try:
        return own(**data)
    except (TypeError, ValueError) as error:
        logger.warning("a stored message is no %s any more, so it is given as LangChain's own: %s", own, error)
        return None


def _of_langchain(payload: Mapping[str, Any], data: Mapping[str, Any]) -> BaseMessage:
    """A message of one of LangChain's own classes, without fields that this class refuses.

    LangChain puts some into a message that it would not take: the usage of a reply from its cache is only a cost.
    """
    role = {"role": payload["role"]} if "role" in payload else {}
    fields = {**data, **role}
    try:
        return _made(payload["type"], fields)
    except ValidationError as error:
        refused = {str(one["loc"][0]) for one in error.errors() if one["loc"]}
        logger.warning("of a stored message LangChain refuses, and is not given: %s", ", ".join(sorted(refused)))
        return _made(payload["type"], {name: value for name, value in fields.items() if name not in refused})


def _made(kind: str, fields: Mapping[str, Any]) -> BaseMessage:
    [made] = messages_from_dict([{"type": kind, "data": dict(fields)}])
    return made


def _by_role(message: Message) -> BaseMessage:
    """A message that was not stored through LangChain."""
    content, name = message.content, message.name
    if message.role == "assistant":
        return AIMessage(content=content, name=name, id=message.message_id, tool_calls=_calls(message.metadata))
    if message.role == "tool":
        call_id = str(message.metadata.get("tool_call_id") or "")
        return ToolMessage(content=content, name=name, id=message.message_id, tool_call_id=call_id)
    if message.role == "user":
        return HumanMessage(content=content, name=name, id=message.message_id)
    return SystemMessage(content=content, name=name, id=message.message_id)
