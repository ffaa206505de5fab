"""LlamaIndex messages as stored messages, and back without loss.

What can be recalled of a message is the stored content, so that it can be searched, edited and shown like any other.
What LlamaIndex knows beyond it is in the metadata under "llamaindex", as plain JSON: the blocks, where they are more
than one text, and `additional_kwargs`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llama_index.core.base.llms import types as llama_index_types
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.bridge.pydantic import ValidationError
from pydantic_core import to_json

from streetai_core.errors import InputError
from streetai_core.text.clean import clean, is_blank
from streetai_core.types import Message, NewMessage
from streetai_llamaindex.speech import calls_tools, kind_of, remembered_text, role_of, text_of

_TOOL_CALL_BLOCK: Callable[..., Any] | None = getattr(llama_index_types, "ToolCallBlock", None)
"""The first versions 0.14 know tool calls as `additional_kwargs` only."""

_NAMES_OF_CALL = (("tool_id", "id", "toolUseId"), ("tool_name", "name"), ("tool_kwargs", "arguments", "input"))
"""What id, name and arguments of a call are named among `additional_kwargs`."""

logger = logging.getLogger(__name__)

KEY = "llamaindex"
"""Where in the metadata of a stored message its LlamaIndex part is."""
_NOT_RECALLED = "not_recalled"
"""In that part: the words are in the blocks only."""


def to_stored(
    message: ChatMessage,
    conversation_id: str | None,
    *,
    message_id: str | None = None,
    ticks: bool | None = None,
    is_recalled: bool = True,
) -> NewMessage:
    """A LlamaIndex message as it is stored.

    What is not JSON and cannot be made so is left out, and named in a logged warning.

    Args:
        message: the message; it is not kept.
        conversation_id: the thread.
        message_id: storing a message with the same id and text again changes nothing.
        ticks: whether it advances the memory's clock; `None`: unless it is tool traffic.
        is_recalled: whether its words can be recalled; else they are in the transcript only.

    Raises:
        InputError: `message` is not a LlamaIndex message, or the text of a block is none.
    """
    if not isinstance(message, ChatMessage):
        raise InputError(f"only LlamaIndex ChatMessages can be stored, got {type(message).__name__}")
    # Checked upstream when a block is made, not when its text is set.
    if any(isinstance(block, TextBlock) and not isinstance(block.text, str) for block in message.blocks):
        raise InputError("a TextBlock of the message has a text that is no text; give it one, or leave the block out")
    own = _as_json(message.additional_kwargs, "additional_kwargs")
    content = remembered_text(message) if is_recalled else ""
    part: dict[str, Any] = {"role": MessageRole(message.role).value}
    if content != text_of(message) or not _is_plain(message):
        part["blocks"] = _blocks_as_json(message)
    if own:
        part["additional_kwargs"] = own
    if not is_recalled:
        part[_NOT_RECALLED] = True
    metadata: dict[str, Any] = {KEY: part}
    if role_of(message) == "tool":
        metadata["tool_call_id"] = str(own.get("tool_call_id") or "")
    elif calls := _openai_calls(message, own):
        metadata["tool_calls"] = calls
    name = own.get("name")
    return NewMessage(
        content=content,
        role=role_of(message),
        conversation_id=conversation_id,
        name=name if isinstance(name, str) and not is_blank(name) else None,
        message_id=message_id,
        metadata=metadata,
        ticks=False if calls_tools(message) and ticks is None else ticks,
    )


def from_stored(message: Message) -> ChatMessage:
    """A stored message as a LlamaIndex message, whoever stored it. A text that was edited since is the edited one."""
    part = message.metadata.get(KEY)
    if not isinstance(part, Mapping):
        return _by_role(message)
    try:
        role = MessageRole(part.get("role", message.role))
    except ValueError:
        return _by_role(message)
    blocks = part.get("blocks")
    own = part.get("additional_kwargs")
    restored = _message(
        role,
        [{"block_type": "text", "text": message.content}] if not isinstance(blocks, list) else blocks,
        dict(own) if isinstance(own, Mapping) else {},
        message.message_id,
    )
    remembered = "" if part.get(_NOT_RECALLED) else remembered_text(restored)
    return restored if remembered == message.content else _with_text(restored, message.content)


def said_text(message: Message | NewMessage) -> str:
    """The words of a stored message as they were said, also where they cannot be recalled."""
    part = (message.metadata or {}).get(KEY)
    hidden = isinstance(part, Mapping) and part.get(_NOT_RECALLED) and not message.content
    blocks = part.get("blocks") if isinstance(part, Mapping) and hidden else None
    if not isinstance(blocks, list):
        return message.content
    return clean("\n".join(str(block.get("text")) for block in blocks if block.get("block_type") == "text"))[0]


def message_to_json(message: ChatMessage) -> dict[str, Any]:
    """A message as plain JSON, in the form of `ChatMessage.model_dump`."""
    return {
        "role": MessageRole(message.role).value,
        "additional_kwargs": _as_json(message.additional_kwargs, "additional_kwargs"),
        "blocks": _blocks_as_json(message),
    }


def message_from_json(data: Mapping[str, Any]) -> ChatMessage:
    """The inverse of `message_to_json`; reads what LlamaIndex itself has written too.

    Raises:
        ValueError: there is no such role.
    """
    if "blocks" not in data:
        return ChatMessage.model_validate(data)
    return _message(MessageRole(data["role"]), data["blocks"], dict(data.get("additional_kwargs") or {}), "from JSON")


def copied(message: ChatMessage) -> ChatMessage:
    """A copy that shares nothing with the message; what cannot be copied is shared after all."""
    try:
        return message.model_copy(deep=True)
    except Exception:  # noqa: BLE001 - any object may be in additional_kwargs, and copying it may raise anything
        blocks = [block.model_copy() for block in message.blocks]
        return message.model_copy(update={"blocks": blocks, "additional_kwargs": dict(message.additional_kwargs)})


def beside_text(message: ChatMessage, text: str) -> ChatMessage:
    """A copy of a message with `text` in front of its words: joined to plain words, else as a block of its own."""
    copy = copied(message)
    if _is_plain(copy):
        own = text_of(copy)
        copy.blocks = [TextBlock(text=f"{text}\n\n{own}" if own else text)]
    else:
        copy.blocks = [TextBlock(text=text), *copy.blocks]
    return copy


def _is_plain(message: ChatMessage) -> bool:
    """Whether a message is one text and nothing else."""
    return len(message.blocks) == 1 and isinstance(message.blocks[0], TextBlock)


def _as_json(value: Any, what: str) -> Any:
    """A copy of a value as plain JSON: bytes in base 64, numbers that are not finite and unknown objects as `None`."""
    unknown: list[str] = []

    def leave_out(something: Any) -> None:
        unknown.append(type(something).__name__)

    if isinstance(value, Mapping):
        return {str(key): _as_json(item, f"{what}.{key}") for key, item in value.items()}
    try:
        text = to_json(value, bytes_mode="base64", inf_nan_mode="null", fallback=leave_out)
        copy = json.loads(clean(text.decode())[0])
    except (ValueError, RecursionError) as error:
        # Such as an object that contains itself.
        copy, unknown = None, [f"{type(value).__name__}: {error}"]
    if unknown:
        logger.warning("of a message everything is kept but what is not JSON: %s (%s)", what, ", ".join(unknown))
    return copy


def _blocks_as_json(message: ChatMessage) -> list[Any]:
    """The blocks of a message as plain JSON; one that cannot be written, such as a closed file, is left out."""
    return [written for block in message.blocks if (written := _block_as_json(block)) is not None]


def _block_as_json(block: Any) -> Any:
    try:
        try:
            # Attachments are in base 64 already.
            dumped = block.model_dump(mode="json")
        except ValueError:
            dumped = block.model_dump()
        return _as_json(dumped, "blocks")
    except Exception as error:  # noqa: BLE001 - a file may raise anything
        logger.warning("a %s of a message is left out, for it cannot be written: %s", type(block).__name__, error)
        return None


def _openai_calls(message: ChatMessage, own: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tool calls of a message as the core and most APIs know them; those without an id are left out."""
    blocks: list[Any] = [block for block in message.blocks if kind_of(block) == "tool_call"]
    if blocks:
        found = [(block.tool_call_id, block.tool_name, block.tool_kwargs) for block in blocks]
    else:
        found = [_id_name_arguments(call) for call in own.get("tool_calls") or [] if isinstance(call, Mapping)]
    return [
        {"id": str(call_id), "type": "function", "function": {"name": str(name), "arguments": _arguments(arguments)}}
        for call_id, name, arguments in found
        if call_id
    ]


def _id_name_arguments(call: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """A call in OpenAI's form, in LlamaIndex's own, or in those of Anthropic and Bedrock."""
    function = call.get("function")
    if isinstance(function, Mapping):
        return call.get("id"), function.get("name"), function.get("arguments")
    key, name, arguments = (next((call[one] for one in names if one in call), None) for names in _NAMES_OF_CALL)
    return key, name, arguments


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(_as_json(value or {}, "tool_kwargs"), ensure_ascii=False)


def _message(role: MessageRole, blocks: Sequence[Any], own: dict[str, Any], message_id: str) -> ChatMessage:
    """A message from JSON; a block that cannot be read, such as an image whose file is gone, is left out."""
    try:
        return ChatMessage(role=role, blocks=blocks, additional_kwargs=own)
    except (ValidationError, ValueError, TypeError, AttributeError) as error:
        logger.warning("message %s has parts that cannot be read and are left out: %s", message_id, error)
    message = ChatMessage(role=role)
    message.blocks = [readable for block in blocks for readable in _readable(role, block)]
    # Upstream makes blocks of "images"; they are what could not be read.
    message.additional_kwargs = {name: value for name, value in own.items() if name != "images"}
    return message


def _readable(role: MessageRole, block: Any) -> list[Any]:
    """A block, if it can be read."""
    try:
        return list(ChatMessage(role=role, blocks=[block]).blocks)
    except (ValidationError, ValueError, TypeError):
        return []


def _with_text(message: ChatMessage, text: str) -> ChatMessage:
    """A message with other words, in the place of the first ones."""
    blocks: list[Any] = []
    for block in message.blocks:
        if not isinstance(block, TextBlock):
            blocks.append(block)
        elif text:
            blocks.append(TextBlock(text=text))
            text = ""
    message.blocks = [TextBlock(text=text), *blocks] if text else blocks
    return message


def _by_role(message: Message) -> ChatMessage:
    """A message that was not stored through LlamaIndex."""
    own: dict[str, Any] = {"name": message.name} if message.name else {}
    blocks: list[Any] = [TextBlock(text=message.content)] if message.content else []
    if message.role == "tool":
        own["tool_call_id"] = str(message.metadata.get("tool_call_id") or "")
    calls = message.metadata.get("tool_calls")
    readable = [call for call in calls if _is_call(call)] if isinstance(calls, list) else []
    if _TOOL_CALL_BLOCK is None and readable:
        own["tool_calls"] = readable
    elif _TOOL_CALL_BLOCK is not None:
        blocks += [_call_block(call, _TOOL_CALL_BLOCK) for call in readable]
    return ChatMessage(role=MessageRole(message.role), blocks=blocks, additional_kwargs=own)


def _is_call(call: Any) -> bool:
    """Whether it is a tool call in OpenAI's form."""
    return isinstance(call, Mapping) and isinstance(call.get("function"), Mapping)


def _call_block(call: Mapping[str, Any], block: Callable[..., Any]) -> Any:
    """A tool call as a block."""
    function = call["function"]
    return block(
        tool_call_id=str(call.get("id") or "") or None,
        tool_name=str(function.get("name") or ""),
        tool_kwargs=_loaded(function.get("arguments")),
    )


def _loaded(arguments: Any) -> dict[str, Any] | str:
    """The arguments of a call, as a mapping where they are one."""
    try:
        value = json.loads(arguments or "{}")
    except (TypeError, ValueError, RecursionError):
        return str(arguments)
    return value if isinstance(value, dict) else str(arguments)
