"""What the output of a chain says, whole or cut."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeGuard

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic import BaseModel

from streetai_core.errors import InputError
from streetai_langchain.injected import is_output_of_graph
from streetai_langchain.messages import text_of

_RAW, _PARSED = "raw", "parsed"
"""Where `with_structured_output(..., include_raw=True)` has the reply of the model, and what it says."""

_USUAL_KEYS = ("answer", "output", "response", "text", "result", "messages", _RAW)
"""Where chains and graphs with several outputs have their reply; the first that is there is taken."""


_MADE = frozenset({"image", "audio", "video", "file"})
"""Kinds of blocks that are an answer without words."""


def added(output: Any, chunk: Any) -> Any:
    """What was streamed so far and the next piece of it; pieces that cannot be added replace each other, as upstream.

    Args:
        output: `None` before the first piece.
        chunk: the next piece.
    """
    if output is None:
        return chunk
    try:
        return output + chunk
    except TypeError:
        return chunk


def reply_of(output: Any, output_key: str | None, *, parsed: bool = False) -> AIMessage | None:
    """The reply in an output; `None` if nothing is said, no tool is called, and nothing else is made.

    Args:
        output: a message, text, a list of messages of which the model's last counts, any other value, which counts as
            its text, or as its JSON if it is a structure; or a dict with one of these. Of messages that end with the
            result of a tool, as those of an agent whose tool returns directly, none is the model's reply.
        output_key: where it is in a dict; needed only if there are several keys and none has a usual name.
        parsed: whether it is what a parser made of the reply (`parsers.is_parsed`): it is then the answer itself, all
            of it, whatever its keys are called.

    Raises:
        InputError: where it is in a dict cannot be told.
    """
    if is_output_of_graph(output):
        output = output.value
    if parsed and output_key is None and (isinstance(output, list | Mapping) or _is_model(output)):
        output = _text_of_structure(output)
    key = _key(output, output_key) if isinstance(output, Mapping) else None
    value = output if key is None else output[key]
    if isinstance(value, list | tuple) and all(isinstance(item, BaseMessage) for item in value):
        value = _last_spoken(value)
    if value is None:
        return None
    reply = value if isinstance(value, AIMessage) else AIMessage(_text_of(value))
    if key == _RAW and not text_of(reply).strip() and (answer := output.get(_PARSED)) is not None:
        # The call by which a model gives a structured answer is no tool's: nothing ever follows it.
        reply = AIMessage(_text_of(answer), id=reply.id)
    return reply if text_of(reply).strip() or reply.tool_calls or _has_made_something(reply) else None


def cut_reply(output: Any, output_key: str | None, *, parsed: bool = False) -> AIMessage | None:
    """The reply in what there is of an output; `None` if it had not come yet.

    Tool calls are left out: nobody has carried them out, and what follows a call without its result is refused.
    """
    try:
        reply = reply_of(output, output_key, parsed=parsed)
    except InputError:
        return None
    if reply is None or not reply.tool_calls:
        return reply
    return AIMessage(text, id=reply.id) if (text := text_of(reply)).strip() else None


def _text_of(value: object) -> str:
    """What a value says: of a structure its JSON, else as `messages.text_of`."""
    return _text_of_structure(value) if _is_structure(value) else text_of(value)


def _text_of_structure(value: Any) -> str:
    """Its JSON; of a list, as parsers give, that of each item, on a line of its own."""
    if isinstance(value, list) and value:
        return "\n".join(map(_json, value))
    return _json(value)


def _json(value: Any) -> str:
    """Its JSON; a text, or what has no form in JSON, as its text."""
    plain = _plain(value) if _is_model(value) else value
    if isinstance(plain, str):
        return plain
    try:
        return json.dumps(plain, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError):  # keys that JSON does not have, or a value that has itself in it
        return str(plain)


def _plain(value: Any) -> Any:
    """A value that has no form in JSON, as one that has."""
    if _is_model(value):
        with suppress(ValueError, TypeError):  # a field of it has none either
            return value.model_dump(mode="json")
    return str(value)


def _is_structure(value: object) -> bool:
    """Whether a value is made of parts, and no message, text or content blocks."""
    if isinstance(value, list):
        return not any(isinstance(item, BaseMessage) for item in value) and not _are_blocks(value)
    return isinstance(value, Mapping) or _is_model(value)


def _are_blocks(values: Sequence[object]) -> bool:
    """Whether these are content blocks, of which each says its type, perhaps with texts between."""
    blocks = [value for value in values if isinstance(value, dict)]
    return bool(blocks) and all(
        isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("type"), str)) for value in values
    )


def _is_model(value: object) -> TypeGuard[BaseModel]:
    """Whether it is a structured answer, as `with_structured_output` gives it for a class."""
    return isinstance(value, BaseModel) and not isinstance(value, BaseMessage)


def _has_made_something(reply: AIMessage) -> bool:
    """Whether a reply answers without words, by an image for instance, in whatever form its provider has for it."""
    return bool(reply.additional_kwargs.get("audio")) or any(block["type"] in _MADE for block in reply.content_blocks)


def _last_spoken(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The model's last message, if no tool had the last word."""
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            return None
        if isinstance(message, AIMessage):
            return message
    return None


def _has_no_usual_key(output: Any) -> bool:
    """Whether an output is a dict in which no key stands for the reply."""
    return isinstance(output, Mapping) and len(output) != 1 and not any(key in output for key in _USUAL_KEYS)


def _key(outputs: Mapping[str, Any], output_key: str | None) -> str:
    if output_key is not None:
        if output_key not in outputs:
            raise InputError(f"output_key {output_key!r} is not among the outputs {list(outputs)}")
        return output_key
    if _has_no_usual_key(outputs):
        raise InputError(f"Got multiple output keys: {list(outputs)}. Set output_key to the one with the reply.")
    return next(iter(outputs)) if len(outputs) == 1 else next(key for key in _USUAL_KEYS if key in outputs)
